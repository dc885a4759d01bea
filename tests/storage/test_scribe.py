"""The scribe: durable first, acknowledged after, in order; one batching rule, one failure path."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from helpers.ledger_cases import RECIPE, at, content, memory_ledger, place, run
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import NoSpaceError
from holdfast.core.lineage.batch import Effect, Response
from holdfast.core.lineage.ledger_values import Confirmed, Draft, Finding
from holdfast.core.lineage.lineage import New
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.storage.archive.archive import open_archive
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.archive.recovery import KnownFiles
from holdfast.storage.scribe import ThreadScribe, commit_group
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from holdfast.storage.store_ports import Batching


def page(name: str, body: bytes, seconds: float = 0, status: int = 200) -> Effect:
    url = parse_url(place(name).url)
    capture = Capture(url, url, status, (("Content-Type", "text/html"),), body, at(seconds))
    made = Confirmed() if status == 304 else Draft(content(body.decode()), name)
    return Effect(Finding(made=made), Response(capture, place(name)))


class Recorded:
    """Ledger and archive that write down the order of what is done to them."""

    def __init__(self):
        self.steps: list[str] = []
        self.ledger, self.archive = memory_ledger(), MemoryArchive()
        self.ledger.runs.begin_run(run())
        for name, part in (("append", self.archive), ("sync", self.archive), ("commit", self.ledger)):
            setattr(part, name, self._noted(name, getattr(part, name)))

    def _noted(self, name, method):
        def noted(*args, **options):
            self.steps.append(name)
            return method(*args, **options)

        return noted


class Writing:
    """One journal on ledger and archive, which remembers what it is told."""

    def __init__(self, ledger, archive, steps=None, **batching):
        self.steps = [] if steps is None else steps
        self.told = []
        self.scribe = ThreadScribe(ledger, archive, SystemClock())
        self.journal = self.scribe.journal("run-1", Batching(**batching), self._then, self._done)

    def _then(self, _ledger, _archive, group):
        self.steps.append("then")
        return len(group)

    def _done(self, group, verdicts, size):
        assert len(group) == len(verdicts) == size
        self.steps.append("acknowledged")
        self.told += verdicts

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.scribe.close()


@pytest.fixture
def stored(tmp_path):
    ledger = open_ledger(tmp_path / "ledger.db", at(0))
    ledger.runs.begin_run(run())
    archive = open_archive(tmp_path / "archive", KnownFiles({}), software="test")
    yield ledger, archive
    archive.close()
    ledger.close()


@pytest.mark.spec("SEC-6")
def test_records_are_synced_before_the_ledger_commits_and_acknowledged_after():
    async def story():
        both = Recorded()
        async with Writing(both.ledger, both.archive, both.steps, patience=60) as writing:
            for n in range(3):
                await writing.journal.submit(page(str(n), b"x%d" % n))
            await writing.journal.flush()
        return both.steps

    assert asyncio.run(story()) == ["append"] * 3 + ["sync", "commit", "then", "acknowledged"]


def test_a_group_closes_when_it_is_full():
    async def story():
        both = Recorded()
        async with Writing(both.ledger, both.archive, both.steps, most=5, patience=60) as writing:
            for n in range(12):
                await writing.journal.submit(page(str(n), b"%d" % n))
            waiting = len(writing.journal.waiting)
            await writing.journal.flush()
        return waiting, both.steps.count("commit")

    assert asyncio.run(story()) == (2, 3)


def test_a_group_closes_when_it_has_many_bytes():
    async def story():
        both = Recorded()
        async with Writing(both.ledger, both.archive, both.steps, most_bytes=20, patience=60) as writing:
            for n in range(6):
                await writing.journal.submit(page(str(n), b"%d" % n * 10))
            await writing.journal.flush()
        return both.steps.count("commit")

    assert asyncio.run(story()) == 3


def test_a_group_closes_when_its_first_has_waited():
    async def story():
        both, told = Recorded(), asyncio.Event()
        async with Writing(both.ledger, both.archive, both.steps, patience=0.01) as writing:
            writing.journal._done = lambda *_: told.set()
            await writing.journal.submit(page("a", b"one"))
            await asyncio.wait_for(told.wait(), 30)
            return writing.journal.is_idle

    assert asyncio.run(story())


def test_verdicts_come_back_in_the_order_of_submission(stored):
    async def story():
        async with Writing(*stored, most=3) as writing:
            bodies = [b"one", b"one", b"two", b"one", b"two", b"two", b"two"]
            for n, body in enumerate(bodies):
                await writing.journal.submit(page("a", body, seconds=n))
            await writing.journal.flush()
            return [type(verdict).__name__ for verdict in writing.told]

    expected = ["New", "Unchanged", "Superseding", "Superseding", "Superseding", "Unchanged", "Unchanged"]
    assert asyncio.run(story()) == expected


def test_what_a_result_rests_on_is_archived_before_it_and_has_no_verdict_of_its_own(stored):
    async def story():
        async with Writing(*stored) as writing:
            behind = page("behind", b"behind").response
            await writing.journal.submit(replace(page("a", b"one", 1), beside=behind))
            await writing.journal.flush()
            return writing.told

    (told,) = asyncio.run(story())
    assert told == New()
    assert [capture.url for capture in stored[0].archived.captures()] == [
        place("behind").url,
        place("a").url,
    ]


def test_the_ledger_is_asked_on_its_own_thread_in_turn_with_the_groups(stored):
    async def story():
        async with Writing(*stored, patience=60) as writing:
            await writing.journal.submit(page("a", b"one"))
            flushed = asyncio.create_task(writing.journal.flush())
            await asyncio.sleep(0)
            where = await writing.scribe.ask(lambda _, __: threading.current_thread().name)
            count = await writing.scribe.ask(lambda ledger, _: len(list(ledger.archived.captures())))
            await flushed
        return where, count

    where, count = asyncio.run(story())
    assert where.startswith("ledger")
    assert count == 1


def test_a_repeated_body_is_archived_once_within_a_group_and_after_it(stored):
    ledger, archive = stored
    body = b"<p>the same</p>" * 300
    commit_group(ledger, archive, "run-1", [page("a", body), page("b", body, 1)], at(2))
    commit_group(ledger, archive, "run-1", [page("c", body, 3), page("c", b"", 4, status=304)], at(5))
    refs = {n: next(iter(ledger.history.of_url(place(n).web_key))).capture.ref for n in "abc"}
    assert [archive.read(refs[n]).body for n in "abc"] == [body] * 3
    last = list(ledger.history.of_url(place("c").web_key))[-1]
    assert archive.read(last.capture.ref).status == 304
    assert ledger.history.current_item(RECIPE, place("c").key) == last.item


def test_nothing_is_archived_for_a_finding_without_a_capture():
    both = Recorded()
    commit_group(both.ledger, both.archive, "run-1", [Effect()], at(0))
    assert both.steps == ["commit"]


def test_after_a_failure_nobody_is_acknowledged_and_nothing_more_is_taken():
    async def story():
        both = Recorded()

        def full():
            raise NoSpaceError("no space left")

        both.archive.sync = full
        async with Writing(both.ledger, both.archive, both.steps, most=2, patience=60) as writing:
            journal, errors = writing.journal, 0
            for step in (lambda: journal.submit(page("late", b"x")), journal.flush, journal.flush):
                try:
                    for n in range(5):
                        await journal.submit(page(str(n), b"%d" % n))
                    await step()
                except NoSpaceError:
                    errors += 1
            await journal.abandon()
            with pytest.raises(NoSpaceError):
                journal.check()
        return errors, both.steps

    errors, steps = asyncio.run(story())
    assert errors == 3
    assert not {"commit", "then", "acknowledged"} & set(steps)


def test_what_is_abandoned_is_not_written(stored):
    async def story():
        async with Writing(*stored, patience=60) as writing:
            await writing.journal.submit(page("a", b"one"))
            await writing.journal.abandon()
            await writing.journal.flush()
            return writing.told, writing.journal.is_idle

    assert asyncio.run(story()) == ([], True)


def test_a_submission_again_after_a_lost_acknowledgement_changes_nothing(stored):
    ledger, archive = stored
    once = commit_group(ledger, archive, "run-1", [page("a", b"one")], at(1))
    again = commit_group(ledger, archive, "run-1", [page("a", b"one")], at(2))
    assert once == again
    (seen,) = ledger.history.of_url(place("a").web_key)
    assert archive.read(seen.capture.ref).body == b"one"


def test_a_304_without_a_known_page_is_refused_whole(stored):
    ledger, archive = stored
    with pytest.raises(Exception, match="nothing is known"):
        commit_group(ledger, archive, "run-1", [page("a", b"x"), page("b", b"", status=304)], at(1))
    assert list(ledger.history.of_url(place("a").web_key)) == []


@pytest.mark.spec("SEC-4")
def test_fields_with_bytes_that_are_no_text_are_stored_all_the_same(stored):
    ledger, archive = stored
    url = parse_url(place("a").url)
    fields = (("Content-Type", "text/\udcff; x"), ("ETag", '"\udc80"'), ("Last-Modified", "\x1b"))
    capture = Capture(url, url, 200, fields, b"x", at(1))
    commit_group(ledger, archive, "run-1", [Effect(response=Response(capture, place("a")))], at(2))
    (seen,) = ledger.history.of_url(place("a").web_key)
    assert (seen.capture.content_type, seen.capture.etag, seen.capture.last_modified) == (
        "text/?",
        None,
        None,
    )
    assert archive.read(seen.capture.ref) == capture
