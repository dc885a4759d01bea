"""What was fetched is in the archive and known to the ledger, also when nothing could be made of it."""

from __future__ import annotations

import asyncio

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_folder import MemoryMirror
from holdfast.adapters.fake_web import MemoryClock, MemoryFetcher, Reply
from holdfast.adapters.ports import Undistilled
from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import SettingsDigest
from holdfast.core.crawl.harvest import Unreadable
from holdfast.core.crawl.mirror_spec import Order, Standard, place_of, source_of
from holdfast.core.lineage.ledger_values import capture_record
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.field import group_from
from holdfast.core.settings.job_settings import MirrorSettings
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import POLICIES, Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs.check.asking_run import TrackRun
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.options import AskOptions, LookOptions, Pacing, TrackOptions
from holdfast.jobs.converting import refine_here
from holdfast.jobs.mirror.job import mirror
from holdfast.jobs.stop import Stop
from holdfast.jobs.upkeep.reprocess import reprocess
from holdfast.jobs.upkeep.verify import mirror_differences, store_differences
from holdfast.storage.archive.in_memory import MemoryArchive

HOME = "https://docs.example/"
PAGE = "https://docs.example/a"
ODD = '"a\x85\x80b"'
STANDARD = Standard(
    Recipe.parse("http_snapshot_siteurl_v1_text_v1"),
    POLICIES["site"],
    POLICIES["web"],
    SettingsDigest("0" * 64),
)


def html(text, *links):
    return f"<title>{text}</title><h1>{text}</h1>".encode() + b"".join(
        b'<a href="%s">on</a>' % link.encode() for link in links
    )


class World:
    """A site of two pages, and a mirror of it in memory. `dies` are URLs whose worker dies."""

    def __init__(self):
        self.clock = MemoryClock()
        self.script = {HOME: Reply(html("Home", "/a")), PAGE: Reply(html("One"))}
        self.ledger, self.archive, self.folder = memory_ledger(), MemoryArchive(), MemoryMirror()
        self.dies = set()

    def notice(self, event):
        """Nobody looks."""

    async def refine(self, capture, rules):
        if capture.final.href in self.dies:
            return Unreadable("the worker died")
        return await refine_here(capture, rules)

    @property
    def order(self):
        return Order("m", (source_of(HOME, None),), STANDARD, self.settings, DistillOptions(outline=True))

    def mirror(self, **given):
        self.settings = group_from(MirrorSettings, {"discover": "links", **given})
        web = MemoryFetcher(self.script, self.clock)
        with self.session as session:
            summary = asyncio.run(mirror(self.order, session, web, self.folder, Stop(), limited=False))
        self.clock.pass_time(60)
        return summary

    @property
    def session(self):
        parts = {"refine": self.refine, "clock": self.clock, "observer": self}
        return session_of(self.ledger, self.archive, **parts)

    def reprocess(self, summary, recipe=STANDARD.recipe):
        standard = Standard(recipe, STANDARD.policy, STANDARD.web, STANDARD.digest)
        origin = self.ledger.runs.run(summary.run_id)
        return asyncio.run(reprocess(self.session, origin, standard, DistillOptions(), Stop()))

    def differences(self):
        async def all_of():
            names = NamePlan(Layout.TREE, "https")
            found = [*store_differences(self.session, ())]
            found += [each async for each in mirror_differences(self.session, self.folder, self.order, names)]
            return found

        return asyncio.run(all_of())


def history(ledger, url):
    return list(ledger.history.of_url(place_of(parse_url(url), STANDARD).web_key))


@pytest.mark.spec("SEC-6")
def test_a_page_whose_worker_dies_is_in_archive_and_ledger():
    world = World()
    world.dies = {PAGE}
    summary = world.mirror()
    (seen,) = history(world.ledger, PAGE)

    assert summary.outcomes["failed"] == 1
    assert seen.item is None
    assert world.archive.read(seen.capture.ref).body == html("One")


@pytest.mark.spec("VER-5")
def test_reprocess_reads_what_a_dead_worker_left():
    world = World()
    world.dies = {PAGE}
    summary = world.mirror()
    world.dies = set()
    done = world.reprocess(summary)

    assert (done.total, done.counts["new"], done.failed) == (1, 1, ())
    assert [o.item.title for o in history(world.ledger, PAGE) if o.item] == ["One"]


@pytest.mark.spec("VER-5")
def test_another_recipe_goes_over_what_was_read_and_what_was_not():
    world = World()
    world.dies = {PAGE}
    summary = world.mirror()
    world.dies = set()
    done = world.reprocess(summary, Recipe.parse("http_snapshot_siteurl_v1_body_v1"))

    assert (done.total, done.counts["new"]) == (2, 2)


def test_a_run_in_which_everything_was_read_has_nothing_to_try_again():
    world = World()
    with pytest.raises(UsageError, match="already"):
        world.reprocess(world.mirror())


def test_a_page_that_cannot_be_read_any_more_is_still_made_of_what_was_read():
    world = World()
    world.mirror()
    world.script[PAGE] = Reply(html("Two"))
    world.dies = {PAGE}
    world.mirror(update=True)
    world.dies = set()

    assert len(history(world.ledger, PAGE)) == 2
    assert [d for d in world.differences() if "_failed" not in d.where] == []


def test_a_304_confirms_what_was_read():
    world = World()
    tagged = (("Content-Type", "text/html"), ("ETag", '"1"'))
    world.script[PAGE] = Reply(html("One"), headers=tagged)
    world.mirror()
    world.script[PAGE] = Reply(html("Two"))
    world.dies = {PAGE}
    world.mirror(update=True)
    world.script[PAGE] = Reply(html("One"), headers=tagged)
    world.mirror(update=True)
    key = place_of(parse_url(PAGE), STANDARD).key
    original = world.ledger.archived.last_of({key: PAGE})[key]

    assert history(world.ledger, PAGE)[-1].capture.status == 304
    assert world.archive.read(original.ref).body == html("One")


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("odd", [ODD, '"\xe9"', '"\udc80"', "\x1b"])
def test_a_validator_that_cannot_be_sent_back_as_it_came_is_none_for_every_job(told, odd):
    url = parse_url(PAGE)
    capture = Capture(url, url, 200, (("ETag", odd), ("Last-Modified", odd)), b"x", MemoryClock().now())
    record = capture_record("run", capture, place_of(url, STANDARD), told=told)

    assert (record.etag, record.last_modified) == (None, None)


def test_a_mirror_with_an_odd_etag_verifies():
    world = World()
    world.script[PAGE] = Reply(html("One"), headers=(("Content-Type", "text/html"), ("ETag", ODD)))
    world.mirror()

    assert world.differences() == []


class Worker:
    """A worker that reads nothing."""

    async def distill(self, _capture, _fragments):
        return Undistilled("crash", "the worker died")


class Asked(MemoryFetcher):
    """A web that remembers with which validators it was asked."""

    async def fetch(self, request):
        self.etags = [*getattr(self, "etags", []), request.etag]
        return await super().fetch(request)


def track(ledger, archive, web, clock, distiller=None):
    documents = MemoryDocuments({"a.md": f"<{PAGE}>\n".encode()})
    options = TrackOptions(asking=AskOptions(pacing=Pacing()), manifests=False, looks=LookOptions(force=True))
    tracker = Tracker(documents, session_of(ledger, archive, clock=clock), WEB_STANDARD, options)
    return asyncio.run(TrackRun(tracker, web, distiller).run())


@pytest.mark.spec("TRK-3")
def test_a_cited_page_that_cannot_be_read_is_in_archive_and_ledger():
    ledger, archive, clock = memory_ledger(), MemoryArchive(), MemoryClock()
    web = MemoryFetcher({PAGE: Reply(html("One") * 10_000)}, clock)
    track(ledger, archive, web, clock, Worker())
    (seen,) = history(ledger, PAGE)

    assert seen.item is None
    assert archive.read(seen.capture.ref).body == html("One") * 10_000


def test_track_sends_no_odd_etag_back():
    ledger, archive, clock = memory_ledger(), MemoryArchive(), MemoryClock()
    web = Asked({PAGE: Reply(html("One"), headers=(("Content-Type", "text/html"), ("ETag", ODD)))}, clock)
    for _ in range(2):
        track(ledger, archive, web, clock)

    assert web.etags == [None, None]
