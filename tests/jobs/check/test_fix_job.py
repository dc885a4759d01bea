"""Mending over a web by script: https where it answers the same, redirects at the second look."""

import asyncio
from datetime import timedelta
from types import SimpleNamespace

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock, MemoryFetcher, Reply
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.links.mendable import FixKind
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import WEB
from holdfast.core.web.pace import HostManner
from holdfast.jobs.check.asking_run import TrackRun
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.fix import Fixer
from holdfast.jobs.check.options import AskOptions, Pacing, TrackOptions, rules_of
from holdfast.questions.fixes import LedgerFacts

PAGE = Reply(b"<title>t</title><p>the same words</p>")
OTHER = Reply(b"<title>t</title><p>other words</p>")
DOCUMENT = (
    b"<http://same.example/a#s> <http://other.example/> <http://only-http.example/> <http://away.example/>\n"
    b"<http://moved.example/old> <http://same.example:8080/a>\n"
)
WORLD = {
    "http://same.example/a": PAGE,
    "https://same.example/a": PAGE,
    "http://same.example:8080/a": PAGE,
    "https://same.example:8080/a": PAGE,
    "http://other.example/": PAGE,
    "https://other.example/": OTHER,
    "http://only-http.example/": PAGE,
    "http://away.example/": PAGE,
    "https://away.example/": Reply(status=301, headers=(("Location", "https://elsewhere.example/"),)),
    "https://elsewhere.example/": PAGE,
    "http://moved.example/old": Reply(status=301, headers=(("Location", "https://moved.example/new"),)),
    "https://moved.example/new": PAGE,
}


@pytest.fixture
def world():
    """The documents, the ledger after one run of tracking, the web, and the clock."""
    clock, documents, ledger = MemoryClock(), MemoryDocuments({"a.md": DOCUMENT}), memory_ledger()
    web = MemoryFetcher(WORLD, clock)
    options = TrackOptions(
        asking=AskOptions(pacing=Pacing(manner=HostManner(0.0, adapts=False))), manifests=False
    )
    tracker = Tracker(documents, session_of(ledger, clock=clock), WEB_STANDARD, options)
    run = TrackRun(tracker, web)
    result = asyncio.run(run.run())
    asyncio.run(clock.sleep(60))
    return documents, tracker.session, web, clock, run, result


def mended(fixer, documents):
    paths = fixer.read()
    (fix,) = fixer.plan(paths)
    fixer.write([fix])
    return documents.read("a.md")


@pytest.mark.spec("TRK-9")
def test_with_consent_https_and_redirects_are_asked_and_only_the_same_is_written(world):
    documents, session, web, *_ = world
    before = web.requests.copy()
    fixer = Fixer(documents, session, LedgerFacts(session, WEB), [""])
    asked = asyncio.run(fixer.ask(fixer.read(), web, HostRules(skip=["only-http.example"])))

    asks = web.requests - before
    assert asked == 4
    assert set(asks) >= {"https://same.example/a", "https://other.example/", "http://moved.example/old"}
    assert "https://only-http.example/" not in asks
    assert "https://elsewhere.example/" not in asks
    assert mended(fixer, documents) == DOCUMENT.replace(
        b"http://same.example/a#s", b"https://same.example/a#s"
    ).replace(b"http://moved.example/old", b"https://moved.example/new")


def test_reserved_names_are_not_asked_for_repairs_either(world):
    documents, session, web, *_ = world
    fixer = Fixer(documents, session, LedgerFacts(session, WEB), [""])
    before = web.requests.copy()
    assert asyncio.run(fixer.ask(fixer.read(), web, rules_of(resolve()))) == 0
    assert web.requests == before


@pytest.mark.spec("TRK-14")
def test_a_public_archive_is_asked_whether_it_has_what_is_dead(world):
    documents, session, _, clock, _, _ = world
    wanted, long_ago = frozenset({FixKind.DEAD}), clock.now() - timedelta(days=9)
    buried = ("http://other.example/", "http://away.example/")

    def bury(ledger, _):
        looks = Looks(2, long_ago, clock.now())
        dead = {"state": LinkState.NOT_FOUND, "looks": looks, "content_sha256": None}
        nodes = [node for node in ledger.citations.places((LinkState.OK,)) if node.place.url in buried]
        ledger.citations.put_places([node._replace(**dead) for node in nodes])

    session.now(bury)
    copies = MemoryFetcher({"https://archive.example/http://other.example/": PAGE}, clock)
    fixer = Fixer(documents, session, LedgerFacts(session, WEB), [""], wanted)
    fixer.name_archive(fixer.read(), "https://archive.example/{url}")
    asyncio.run(fixer.ask(fixer.read(), copies, HostRules()))
    assert mended(fixer, documents) == DOCUMENT.replace(
        b"http://other.example/", b"https://archive.example/http://other.example/"
    )


def test_without_asking_only_what_the_ledger_knows_is_used(world):
    documents, session, _, _, tracker, _ = world
    fixer = Fixer(documents, session, LedgerFacts(session, WEB), [""])
    (fix,) = fixer.plan(fixer.read())

    assert fix.after == DOCUMENT
    assert ["seen once" in link.proposal.reason for link in fix.declined] == [True]
    documents.write("b.md", b"<https://same.example/a>")
    asyncio.run(tracker.run())
    fixes = fixer.plan(fixer.read())
    assert [link.proposal.kinds for fix in fixes for link in fix.mended] == [(FixKind.HTTPS,)]


def test_a_report_says_that_a_page_is_there_by_https_once_it_is_known(world):
    documents, _, _, _, tracker, result = world
    assert RuleCode.INSECURE not in {finding.code for finding in result.report.findings}
    documents.write("b.md", b"<https://same.example/a>")
    report = asyncio.run(tracker.run()).report
    found = [finding for finding in report.findings if finding.code is RuleCode.INSECURE]
    assert [finding.suggestion.text for finding in found] == ["https://same.example/a#s"]


@pytest.mark.spec("TRK-13")
def test_the_ledger_is_not_asked_about_https_where_no_content_is_known(world):
    _, session, *_ = world

    def forbidden(_):
        raise AssertionError("the ledger was asked")

    (node, *_) = session.now(lambda ledger, _: list(ledger.citations.places((LinkState.OK,))))
    facts = LedgerFacts(SimpleNamespace(now=forbidden), WEB)
    assert facts.is_secure(node._replace(content_sha256=None)) is False
    with pytest.raises(AssertionError):
        facts.is_secure(node)
