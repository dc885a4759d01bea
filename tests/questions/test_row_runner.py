"""A row is asked once a store: the parts, the limit over all of them, what is said where nothing is kept."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Annotated

import pytest

from holdfast.core.base.errors import LedgerError, NotKeptError, UsageError, VersionError
from holdfast.core.base.values import dataclass
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.targets.bound import EVERYTHING, Bound, BoundKind
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.jobs.row_runner import AskedFrom, StoreToAsk, run_row
from holdfast.questions.rows.parameters import AT, FROM, ROWS, TARGET
from holdfast.questions.rows.question import Content, QuestionRow, question
from questions.world import PAGE, World, day, html

pytestmark = pytest.mark.spec("CLI-2")
NONE = CommandTarget(TargetKind.NONE)


@dataclass(frozen=True, slots=True)
class Listed:
    """Some of a store's URLs."""

    rows: tuple[str, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What a row was given."""

    target: CommandTarget
    at: Bound


@question(listed="rows")
def log(
    ledger,
    /,
    target: Annotated[CommandTarget, TARGET, "what"] = NONE,
    *,
    limit: Annotated[int | None, ROWS, "how many"] = 3,
    from_: Annotated[str, FROM, "where"] = "",
) -> Listed:
    """The addresses of a host."""
    every = sorted(place.url for place in ledger.forgetting.places_on("example.com"))
    rest = [url for url in every if url > from_]
    rows = tuple(rest if limit is None else rest[:limit])
    return Listed(rows, rows[-1] if len(rows) < len(rest) else None)


@question()
def show(
    target: Annotated[CommandTarget, TARGET, "what"], *, at: Annotated[Bound, AT, "when"] = EVERYTHING
) -> Heard:
    """What the runner says."""
    if target.value.endswith("/never"):
        raise NotKeptError("nothing is kept")
    return Heard(target, at)


@question()
def links(
    ledger,
    /,
    target: Annotated[CommandTarget, TARGET, "what"] = NONE,
    *,
    at: Annotated[Bound, AT, "when"] = EVERYTHING,
) -> Heard:
    """What the runner says of a mirror."""
    return Heard(target, at)


def store(pages, runs=1):
    """A store with so many pages, each run seeing all of them."""
    world = World()
    for run in range(runs):
        run_id = f"{pages:x}{run:x}".ljust(64, "e")
        world.begin(run_id, run)
        for number in range(pages):
            world.see(run_id, f"{PAGE}-{number}", run + number / 100, html(f"{run}"))
        world.ledger.runs.end_run(run_id, day(run + 0.5), world.ledger.runs.run(run_id).tally)
    return world


def asked(worlds, folder, **more):
    stores = []
    for name, world in worlds.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        stores.append(StoreToAsk(name, folder / name, lambda world=world: nullcontext(world.reader)))
    return AskedFrom(folder, stores, SettingsFile(), **more)


def rows_of(answer):
    return [(part.store, url) for part in answer.parts for url in part.value.rows]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 100])
def test_parts_one_after_the_other_are_the_whole_answer(tmp_path, limit):
    here = asked({"a": store(3), "b": store(4), "b/c": store(1)}, tmp_path)
    whole = rows_of(run_row(log, {"limit": None}, here))
    found, following, steps = [], "", 0
    while following is not None:
        answer = run_row(log, {"limit": limit, "from_": following}, here)
        rows = rows_of(answer)
        assert len(rows) <= limit
        found, following, steps = found + rows, answer.next, steps + 1
    assert found == whole
    assert len(whole) == 8
    assert steps <= -(-len(whole) // limit) + 1


def test_without_a_limit_the_default_counts_over_all_stores(tmp_path):
    answer = run_row(log, {}, asked({"a": store(2), "b": store(4)}, tmp_path))
    assert [len(part.value.rows) for part in answer.parts] == [2, 1]
    assert answer.next.startswith("b:")


@pytest.mark.parametrize("place", ["c:", "nowhere", ":"])
def test_a_place_that_no_store_has_is_refused(tmp_path, place):
    with pytest.raises(UsageError, match="no place in this answer"):
        run_row(log, {"from_": place}, asked({"a": store(1)}, tmp_path))


@contextmanager
def broken():
    raise LedgerError("torn")
    yield


def test_a_store_that_cannot_answer_is_told_of_and_the_others_answer(tmp_path):
    here = asked({"a": store(1)}, tmp_path)
    torn = StoreToAsk("torn", tmp_path / "torn", broken)
    answer = run_row(log, {}, here._replace(stores=[torn, *here.stores]))
    assert [part.store for part in answer.parts] == ["a"]
    assert [(each.store, each.error, each.exit_status) for each in answer.failed] == [("torn", "torn", 3)]
    with pytest.raises(LedgerError, match="torn"):
        run_row(log, {}, here._replace(stores=[torn]))


def test_where_nothing_is_kept_the_error_is_that_of_who_knows_the_thing(tmp_path):
    @question()
    def status(is_idle, /, *, lost: Annotated[str, "which"] = "") -> Heard:
        """Nothing."""
        raise NotKeptError("I know it", knows_it=True) if not is_idle() else NotKeptError("never heard of it")

    worlds = {"a": store(1), "b": store(1)}
    worlds["b"].is_idle = False
    with pytest.raises(NotKeptError, match="I know it"):
        run_row(status, {}, asked(worlds, tmp_path))


def test_of_several_errors_the_worse_status_wins(tmp_path):
    @contextmanager
    def newer():
        raise VersionError("of a newer program")
        yield

    stores = [StoreToAsk("new", tmp_path, newer), StoreToAsk("torn", tmp_path, broken)]
    with pytest.raises(LedgerError):
        run_row(log, {}, AskedFrom(tmp_path, stores, SettingsFile()))


def test_a_look_that_met_its_bound_is_told(tmp_path):
    answer = run_row(log, {}, asked({"a": store(1)}, tmp_path, is_partial=True))
    assert (answer.is_partial, "--store names one" in answer.told[0]) == (True, True)


def test_a_mirror_concerns_the_store_that_knows_it_under_its_label_there(tmp_path):
    answer = run_row(links, {"target": "b/docs"}, asked({"a": store(1), "b": store(1)}, tmp_path))
    assert [(part.store, part.value.target) for part in answer.parts] == [
        ("b", CommandTarget(TargetKind.MIRROR, "docs"))
    ]


def test_a_file_of_a_mirror_is_its_page_in_that_store_alone(tmp_path):
    world = store(2)
    path = world.ledger.pages.paths("docs").__iter__().__next__()[0]
    answer = run_row(show, {"target": f"b/docs/{path}"}, asked({"a": store(2), "b": world}, tmp_path))
    assert [(part.store, part.value.target.value) for part in answer.parts] == [("b", f"{PAGE}-0")]


def test_a_page_is_asked_for_by_the_address_that_was_written(tmp_path):
    answer = run_row(show, {"target": f"{PAGE}?b=2&a=1&utm_source=x"}, asked({"a": store(1)}, tmp_path))
    assert answer.parts[0].value.target.value == f"{PAGE}?b=2&a=1&utm_source=x"


def test_each_store_has_its_own_last_run(tmp_path):
    answer = run_row(
        links, {"target": None, "at": "last"}, asked({"a": store(1), "b": store(1, runs=3)}, tmp_path)
    )
    bounds = [part.value.at for part in answer.parts]
    assert {each.kind for each in bounds} == {BoundKind.UP_TO}
    assert bounds[0].point < bounds[1].point


def test_a_day_is_the_same_bound_in_every_store(tmp_path):
    answer = run_row(
        show, {"target": PAGE, "at": "2026-05-04"}, asked({"a": store(1), "b": store(2)}, tmp_path)
    )
    day_after = datetime.fromisoformat("2026-05-05T00:00+00:00")
    assert {part.value.at for part in answer.parts} == {Bound(BoundKind.BEFORE, day_after)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("soon", "is no moment"),
        ("2026-13-01", "is no date"),
        ("v9", "has no version"),
        ("abcdef0123", "no run begins"),
    ],
)
def test_a_moment_that_is_none_is_refused_with_what_is_right(tmp_path, text, words):
    with pytest.raises(UsageError, match=words) as raised:
        run_row(show, {"target": f"{PAGE}-0", "at": text}, asked({"a": store(1)}, tmp_path))
    assert raised.value.hint


def test_a_word_with_two_readings_is_refused_with_each_spelt_so_that_it_is_taken(tmp_path):
    world = World()
    twice = "feedbeef".ljust(64, "0")
    world.begin(twice, 0)
    world.begin("feedbeef".ljust(64, "1"), 1)
    here = asked({"a": world}, tmp_path)
    with pytest.raises(UsageError, match="can be 2 things") as raised:
        run_row(show, {"target": "feedbeef"}, here)
    assert f"run:{twice}" in raised.value.hint
    answer = run_row(show, {"target": f"run:{twice}"}, here)
    assert answer.parts[0].value.target == CommandTarget(TargetKind.RUN, twice)


def test_who_asks_a_server_learns_of_no_file_outside_of_it(tmp_path):
    (tmp_path / "secret.md").write_text("x")
    told = []
    for path in ("../secret.md", "../nothing.md", str(tmp_path / "secret.md"), str(tmp_path / "nothing.md")):
        here = asked({"a": store(1)}, tmp_path)._replace(folder=tmp_path / "a", is_served=True)
        with pytest.raises(UsageError) as raised:
            run_row(show, {"target": path}, here)
        told.append(raised.value.message.replace(path, "PATH"))
    assert set(told) == {"there is no 'PATH'"}


def test_all_looks_of_a_row_are_kept_beside_its_function():
    row = QuestionRow(lambda: None, "", (), None)
    row.rows("a", "b")(lambda found: [(found, 1)])
    row.form("shout", "louder")(lambda found, _: [Content(found.upper())])
    assert (row.table.columns, list(row.forms)) == (("a", "b"), ["shout"])
