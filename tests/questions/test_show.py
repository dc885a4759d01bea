"""`show`: a page, a section, a file, an item, a run; at each moment; gone since first; several stores."""

import pytest

from holdfast.core.lineage.lineage import Job
from holdfast.core.targets.bound import Bound, BoundKind
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.targets.moment import LastRun, RunNamed, VersionNumber
from holdfast.core.targets.moment_bounds import MomentUse, Timelines, bounds_of
from holdfast.core.url.policy import Recipe
from holdfast.questions.log.page_as_of import page_as_of
from holdfast.questions.log.timeline import timeline_of
from questions.equal_facts import ORIGIN
from questions.world import PAGE, day, html

pytestmark = pytest.mark.spec("CLI-2")
SECOND = f"{ORIGIN}/guide/2/"
FILE = "docs/127.0.0.1+47811/guide/2/index.md"


@pytest.fixture
def show(faces, holdfast):
    return lambda *words: holdfast("show", *words)


@pytest.mark.parametrize(
    ("at", "kinds"),
    [
        ("v1", "ballast.\n"), ("v2", "another kind."), ("v3", "a third kind."), ("2026-05-04", "ballast.\n"),
        ("2026-05-12", "another kind."), ("last", "a third kind."), ("b551e9eb2a2f", "ballast.\n"),
        ("53e03c3f914c", "another kind."), ("2c2226219c79", "a third kind."), ("0d", "a third kind."),
    ],
)  # fmt: skip
def test_each_kind_of_moment_shows_what_was_kept_up_to_its_end(show, at, kinds):
    shown = show(FILE, "--at", at)
    assert (shown.status, f"tells of ballast{' of ' if 'kind' in kinds else ''}" in shown.out) == (0, True)
    assert kinds.removeprefix("ballast") in shown.out


def test_that_a_page_is_gone_is_said_before_anything_else(show):
    shown = show(f"{ORIGIN}/going/")
    first, second = shown.err.splitlines()[:2]
    assert first == "gone since 2026-05-11 10:00:00; this is the copy of 2026-05-04 11:00:00"
    assert "as of 2026-05-04 11:00:00 UTC" in second
    assert "days ago (200 text/html)" in second
    assert shown.out.startswith("# Going\n")
    assert "gone since" not in show(SECOND).err


def test_a_file_of_a_mirror_is_its_page_as_that_mirrors_store_has_it(show):
    page = show(FILE, "--json").json["parts"]
    own = show("own/127.0.0.1+47811/guide/2/index.md", "--json").json["parts"]
    assert [(part["store"], part["page"]["url"], part["page"]["version"]) for part in page] == [
        (".", SECOND, 3)
    ]
    assert [(part["store"], part["page"]["url"], part["page"]["version"]) for part in own] == [
        ("own", SECOND, 1)
    ]


def test_stores_that_keep_the_same_page_answer_one_after_the_other(show):
    shown = show(SECOND)
    assert [line for line in shown.err.splitlines() if line.startswith("store ")] == [
        "store .:",
        "store own:",
    ]
    assert shown.out.count("# Guide 2") == 2
    one = show(SECOND, "--store", "own")
    assert (one.out.count("# Guide 2"), "store" in one.err) == (1, False)


def test_the_bytes_of_two_stores_are_not_run_together(show):
    refused = show(SECOND, "--format", "raw")
    assert (refused.status, refused.out) == (2, "")
    assert "2 stores keep it" in refused.err
    assert "<h1" in show(FILE, "--format", "raw").out


def test_an_item_is_the_text_of_that_version_and_a_run_is_its_facts(show, holdfast):
    item = holdfast("log", SECOND, "--items", "--json").json["parts"][0]["items"][0]
    shown = show(f"item:{item['item_id'][:12]}", "--json").json["parts"][0]["page"]
    assert (shown["content_hash"], shown["fetched_at"][:10]) == (item["content_sha256"], "2026-05-04")
    run = show("53e03c3f914c", "--json").json["parts"][0]["run"]
    assert (run["run_id"][:12], run["status"], run["label"]) == ("53e03c3f914c", "finished", "docs")
    assert "53e03c3f914c" in show("run:53e03c").out


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("docs",), "is the mirror docs: `show` takes one page", "holdfast status docs"),
        (("docs/127.0.0.1+47811/guide",), "a pattern of pages: `show` takes one page", "holdfast log"),
        (("notes.md",), "a document is yours and not kept", "holdfast links notes.md"),
        ((), "TARGET is missing", "holdfast show URL"),
        (("docs/_manifest.json",), "stands for none of its pages", "mirror:docs"),
        ((".holdfast",), "is a store and no target", "--store"),
        (("127.0.0.1:47811",), "`show` takes one page", "holdfast show https://127.0.0.1:47811/"),
        (("deadbeefdeadbeef",), "no run or item here begins with", "holdfast log --runs"),
        ((SECOND, "--at", "feb"), "no moment", "git:feb"),
    ],
)
def test_what_is_no_page_is_refused_with_the_call_that_is_right(show, words, message, hint):
    refused = show(*words)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert hint in refused.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((f"{ORIGIN}/never/",), "no copy of"),
        ((SECOND, "--at", "2020-01-01"), "the first one is of 2026-05-04"),
        ((f"{SECOND}#nowhere",), "it has: top, use, next"),
    ],
)
def test_what_is_not_kept_is_a_one_with_what_there_is(show, words, message):
    missed = show(*words)
    assert (missed.status, missed.out) == (1, "")
    assert message in missed.err


# the order of captures


@pytest.fixture
def looked(world):
    """A page seen in three runs; the clock ran back before the last."""
    for number, (run, at, words) in enumerate([("a", 4, "One."), ("b", 5, "Two."), ("c", 1, "Three.")]):
        world.begin(run * 64, number)
        world.see(run * 64, PAGE, at, html(words))
        world.ledger.runs.end_run(run * 64, day(at), world.ledger.runs.run(run * 64).tally)
    return world


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (VersionNumber(1), "One."), (VersionNumber(2), "Two."), (VersionNumber(3), "Three."),
        (RunNamed("a" * 8), "One."), (RunNamed("b" * 8), "Two."), (RunNamed("c" * 8), "Three."),
        (LastRun(), "Three."),
    ],
)  # fmt: skip
def test_runs_and_versions_go_by_the_order_and_not_by_the_clock(looked, moment, words):
    target = CommandTarget(TargetKind.PAGE, PAGE)
    known = looked.reader.ask(timeline_of, target=target, moment=moment)
    bounds = bounds_of(moment, MomentUse.AT, Timelines((known,), day(9)))
    assert words in looked.reader.ask(page_as_of, url=PAGE, at=bounds.each[0]).markdown


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("at", [1, 4.5, 9])
def test_a_look_by_another_recipe_shows_the_version_that_was_the_last_before_it(world, at):
    mirrored = Recipe.parse("http_snapshot_site_v1_text_v1")
    for run, seen, words in [("a", 4, "One."), ("b", 5, "Two.")]:
        world.begin(run * 64, seen, recipe=mirrored)
        world.see(run * 64, PAGE, seen, html(words))
        world.end(run * 64, seen)
    world.begin("c" * 64, at, Job.TRACK)
    world.see("c" * 64, PAGE, at, html("Two."))
    found = world.reader.ask(page_as_of, url=PAGE)
    assert (found.record.run_id[0], found.version, found.versions) == ("c", 2, 2)


def test_a_run_that_did_not_see_the_page_bounds_it_all_the_same(looked):
    looked.begin("d" * 64, 3)
    looked.see("d" * 64, f"{PAGE}-other", 6, html("Elsewhere."))
    looked.ledger.runs.end_run("d" * 64, day(6), looked.ledger.runs.run("d" * 64).tally)
    target = CommandTarget(TargetKind.PAGE, PAGE)
    last = looked.reader.ask(timeline_of, target=target, moment=LastRun())
    named = looked.reader.ask(timeline_of, target=target, moment=RunNamed("d" * 8))
    assert [run.run_id[0] for run in last.runs] == ["a", "b", "c"]
    assert named.runs[-1].begin > named.runs[-2].end
    at = Bound(BoundKind.UP_TO, named.runs[-1].end)
    assert "Three." in looked.reader.ask(page_as_of, url=PAGE, at=at).markdown


def test_a_run_between_two_that_saw_the_page_bounds_it_where_it_stood(world):
    for number, (run, url, words) in enumerate(
        [("a", PAGE, "One."), ("b", f"{PAGE}-x", "."), ("c", PAGE, "Two.")]
    ):
        world.begin(run * 64, number)
        world.see(run * 64, url, number, html(words))
        world.ledger.runs.end_run(run * 64, day(number), world.ledger.runs.run(run * 64).tally)
    moment = RunNamed("b" * 8)
    known = world.reader.ask(timeline_of, target=CommandTarget(TargetKind.PAGE, PAGE), moment=moment)
    bounds = bounds_of(moment, MomentUse.AT, Timelines((known,), day(9)))
    assert "One." in world.reader.ask(page_as_of, url=PAGE, at=bounds.each[0]).markdown


@pytest.mark.parametrize(
    ("statuses", "gone"),
    [
        ((200,), None),
        ((200, 404), 1),
        ((200, 404, 410), 1),
        ((200, 404, 200), None),
        ((200, 404, 200, 404), 3),
        ((200, 500), None),
    ],
)
def test_a_page_is_gone_since_the_first_of_its_last_looks_that_say_so(world, statuses, gone):
    for number, status in enumerate(statuses):
        run = f"{number}".rjust(64, "a")
        world.begin(run, number)
        world.see(run, PAGE, number, html(f"{number}"), status=status)
    found = world.reader.ask(page_as_of, url=PAGE)
    assert found.gone_since == (None if gone is None else day(gone))
    assert found.seen_at == day(len(statuses) - 1)
    assert found.record.status == 200
