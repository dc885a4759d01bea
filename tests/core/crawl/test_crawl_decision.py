"""The crawl's table, row by row: what is known of a result and beside it, and what follows."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from holdfast.core.base.hashing import content_hash, url_key
from holdfast.core.crawl.consequences import consequence, in_final_pass, note_of_page
from holdfast.core.crawl.decision import (
    ConfirmPage,
    Context,
    Decision,
    Fail,
    FollowRefresh,
    JoinCanonical,
    JoinTwin,
    LeaveAlone,
    MakePage,
    Manner,
    NameKnown,
    NothingLeft,
    Refuse,
    Skip,
    TryLater,
    TryNext,
    WaitForCanonical,
    canonical_to_check,
    decide,
)
from holdfast.core.crawl.duplicates import CanonicalMode, KnownContent, KnownPageState
from holdfast.core.crawl.harvest import Harvest, LeftAlone, PageContent, Pointer, Result, Unreadable
from holdfast.core.crawl.mirror_spec import OnError
from holdfast.core.crawl.state import CrawlCounts
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import AliasReason, EntryState, FrontierEntry
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    Hop,
    NotModified,
    RedirectedAway,
    TimedOut,
    Trail,
)

pytestmark = pytest.mark.spec("MIR-12")

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SRC = Path(__file__).parents[3] / "src" / "holdfast"


def place(name):
    url = f"https://docs.example/{name}"
    return Place(url, url_key(url), url_key(url))


def pointer(name, refusal=None):
    return Pointer(place(name), place(name).url, refusal)


def harvest(name="a", **given):
    content = PageContent(title="T", content_sha256=content_hash("text"))
    return Harvest(place(name), (), content=content, **given)


URL = parse_url(place("a").url)
ENTRY = FrontierEntry(place("a"), place("a").url, 1, 0, 7)
CAPTURE = Capture(URL, URL, 200, (), b"<p>text</p>", NOW)
ABORT, RETRY = Manner(on_error=OnError.ABORT), Manner(on_error=OnError.RETRY)
TRUST, IGNORE = Manner(CanonicalMode.TRUST), Manner(CanonicalMode.IGNORE)
KEPT = LeftAlone(EntryState.UNCHANGED, EntryNote("lastmod"))
SHAKY = Failed(Failure.STATUS, "status 503", transient=True)
BROKEN = Failed(Failure.DNS, "no such host", transient=False)
LATER = Deferred(NOW, "come back")


def fetched(made=None, **given):
    return Result(Fetched(CAPTURE), made or harvest(), **given)


def canonical(known, content="text", names=None):
    stands = KnownPageState(known, place("c").url, content_hash(content), names)
    return Context(canonical=stands)


NAMES_C = harvest(canonical=pointer("c"))

TABLE = [
    (fetched(), Context(is_settled=True), Manner(), NothingLeft()),
    (fetched(), Context(trap="trap: too deep"), Manner(), Refuse("trap: too deep", "trap: too deep")),
    (Result(None), Context(), Manner(), LeaveAlone(None)),
    (Result(None, kept=KEPT), Context(), Manner(), LeaveAlone(KEPT)),
    (fetched(), Context(), Manner(), MakePage(CAPTURE, harvest())),
    (fetched(), Context(alike=True), Manner(), MakePage(CAPTURE, harvest(), alike=True)),
    (fetched(harvest("b")), Context(), Manner(), MakePage(CAPTURE, harvest("b"))),
    (fetched(harvest("b")), Context(is_done=True), Manner(), NameKnown(CAPTURE, harvest("b"))),
    (
        fetched(harvest(refresh=pointer("d"))),
        Context(),
        Manner(),
        FollowRefresh(CAPTURE, harvest(refresh=pointer("d")), pointer("d")),
    ),
    (
        fetched(harvest(refresh=pointer("d", "host"))),
        Context(),
        Manner(),
        Refuse("redirected out of scope", "refreshes to https://docs.example/d"),
    ),
    (
        fetched(harvest(refresh=pointer("a"))),
        Context(),
        Manner(),
        MakePage(CAPTURE, harvest(refresh=pointer("a"))),
    ),
    (
        fetched(harvest(skip="noindex")),
        Context(),
        Manner(),
        Skip(CAPTURE, harvest(skip="noindex"), "noindex"),
    ),
    (
        fetched(NAMES_C),
        canonical(KnownContent.PENDING),
        Manner(),
        WaitForCanonical(CAPTURE, NAMES_C, "names https://docs.example/c as canonical"),
    ),
    (
        fetched(NAMES_C),
        canonical(KnownContent.FETCHED),
        Manner(),
        JoinCanonical(CAPTURE, NAMES_C, pointer("c"), "names https://docs.example/c as canonical"),
    ),
    (
        fetched(NAMES_C),
        replace(canonical(KnownContent.FETCHED, "other"), same_text=True),
        Manner(),
        JoinCanonical(CAPTURE, NAMES_C, pointer("c"), "names https://docs.example/c as canonical"),
    ),
    (
        fetched(NAMES_C),
        replace(canonical(KnownContent.FETCHED, "other"), same_text=False),
        Manner(),
        MakePage(
            CAPTURE,
            NAMES_C,
            "names https://docs.example/c as canonical, but they are not the same",
            disagrees=True,
        ),
    ),
    (
        fetched(NAMES_C),
        canonical(KnownContent.FETCHED, "other"),
        TRUST,
        JoinCanonical(CAPTURE, NAMES_C, pointer("c"), "names https://docs.example/c as canonical"),
    ),
    (
        fetched(NAMES_C),
        canonical(KnownContent.FETCHED),
        IGNORE,
        MakePage(CAPTURE, NAMES_C, "names https://docs.example/c as canonical"),
    ),
    (fetched(harvest()), Context(twin=place("c")), Manner(), JoinTwin(CAPTURE, harvest(), place("c"))),
    (Result(NotModified(CAPTURE)), Context(), Manner(), ConfirmPage(CAPTURE)),
    (
        Result(RedirectedAway(URL, Trail())),
        Context(),
        Manner(),
        Refuse("redirected out of scope", "redirects to https://docs.example/a"),
    ),
    (Result(Denied(Denial.ROBOTS, "Disallow: /")), Context(), Manner(), Refuse("robots", "Disallow: /")),
    (Result(LATER), Context(), Manner(), TryLater(EntryNote("come back", until=NOW, final=True))),
    (
        Result(LATER, final=True),
        Context(),
        Manner(),
        Fail(LATER, "put off until 2026-11-16 00:00:00 UTC: come back"),
    ),
    (Result(SHAKY), Context(next_address="https://docs.example/A"), RETRY, TryNext("https://docs.example/A")),
    (
        Result(SHAKY),
        Context(),
        RETRY,
        TryLater(EntryNote("to be tried again: failed (status): status 503", final=True)),
    ),
    (Result(SHAKY, final=True), Context(), RETRY, Fail(SHAKY, "failed (status): status 503")),
    (Result(SHAKY), Context(), Manner(), Fail(SHAKY, "failed (status): status 503")),
    (Result(BROKEN), Context(), RETRY, Fail(BROKEN, "failed (dns): no such host")),
    (Result(BROKEN), Context(), ABORT, Fail(BROKEN, "failed (dns): no such host", ends_run=True)),
    (Result(Gone(CAPTURE)), Context(), Manner(), Fail(Gone(CAPTURE), "200")),
    (
        Result(TimedOut("total", "60 s")),
        Context(),
        RETRY,
        TryLater(EntryNote("to be tried again: timed out (total): 60 s", final=True)),
    ),
    (
        Result(Fetched(CAPTURE), Unreadable("the worker died")),
        Context(),
        Manner(),
        Fail(Fetched(CAPTURE), "cannot be converted: the worker died"),
    ),
]


@pytest.mark.parametrize(("result", "known", "manner", "decision"), TABLE)
def test_each_row_of_the_table_decides_as_it_says(result, known, manner, decision):
    assert decide(ENTRY, result, known, manner) == decision


def test_every_decision_stands_in_the_table():
    assert {type(row[3]) for row in TABLE} == set(get_args(Decision))


def test_every_decision_that_ends_an_entry_is_counted_once_under_its_word():
    for result, _, _, decision in TABLE:
        counts, follows = CrawlCounts(), consequence(ENTRY, decision, result)
        counts.take(ENTRY, follows)
        counted = {word: n for word, n in counts.outcomes.items() if n and word != "canonical disagreement"}
        goes_on = isinstance(decision, (NothingLeft, TryNext, TryLater, WaitForCanonical))
        assert counted == ({} if goes_on else {follows.word: 1})


def test_variants_of_a_decision_are_told_apart_in_one_file():
    """`TryNext` goes back to the window of the crawl, which asks for the other address."""
    variants = {each.__name__ for each in get_args(Decision)} - {"TryNext"}
    told_apart = {}
    for path in SRC.rglob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom) and node.module == "holdfast.core.crawl.decision"
            for alias in node.names
        }
        if variants & names:
            told_apart[path.relative_to(SRC).as_posix()] = variants & names
    assert told_apart == {"core/crawl/consequences.py": variants}


@pytest.mark.spec("SEC-6")
def test_every_answer_that_was_read_whole_is_kept():
    for result, _, _, decision in TABLE:
        whole = isinstance(result.outcome, (Fetched, NotModified, Gone))
        dropped = isinstance(decision, (NothingLeft, Refuse, NameKnown, LeaveAlone, TryLater, TryNext))
        assert (consequence(ENTRY, decision, result).response is not None) == (whole and not dropped)


@pytest.mark.spec("STA-7")
def test_a_redirect_that_led_to_nothing_new_is_kept_as_an_answer():
    hop = Hop(URL, 301, parse_url(place("b").url), (("Location", "/b"),), b"moved")
    way = replace(CAPTURE, final=hop.location, hops=(hop,))
    known = consequence(ENTRY, NameKnown(way, harvest("b")), fetched(harvest("b"))).response
    assert (known.place, known.capture.final, known.capture.status) == (ENTRY.place, URL, 301)
    assert (known.capture.headers, known.capture.body, known.capture.hops) == (hop.headers, b"moved", ())
    there = fetched(ref=RecordRef("f", 0, 9))
    assert consequence(ENTRY, NameKnown(way, harvest("b")), there).response is None
    trail = Trail((hop,), dead_end=way.last_redirect)
    away, late = RedirectedAway(hop.location, trail), TimedOut("total", "x", trail)
    for outcome, decision in (
        (away, Refuse("away", "x")),
        (Denied(Denial.ROBOTS, "x", trail), Refuse("robots", "x")),
        (late, Fail(late, "x")),
    ):
        assert consequence(ENTRY, decision, Result(outcome)).response.capture == trail.dead_end


def test_the_canonical_is_asked_for_only_where_it_decides():
    assert canonical_to_check(ENTRY, NAMES_C) == pointer("c")
    assert canonical_to_check(ENTRY, harvest(canonical=pointer("a"))) is None
    assert canonical_to_check(ENTRY, harvest(canonical=pointer("c", "host"))) is None
    assert canonical_to_check(ENTRY, harvest(canonical=pointer("c"), skip="noindex")) is None
    assert canonical_to_check(ENTRY, harvest(canonical=pointer("c"), refresh=pointer("d"))) is None


def following(decision, entry=ENTRY):
    return consequence(entry, decision, Result(None))


def test_a_redirect_ends_every_name_and_makes_the_final_one_known():
    made = replace(harvest("b"), hops=(place("hop"),))
    follows = following(MakePage(CAPTURE, made))
    told = follows.finding
    ends = {end.key: end.state for end in told.closed}

    assert ends == {
        place("a").key: EntryState.ALIAS,
        place("hop").key: EntryState.ALIAS,
        place("b").key: EntryState.PAGE,
    }
    assert [alias.reason for alias in told.aliases] == [AliasReason.REDIRECT] * 2
    assert {entry.place.key for entry in told.discovered} == {place("b").key, place("hop").key}
    assert follows.processed == tuple(place(n).url for n in ("a", "b", "hop"))


def test_names_of_a_duplicate_are_names_of_what_it_names():
    joined = JoinCanonical(CAPTURE, harvest("b", canonical=pointer("c")), pointer("c"), "why")

    assert [(alias.place, alias.target) for alias in following(joined).finding.aliases] == [
        (place("b"), place("c")),
        (place("a"), place("c")),
    ]


@pytest.mark.parametrize(
    ("decision", "state", "lines"),
    [
        (ConfirmPage(CAPTURE), EntryState.UNCHANGED, 1),
        (LeaveAlone(KEPT), EntryState.UNCHANGED, 1),
        (LeaveAlone(None), EntryState.UNCHANGED, 0),
        (NameKnown(CAPTURE, harvest("b")), EntryState.ALIAS, 1),
        (TryLater(EntryNote("x")), EntryState.DEFERRED, 0),
        (WaitForCanonical(CAPTURE, NAMES_C, "x"), EntryState.DEFERRED, 0),
        (Refuse("robots", "x"), EntryState.REFUSED, 0),
        (Fail(BROKEN, "x"), EntryState.FAILED, 0),
        (Skip(CAPTURE, harvest(skip="x"), "x"), EntryState.SKIPPED, 1),
    ],
)
def test_what_ends_an_entry_is_told_to_the_ledger_and_only_what_stands_to_the_checkpoint(
    decision, state, lines
):
    follows = following(decision)
    assert [end.state for end in follows.finding.closed] == [state]
    assert len(follows.processed) == lines


def test_a_page_notes_what_it_names_unless_that_is_itself():
    assert note_of_page(ENTRY, MakePage(CAPTURE, NAMES_C)) == EntryNote(names=place("c").url)
    assert note_of_page(ENTRY, MakePage(CAPTURE, harvest(canonical=pointer("a")))) == EntryNote()


def test_what_ended_in_the_final_pass_belongs_there_again():
    entry = replace(ENTRY, note=EntryNote(waiting=place("a").key, final=True))
    (end,) = in_final_pass(following(MakePage(CAPTURE, harvest()), entry).finding.closed, entry)

    assert end.note == EntryNote(waiting=place("a").key, final=True)


def test_an_answer_from_the_archive_is_not_archived_again():
    result = fetched(ref="there", final=True)

    follows = consequence(ENTRY, MakePage(CAPTURE, harvest()), result)
    assert follows.response == Response(CAPTURE, place("a"), "there")


@pytest.mark.parametrize(
    ("decision", "leads", "stands_for"),
    [
        (MakePage(CAPTURE, harvest("b")), harvest("b"), None),
        (Skip(CAPTURE, harvest("b"), "x"), harvest("b"), (place("b"), CAPTURE)),
        (WaitForCanonical(CAPTURE, NAMES_C, "x"), NAMES_C, None),
        (FollowRefresh(CAPTURE, harvest(), pointer("d")), pointer("d"), None),
        (ConfirmPage(CAPTURE), "stored", None),
        (LeaveAlone(None), "stored", None),
        (NameKnown(CAPTURE, harvest("b")), None, None),
        (Fail(BROKEN, "x"), None, (place("a"), None)),
    ],
)
def test_a_decision_says_whose_links_lead_on_and_for_what_a_placeholder_stands(decision, leads, stands_for):
    follows = following(decision)
    assert (follows.leads, follows.stands_for) == (leads, stands_for)
