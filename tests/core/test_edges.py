"""Rules at their edges, where a small fault lived: each test notices a mutant that no other did."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import content_hash, url_key
from holdfast.core.crawl.making import is_to_move
from holdfast.core.crawl.state import CrawlProgress
from holdfast.core.findings.report import ReportFinding
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.lineage.chapters import ChapterLines, parts_of
from holdfast.core.lineage.versions import PageVersion, choose
from holdfast.core.links.after_look import look
from holdfast.core.links.citation import CitedPlace, KeptEvidence
from holdfast.core.links.evidence import SeenContent, Sighting, reason_of, sight
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.link_state import LinkState, Looks, Standing, standing_of
from holdfast.core.links.local_links import LocalOptions, LocalTarget, judge
from holdfast.core.links.project import ProjectLabels
from holdfast.core.page.corpus import ExportedPage, ExportRecord, RecordChange, in_parts
from holdfast.core.settings.field import coerce, rows_of
from holdfast.core.settings.groups import FetchPace
from holdfast.core.settings.job_settings import CheckAsking, MirrorSettings
from holdfast.core.settings.origins import read_origin_rules
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.paths import MAX_PATH_BYTES, full_name_of, name_of
from holdfast.core.url.policy import DOCS, SITE, WEB, Recipe, policy
from holdfast.core.url.scope import matches
from holdfast.core.url.steps import HostOverride
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture, Failed, Failure, Fetched, Hop, Trail

NOW = datetime(2026, 11, 16, tzinfo=UTC)
URL = "https://docs.example/a"
NODE = CitedPlace(Place(URL, url_key(URL), url_key(URL)), "b", LinkState.UNCHECKED, URL)


def seen(text, **sections):
    return SeenContent(content_hash(text), "r", sections=sections)


def answered(status=200, seen=None):
    return Sighting(LinkState.OK, KeptEvidence("answered", status), seen=seen)


@pytest.mark.spec("TRK-5")
def test_a_304_is_a_second_look_at_what_was_doubted():
    first = look(NODE, answered(seen=seen("one", part="1")), NOW).node
    doubted = look(first, answered(seen=seen("two", part="2")), NOW).node
    assert (doubted.content_sha256, doubted.notes.doubted_sections) == (content_hash("one"), {"part": "2"})
    confirmed = look(doubted, answered(304), NOW).node
    assert (confirmed.content_sha256, confirmed.notes.sections) == (content_hash("two"), {"part": "2"})


@pytest.mark.spec("TRK-5")
def test_a_look_that_reads_nothing_keeps_the_doubt():
    first = look(NODE, answered(seen=seen("one", part="1")), NOW).node
    doubted = look(first, answered(seen=seen("two", part="2")), NOW).node
    glanced = look(doubted, answered(), NOW).node
    assert glanced.notes.doubted_sections == {"part": "2"}


def test_the_header_that_decided_is_kept():
    asked = parse_url(URL)
    limited = Capture(asked, asked, 429, (("Retry-After", "60"),), b"", NOW)
    kept = look(NODE, sight(Fetched(limited)), NOW).node.notes.evidence
    assert kept.header == "retry-after: 60"
    assert look(NODE, answered(), NOW).node.notes.evidence.header == ""


@pytest.mark.spec("SEC-3")
def test_what_a_look_found_has_no_secrets_of_addresses():
    secret, there = parse_url(f"{URL}?access_token=SECRET"), parse_url(URL)
    hop = Hop(secret, 301, there, (), b"")
    found = sight(Failed(Failure.DNS, "no such host", transient=False, trail=Trail((hop,))))
    ((asked, status, led_to),) = found.evidence.hops
    assert (status, led_to) == (301, URL)
    assert "SECRET" not in asked


@pytest.mark.parametrize("looks", [Looks(9, None, NOW), Looks(9, NOW - timedelta(days=99), None)])
def test_failures_without_a_first_or_a_last_day_are_not_confirmed(looks):
    assert standing_of(LinkState.TIMEOUT, looks) is not Standing.DEAD


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ("unable to get local issuer certificate", "signed by nobody known"),
        ("wrong version", "TLS failed"),
    ],
)
def test_a_certificate_of_an_unknown_issuer_is_told_from_other_trouble(detail, words):
    sighting = sight(Failed(Failure.TLS, detail, transient=False))
    assert words in reason_of(sighting.state, sighting.evidence)


def test_equal_beginnings_of_parts_are_numbered():
    page = ExportedPage("https://x/", "k", "P", None, NOW, "i", "c")
    markdown = "\n\n".join(["The same words again and again."] * 3)
    record = ExportRecord(page, RecordChange.NEW, "a", ("P",), None, "prose", "c", markdown, markdown)
    first, second, third = (part.part for part in in_parts(record, 8))
    assert (second, third) == (f"{first}-2", f"{first}-3")


@pytest.mark.spec("EXP-1")
def test_a_part_may_begin_from_half_of_its_size_on():
    page = ExportedPage("https://x/", "k", "P", None, NOW, "i", "c")
    texts = (f"A paragraph of {number:04}." for number in range(100))
    second = next(text for text in texts if int(sha256(text.encode()).hexdigest()[-4:], 16) % 4 == 0)
    for first, together in (("x" * 40, False), ("x" * 36, True)):
        markdown = f"{first}\n\n{second}\n\n{'y' * 32}"
        record = ExportRecord(page, RecordChange.NEW, "a", ("P",), None, "prose", "c", markdown, markdown)
        begun = next(in_parts(record, 20))
        assert (second in begun.markdown) is together


@pytest.mark.parametrize(("glob", "path"), [("/a*b", "/ab"), ("/a*b*c", "/abc"), ("*", "/")])
def test_a_star_may_stand_for_nothing(glob, path):
    assert matches(glob, parse_url(f"https://e.org{path}"))
    assert not matches("/ab*ba", parse_url("https://e.org/aba"))


def test_a_finding_about_a_whole_file_is_about_its_first_line():
    assert ReportFinding(RuleCode.NOT_FOUND, "a.md", "", "https://e.org/").lines == (1,)


def test_a_document_by_its_name_leads_to_its_file():
    tree = FileTree(["conf.py", "a/one.rst", "a/two.rst"], [])
    assert judge("a/one.rst", ":doc:two", tree, LocalOptions()) == LocalTarget("a/two.rst")
    assert judge("a/one.rst", ":doc:py:two", tree, LocalOptions()) is None


def test_an_origin_may_have_no_pause():
    [rule] = read_origin_rules({"https://e.org": {"content_rate_limit": 0}})
    assert rule.content_rate_limit == 0


@pytest.mark.spec("ID-7")
def test_a_name_with_the_whole_key_may_be_as_long_as_a_path_may():
    def length(segments, last):
        url = "https://e.org/" + f"{'a' * 99}/" * segments + "b" * last + "?q=1"
        return len(full_name_of(canonicalize(url, WEB), Layout.TREE, "https").path.encode())

    lengths = [length(9, last) for last in range(1, 60)]
    assert max(lengths) == MAX_PATH_BYTES


@pytest.mark.spec("ID-3")
def test_a_host_in_brackets_has_its_own_ways():
    policy = SITE.with_options(overrides=(HostOverride("[::1]", drop_query_params=frozenset({"x"})),))
    assert canonicalize("http://[::1]/?x=1&y=2", policy).text == "http://[::1]/?y=2"
    assert canonicalize("http://[::1]:8080/?x=1", policy).text == "http://[::1]:8080/"


@pytest.mark.spec("ID-3")
def test_a_kept_tracker_brings_no_other_back():
    policy = SITE.with_options(
        overrides=(HostOverride("e.org", keep_query_params=frozenset({"utm_source"})),)
    )
    url = "https://e.org/?utm_source=a&utm_medium=b&c=d"
    assert canonicalize(url, policy).text == "https://e.org/?utm_source=a&c=d"


@pytest.mark.spec("ID-7")
@pytest.mark.parametrize(("path", "hashed"), [("a", False), ("a/b.html", False), ("a?b=1", True)])
def test_a_plain_name_holds_no_hash(path, hashed):
    for layout in (Layout.TREE, Layout.FLAT):
        assert name_of(canonicalize(f"https://e.org/{path}", WEB), layout, "https").hashed is hashed


def test_a_setting_that_is_a_text_is_not_a_number():
    with pytest.raises(ValueError, match="expected a text"):
        coerce(5, "text", (), None)


@pytest.mark.spec("STA-7")
def test_the_parts_of_a_chapter_count_from_one():
    lines = [ChapterLines("page", ("name",), ['["a"]', '["b"]', '["c"]'])]
    parts = list(parts_of("run r", lines, most=1))
    assert [(part.number, part.is_last) for part in parts] == [(1, False), (2, False), (3, True)]


@pytest.mark.spec("VER-2")
def test_a_mirror_is_not_moved_to_what_it_has():
    old, new = (Recipe.parse(f"http_snapshot_{url}_v1_text_v1") for url in ("url", "siteurl"))
    assert is_to_move(old, new, str(old))
    assert not is_to_move(new, new, str(old)), "the folder alone has to follow"
    with pytest.raises(UsageError, match="already"):
        is_to_move(new, new, str(new))


@pytest.mark.spec("ID-12")
def test_a_policy_that_drops_more_does_not_tell_the_forms_of_another():
    assert SITE.keeps_what(WEB)
    assert not policy("site", 2).keeps_what(WEB), "it drops more trackers"
    assert not DOCS.keeps_what(WEB), "it allows some keys only"


@pytest.mark.parametrize("name", ["content_rate_limit", "max_wait", "max_wait_sum", "max_slowdowns"])
def test_a_host_may_be_given_no_time_at_all(name):
    row = next(row.metadata for row in rows_of(FetchPace) if row.name == name)
    assert coerce("0", row["kind"], row["choices"], row["least"]) == 0
    with pytest.raises(ValueError, match="at least 0"):
        coerce("-1", row["kind"], row["choices"], row["least"])


@pytest.mark.spec("TRK-1")
def test_nobody_is_asked_and_nothing_is_deleted_unless_somebody_says_so():
    assert CheckAsking().fetch_external_urls is False
    assert (MirrorSettings().update, MirrorSettings().delete_gone) == (False, False)


def test_a_label_of_other_projects_is_not_certainly_wrong():
    known = frozenset({"set-up"})
    assert [ProjectLabels(known).lacks(label) for label in ("Set-Up", "search", "py:set", "nope")] == [
        False, False, False, True,
    ]  # fmt: skip
    assert not ProjectLabels(known, is_open=True).lacks("nope")


@pytest.mark.spec("LIN-2")
def test_of_the_versions_that_a_run_saw_the_last_is_meant():
    first, second, third = (
        PageVersion(number, None, None, NOW, NOW, runs)
        for number, runs in ((1, ("run-a",)), (2, ("run-a", "run-b")), (3, ("run-c",)))
    )
    assert choose((first, second, third), "run-a") is second
    assert choose((first, second, third), "run-") is third


def test_a_crawl_begins_with_nothing_done():
    at = CrawlProgress()
    assert (at.position, at.total, at.processed, at.started, at.fresh) == (0, 0, 0, 0, 0)
