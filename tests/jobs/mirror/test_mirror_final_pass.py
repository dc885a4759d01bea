"""The final pass: what had to wait is taken up in one order, whatever the concurrency, killed at any step.

The site is down in part until its deepest page has been asked for, so that pages which had to wait lead to
pages that nobody knew. Which of those come first decides what `--max-pages` and the traps leave out.
"""

import asyncio
import json
from contextlib import suppress

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.sites.server import page
from helpers.sites.tangled import prose
from holdfast.adapters.fake_folder import MemoryMirror
from holdfast.adapters.fake_web import Fault, MemoryClock, MemoryFetcher, Reply
from holdfast.core.base.errors import NoSpaceError
from holdfast.core.base.hashing import SettingsDigest
from holdfast.core.crawl.mirror_spec import Order, Standard, source_of
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.settings.field import group_from
from holdfast.core.settings.job_settings import MirrorSettings
from holdfast.core.url.policy import POLICIES, Recipe
from holdfast.core.web.capture import Failed, Failure
from holdfast.jobs.converting import refine_here
from holdfast.jobs.mirror.job import mirror
from holdfast.jobs.stop import Stop
from holdfast.storage.archive.in_memory import MemoryArchive

pytestmark = pytest.mark.spec("MIR-12")

HOME = "https://docs.example"
DEEPEST = f"{HOME}/c6"
DOWN = tuple(f"{HOME}/{name}" for name in ("d", "e", "k1", "k2", "k3"))
LINKS = {
    "/": ["/h", "/d", "/e", "/f", "/k1", "/k2", "/k3", "/c1"],
    **{f"/c{n}": [f"/c{n + 1}"] for n in range(1, 6)},
    "/c6": [],
    "/d": ["/x/1", "/x/2"],
    "/e": ["/x/4", "/x/1", "/y"],
    "/k1": [],
    "/k2": ["/x/5"],
    "/k3": ["/x/6"],
    "/x/1": ["/x/11"],
    "/x/2": ["/x/21"],
    "/x/4": ["/x/41"],
    **{f"/x/{n}": [] for n in (5, 6, 11, 21, 41)},
    "/y": ["/z"],
    "/z": [],
}
CHANGING = ("commit", "take_entries", "close_entries", "reopen_entries", "add_entries", "write_all", "append",
            "put_all", "settle", "update_run", "end_run", "write", "sync")  # fmt: skip


PARTS = ("runs", "frontier", "pages", "history", "archived", "citations", "forgetting")


STANDARD = Standard(
    Recipe.parse("http_snapshot_siteurl_v1_text_v1"),
    POLICIES["site"],
    POLICIES["web"],
    SettingsDigest("0" * 64),
)


_read = {}


async def refine_once(capture, rules):
    """`refine_here`, which reads a page of the script once for all the lives that come across it."""
    known, harvest = _read.get((capture.requested, capture.body), (None, None))
    if known != rules:
        harvest = await refine_here(capture, rules)
        _read[capture.requested, capture.body] = rules, harvest
    return harvest


class Killed(BaseException):
    """What `kill -9` is to a job that lives in memory."""


class Life:
    """So many changes of the outside world, and no more; or so many of one kind, and an error."""

    def __init__(self, steps=None, *, of=CHANGING, error=Killed):
        self.steps, self.of, self.error = steps, of, error
        self.lived = 0

    def step(self, name):
        self.lived += name in self.of
        if name in self.of and self.lived == self.steps:
            raise self.error


class Mortal:
    """A port whose owner may be killed before each change."""

    def __init__(self, port, life):
        self._port, self._life = port, life

    def __getattr__(self, name):
        method = getattr(self._port, name)
        if name in PARTS:
            return Mortal(method, self._life)
        if name not in CHANGING:
            return method

        def call(*values, **named):
            self._life.step(name)
            return method(*values, **named)

        return call


class Recovering(MemoryFetcher):
    """Some of it is down until the deepest page has been asked for."""

    async def _answer(self, url):
        if url.href in DOWN and DEEPEST not in self.requests:
            return Fault(Failed(Failure.STATUS, "503", transient=True))
        return await super()._answer(url)


class World:
    """The site, and a mirror's folder, ledger and archive, which outlive the job."""

    def __init__(self):
        script = {
            f"{HOME}{path}": Reply(page(path, links=links, text=prose(number + 1)).body)
            for number, (path, links) in enumerate(LINKS.items())
        }
        same = prose(list(LINKS).index("/d") + 1)
        for path, target in (("/h", "/d"), ("/f", "/d")):
            script[f"{HOME}{path}"] = Reply(page("/d", links=LINKS["/d"], text=same, canonical=target).body)
        self.clock = MemoryClock()
        self.web = Recovering(script, self.clock)
        self.ledger, self.archive, self.folder = memory_ledger(), MemoryArchive(), MemoryMirror()

    def notice(self, event):
        """Nobody looks."""

    def mirror(self, settings, life, *, limited):
        order = Order("m", (source_of(f"{HOME}/", None),), STANDARD, settings)
        ledger, archive = Mortal(self.ledger, life), Mortal(self.archive, life)
        parts = {"refine": refine_once, "clock": self.clock, "observer": self}
        with session_of(ledger, archive, **parts) as session:
            there = Mortal(self.folder, life)
            return asyncio.run(mirror(order, session, self.web, there, Stop(), limited=limited))

    def lose_lines(self, share):
        """Of the checkpoint of a run that did not end, the first part is there."""
        runs = [record.status for record in self.ledger.runs.latest_first(label="m")]
        lines = self.folder.files.get("_processed.txt", b"").splitlines(keepends=True)
        if lines and RunStatus.FINISHED not in runs:
            self.folder.files["_processed.txt"] = b"".join(lines[: int(len(lines) * share)])

    @property
    def kept(self):
        """The part that is a function of the responses."""
        files = {
            path: data
            for path, data in self.folder.files.items()
            if not path.startswith(("_progress", "_failed.log", "_processed")) and not path.endswith(".json")
        }
        manifest = json.loads(self.folder.files["_manifest.json"])
        lines = sorted(self.folder.files["_processed.txt"].decode().splitlines())
        return files, manifest["pages"], manifest["crawl"]["status"], lines


def settings(**given):
    return group_from(MirrorSettings, {"discover": "links", "on_error": "retry"} | given)


def undisturbed(wanted, *, limited=False):
    world, life = World(), Life()
    world.mirror(wanted, life, limited=limited)
    return world.kept, life.lived


LIMITS = [{}, {"trap_pages": 3}, {"trap_pages": 6}, {"max_pages": 11}, {"max_pages": 17}]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_the_order_of_the_final_pass_does_not_depend_on_the_width_of_the_window(limits):
    wide, _ = undisturbed(settings(**limits))
    narrow, _ = undisturbed(settings(**limits), limited=True)

    assert narrow == wide


@pytest.mark.parametrize(
    ("limits", "limited"),
    [({}, False), ({"trap_pages": 3}, True), ({"trap_pages": 6}, False), ({"max_pages": 17}, True)],
    ids=str,
)
def test_killed_before_any_change_and_resumed_the_mirror_is_that_of_an_undisturbed_run(limits, limited):
    expected, steps = undisturbed(settings(**limits), limited=limited)
    different = []
    for step in range(1, steps + 1):
        world = World()
        with suppress(Killed):  # how many syncs there are is the disk's affair: the last step may not come
            world.mirror(settings(**limits), Life(step), limited=limited)
        world.mirror(settings(**limits), Life(), limited=limited)
        if world.kept != expected:
            different.append(step)

    assert steps > 40, "a run has too few changes to be killed before"
    assert different == []


@pytest.mark.spec("MIR-5")
@pytest.mark.parametrize(("limits", "share"), [({"max_pages": 17}, 0), ({"trap_pages": 3}, 1 / 3)], ids=str)
def test_lines_that_were_not_written_before_a_kill_change_no_order(limits, share):
    """Lines are written beside the crawl: at a kill those of pages of both passes may be missing."""
    expected, steps = undisturbed(settings(**limits))
    different = []
    for step in range(steps // 2, steps + 1):
        world = World()
        with suppress(Killed):
            world.mirror(settings(**limits), Life(step), limited=False)
        world.lose_lines(share)
        with suppress(Killed):
            world.mirror(settings(**limits), Life(step // 2), limited=False)
        world.mirror(settings(**limits), Life(), limited=False)
        if world.kept != expected:
            different.append(step)

    assert different == []


@pytest.mark.spec("SEC-6")
@pytest.mark.parametrize("limited", [True, False], ids=["narrow", "wide"])
@pytest.mark.parametrize("change", ["put_all", "settle"])
def test_a_disk_that_is_full_ends_the_crawl_whoever_waits_for_the_flush(limited, change):
    expected, _ = undisturbed(settings(), limited=limited)
    counting = Life(of=(change,))
    World().mirror(settings(), counting, limited=limited)

    for step in range(1, counting.lived + 1 if change == "put_all" else 3):
        world = World()
        full = Life(step, of=(change,), error=NoSpaceError("there is no room left"))
        with pytest.raises(NoSpaceError):
            world.mirror(settings(), full, limited=limited)
        world.mirror(settings(), Life(), limited=limited)
        assert world.kept == expected


class Silent:
    def notice(self, event):
        """Nobody looks."""


class Busy(MemoryFetcher):
    """A server that answers only when nobody else asks, and notes how many did at once."""

    def __init__(self, script, clock, spare=1):
        super().__init__(script, clock)
        self.under_way = self.most = 0
        self.spare = spare

    async def fetch(self, request):
        self.under_way += 1
        busy = self.under_way > self.spare and request.url.path.startswith("/p")
        try:
            await asyncio.sleep(0)
            if busy:
                return Failed(Failure.STATUS, "status 503", transient=True)
            return await super().fetch(request)
        finally:
            self.under_way -= 1


def crawl_busy(fetcher, clock, **settings):
    order = Order(
        label="docs",
        sources=(source_of(f"{HOME}/", None),),
        standard=STANDARD,
        settings=group_from(MirrorSettings, {"on_error": "retry", "discover": "links", **settings}),
    )
    with session_of(memory_ledger(), refine=refine_here, clock=clock) as session:
        return asyncio.run(mirror(order, session, fetcher, MemoryMirror(), Stop(), limited=False))


@pytest.mark.spec("MIR-6")
class TestPatience:
    def test_every_page_of_a_busy_server_arrives(self):
        clock = MemoryClock()
        names = [f"/p{letter}" for letter in "abcdefghijklmnopqrstuvwxy"]
        script = {f"{HOME}/": Reply(page("Home", links=names).body)}
        script |= {HOME + name: Reply(page(name, text=prose(ord(name[-1]))).body) for name in names}
        summary = crawl_busy(Busy(script, clock), clock)
        assert summary.pages == 26

    def test_attempts_have_pauses_between_them(self):
        clock = MemoryClock()
        shaky = Fault(Failed(Failure.STATUS, "status 503", transient=True))
        script = {f"{HOME}/": Reply(page("Home", links=["/p"]).body)}
        script[f"{HOME}/p"] = [shaky, shaky, shaky, Reply(page("P").body)]
        summary = crawl_busy(MemoryFetcher(script, clock), clock)
        assert (summary.pages, clock.monotonic()) == (2, 6.0)

    def test_a_dead_host_is_not_waited_for_page_after_page(self):
        clock = MemoryClock()
        names = [f"/p{letter}" for letter in "abcdefghijklmnopqrstuvwxy"]
        shaky = Fault(Failed(Failure.STATUS, "status 503", transient=True))
        script = {f"{HOME}/": Reply(page("Home", links=names).body)} | {HOME + name: shaky for name in names}
        fetcher = MemoryFetcher(script, clock)
        summary = crawl_busy(fetcher, clock)
        assert summary.outcomes["failed"] == 25
        assert {fetcher.requests[HOME + name] for name in names} == {4}
        assert clock.monotonic() <= 60.0
