"""A moment, a limit and a unit mean in the library what they mean to a command; a wrong one is named."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

import holdfast as library
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("LIB-1")


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """A mirror and a document that cites it, in one store; the cited page changed."""
    root = tmp_path_factory.mktemp("moments")
    (root / "holdfast.toml").write_text("")
    settings = {"content_rate_limit": 0, "processes": 1, "store": str(root / ".holdfast")}
    with LivingSite() as site:
        (root / "notes.md").write_text(f"See <{site.origin}/page>.\n")
        for words in ("First words", "Second words"):
            site.put("/page", words)
            library.mirror(site.origin + "/", output=root / "mirror", update=True, **settings)
            library.check(
                root / "notes.md",
                fetch_urls=True,
                force_refetch=True,
                eager=True,
                allow_private=True,
                **settings,
            )
        origin = site.origin
    return root, f"{origin}/page"


@pytest.fixture
def state(past):
    return str(past[0] / ".holdfast")


@pytest.fixture
def day(state):
    """The day on which the first run was."""
    return library.runs(limit=None, store=state).parts[0].value.runs[-1].run.started_at.date().isoformat()


def asked(holdfast, *words):
    return json.loads(holdfast(*words, "--json").out)


def test_what_changed_since_a_day_is_what_changed_from_its_start(past, state, day, holdfast):
    mirror = past[0] / "mirror"
    changes = library.log(mirror, since=day, store=state)
    assert {change.kind for change in changes.parts[0].value.changes} == {"new", "changed"}
    assert library.to_json(changes) == asked(holdfast, "log", mirror, "--since", day, "--store", state)
    changed = library.changed(since=day, store=state)
    assert len(changed.changes) == 1
    assert library.to_json(changed) == asked(holdfast, "changed", "--since", day, "--store", state)


def test_what_is_asked_for_as_of_a_day_is_as_it_was_at_its_end(past, state, day):
    then, now = library.show(past[1], at=day, store=state), library.show(past[1], store=state)
    assert then.parts[0].value.page.record.fetched_at == now.parts[0].value.page.record.fetched_at


def test_a_moment_without_a_zone_is_of_utc(past, state):
    now = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=2)
    long_ago = datetime(2001, 1, 1)  # noqa: DTZ001 - what is asked about
    assert "Second" in library.show(past[1], at=now, store=state).parts[0].value.page.markdown
    assert library.log(past[0] / "mirror", since=long_ago, store=state).parts[0].value.changes
    assert library.changed(since=long_ago, store=state).changes
    assert library.search("second", at=now, store=state).hits


@pytest.mark.parametrize(
    "ask",
    [
        lambda past, **state: library.show(past[1], at="last week", **state),
        lambda _past, **state: library.search("words", at="last week", **state),
        lambda past, **state: library.log(past[0] / "mirror", since="last week", **state),
        lambda _past, **state: library.changed(since="last week", **state),
    ],
)
def test_what_is_no_date_is_refused(past, state, ask):
    with pytest.raises(library.UsageError, match=r"'last week' is (no moment|not a date)"):
        ask(past, store=state)


def test_fewer_rows_than_none_are_refused(past, state, holdfast):
    with pytest.raises(library.UsageError, match="-1 is not a number of rows"):
        library.runs(limit=-1, store=state)
    with pytest.raises(library.UsageError, match="-1 is not a number of rows"):
        library.log(past[0] / "mirror", limit=-1, store=state)
    ran = holdfast("log", "--runs", "--limit", "-1", "--store", state)
    assert (ran.status, "'-1' is not a whole number" in ran.err) == (2, True)


def test_what_is_no_unit_of_an_export_is_refused(past, state):
    with pytest.raises(library.UsageError, match="'word' is not a unit"):
        next(library.export(past[0] / "mirror", unit="word", store=state))
