"""Small rules that only tests far away would have missed: each was broken by a mutant that lived."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.core.base.errors import ConfigError, UsageError
from holdfast.core.base.hashing import content_hash, url_key
from holdfast.core.base.shown_text import harmless, harmless_json, without_userinfo
from holdfast.core.crawl.consequences import consequence
from holdfast.core.crawl.decision import MakePage
from holdfast.core.crawl.harvest import Harvest, PageContent, Result
from holdfast.core.crawl.state import CrawlState, TrapMemory
from holdfast.core.events.happenings import run_event
from holdfast.core.findings.cited_findings import KnownUrl, came_and_went, link_findings
from holdfast.core.findings.report import ReportFinding
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.lineage.ledger_values import FrontierEntry
from holdfast.core.lineage.lineage import Job, Run, RunRecord, RunStatus
from holdfast.core.links.after_look import ToldState, look, with_told
from holdfast.core.links.citation import Backlink, CitedPlace, KeptEvidence
from holdfast.core.links.citing import place_of_text, web_key_of
from holdfast.core.links.evidence import SeenContent, Sighting
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.distill_options import distill_options
from holdfast.core.page.fragment import generated_ids
from holdfast.core.page.section import KeptSection, SectionChange, moves_between
from holdfast.core.settings.origins import statuses
from holdfast.core.settings.receivers import read_target
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.paths import full_name_of, name_of, url_of_name
from holdfast.core.url.policy import WEB, Recipe
from holdfast.core.url.traps import Tally, Trap, Traps, pattern_of
from holdfast.core.url.url import Place, Refused, parse_url
from holdfast.core.web.capture import Capture, Fetched
from holdfast.core.web.robots import MetaRobots, meta_robots
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.sync.acting import StartedRun
from holdfast.jobs.upkeep.restore_row import Rebuilt
from holdfast.questions.url_forms import CanonAnswer
from storage.ledger.test_citations import cites

NOW = datetime(2026, 11, 16, tzinfo=UTC)
LONG = "x" * 300


def place(name):
    url = f"https://docs.example/{name}"
    return Place(url, url_key(url), url_key(url))


@pytest.mark.spec("ID-7")
@pytest.mark.parametrize(
    "url", ["http://e.org:8080/a/b", "https://e.org/a/", "https://e.org/", "http://e.org/x"]
)
def test_a_name_gives_back_its_url_whatever_its_scheme(url):
    canonical = canonicalize(url, WEB)
    for usual in ("http", "https"):
        name = name_of(canonical, Layout.TREE, usual)
        assert url_of_name(name.path, Layout.TREE, usual) == canonical.text


@pytest.mark.spec("ID-7")
def test_a_name_says_whether_it_holds_a_hash():
    cut = name_of(canonicalize(f"https://e.org/{LONG}?a=1", WEB), Layout.TREE, "https")
    assert cut.hashed
    for url in ("https://e.org/a?b=1", f"https://e.org/{LONG}?a=1"):
        assert not full_name_of(canonicalize(url, WEB), Layout.TREE, "https").hashed


@pytest.mark.parametrize(
    ("value", "wishes"),
    [
        ("noindex", MetaRobots(noindex=True)),
        ("nofollow", MetaRobots(nofollow=True)),
        ("none", MetaRobots(noindex=True, nofollow=True)),
        ("noarchive", MetaRobots()),
    ],
)
def test_wishes_in_a_field_are_told_apart(value, wishes):
    assert meta_robots((("X-Robots-Tag", value),)) == wishes


@pytest.mark.parametrize("content", ["full", "main"])
def test_the_whole_page_is_converted_only_where_that_is_asked_for(tmp_path, content):
    settings = load_settings(tmp_path, flags={"content": content}, environment={})
    assert distill_options(settings).full is (content == "full")


@pytest.mark.spec("MIR-1")
def test_half_of_the_pages_of_a_pattern_have_to_be_alike():
    url = parse_url("https://e.org/list?page=9")
    for alike, trap in ((24, None), (25, Trap.SIMILAR)):
        traps = Traps(tallies={pattern_of(url): Tally(pages=60, compared=50, alike=alike)})
        assert traps.refusal(url) is trap


def test_a_finding_that_is_there_twice_went_once():
    one = ReportFinding(RuleCode.NOT_FOUND, "a.md", "", "https://e.org/")
    assert came_and_went([one], [one, one, one]) == ((one, one), ())
    assert came_and_went([one, one], [one]) == ((), (one,))


@pytest.mark.spec("SCT-2")
def test_a_section_that_is_not_there_any_more_is_gone():
    kept = [KeptSection(name, (name,), None, "prose", name) for name in "ab"]
    moves = moves_between(place("p"), kept, kept[:1])
    assert [(move.change, move.section.anchor) for move in moves] == [(SectionChange.GONE, "b")]


@pytest.mark.spec("SEC-7")
def test_control_characters_are_named_by_their_numbers():
    assert harmless("\x1b[2J\x9b\u202e") == "\\x1b[2J\\x9b\\u202e"
    assert harmless_json("\u202e") == "\\u202e"


@pytest.mark.spec("SEC-3")
def test_words_lose_the_passwords_of_their_addresses():
    assert "PASS" not in without_userinfo("see https://u:PASS@e.org/ there")
    assert without_userinfo("nobody at all") == "nobody at all"


def test_sections_are_on_record_with_their_content():
    node = CitedPlace(place("a"), "b", LinkState.UNCHECKED, place("a").url)
    seen = SeenContent(content_hash("text"), "r", sections={"part": "h"})
    sighting = Sighting(LinkState.OK, KeptEvidence("answered", 200), seen=seen)
    first = look(node, sighting, NOW).node
    assert first.notes.sections == {"part": "h"}
    other = SeenContent(content_hash("other"), "r", sections={"part": "i"})
    assert look(first, sighting._replace(seen=other), NOW, eager=True).node.notes.sections == {"part": "i"}


def test_a_url_without_a_canonical_form_is_explained_by_its_refusal():
    refused = canonicalize("https://", WEB)
    assert isinstance(refused, Refused)
    answer = CanonAnswer("https://", None, refused)
    assert (answer.refused, answer.explained) == (refused, None)
    with pytest.raises(UsageError):
        web_key_of("https://", WEB)


@pytest.mark.spec("MIR-1")
def test_only_pages_that_links_led_to_are_counted_by_the_trap_rules():
    url = parse_url(place("list?page=1").url)
    page = MakePage(
        Capture(url, url, 200, (), b"", NOW), Harvest(place("list?page=1"), (), content=PageContent())
    )
    for listed in (True, False):
        state = CrawlState(None, TrapMemory(Traps()))
        entry = FrontierEntry(place("list?page=1"), url.href, 1, 0, 0, listed=listed)
        state.take(entry, consequence(entry, page, Result(Fetched(page.capture))))
        assert bool(state.memory.last_of_pattern) is not listed


@pytest.mark.spec("MIR-11")
def test_a_run_is_quiet_where_all_that_was_looked_at_was_kept():
    state = CrawlState(None, TrapMemory(Traps()))
    state.progress.fresh = state.counts.kept = 3
    assert state.is_quiet
    state.progress.fresh = 4
    assert not state.is_quiet


def test_a_failed_run_is_told_with_the_time_at_which_it_ended():
    run = Run("r", Job.MIRROR, Recipe.parse("http_snapshot_url_v1_text_v1"), "d", NOW, "docs")
    ended, moved = NOW + timedelta(1), NOW + timedelta(2)
    assert run_event(RunRecord(run, RunStatus.FAILED, moved, ended), None).at == ended
    assert run_event(RunRecord(run, RunStatus.FAILED, moved), None).at == moved


def test_only_what_has_an_authority_can_be_cited():
    assert place_of_text("ftp://e.org/x", WEB).url == "ftp://e.org/x"
    assert place_of_text("mailto:somebody", WEB) is None


def test_a_status_has_three_digits():
    assert statuses(["999"]) == {999}
    with pytest.raises(ConfigError):
        statuses(["1000"])


def test_a_page_that_was_only_told_of_was_not_read():
    node = CitedPlace(place("a"), "b", LinkState.UNCHECKED, place("a").url)
    for status, unread in ((200, True), (404, False)):
        assert with_told(node, ToldState(place("a").url, status, NOW)).notes.evidence.unread is unread


def test_what_has_begun_has_done_nothing_yet():
    assert StartedRun(1, "a", "mirror", NOW).state == "running"
    assert (Rebuilt().pages, Rebuilt().written, Rebuilt().kept) == (0, 0, 0)


def test_ids_of_equal_headings_are_numbered():
    first, second = generated_ids(["A b", "A b"])
    assert "a-b" in first
    assert "a-b-1" in second


@pytest.mark.parametrize("drift", [True, "half", 1.5])
def test_a_drift_is_a_number(drift):
    with pytest.raises(ConfigError):
        read_target("n", {"webhook": "https://e.org/", "drift": drift})


@pytest.mark.spec("TRK-9")
def test_that_nobody_asked_is_told_only_where_that_is_wished():
    cited = Backlink("a.md", cites(place("a")))
    for state, told, wished in (
        (LinkState.UNCHECKED, 0, 1),
        (LinkState.OK, 0, 0),
        (LinkState.NOT_FOUND, 1, 1),
    ):
        known = KnownUrl(CitedPlace(place("a"), "b", state, place("a").url), Standing.UNKNOWN)
        assert len(list(link_findings(cited, known, WEB))) == told
        assert len(list(link_findings(cited, known, WEB, unchecked=True))) == wished
