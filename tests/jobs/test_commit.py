"""Group commit: durable first, acknowledged after, in order."""

from __future__ import annotations

import asyncio
import threading

import pytest

from contracts.ledger_cases import RECIPE, at, content, place, run
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.memory.archive import MemoryArchive
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.adapters.sqlite.ledger import open_ledger
from holdfast.adapters.warc.archive import open_archive
from holdfast.adapters.warc.recovery import Known
from holdfast.core.capture import Capture
from holdfast.core.errors import NoSpaceError
from holdfast.core.ledger import Confirmed, Draft, Finding, capture_record
from holdfast.core.lineage import New
from holdfast.core.url import parse_url
from holdfast.jobs.commit import GroupCommit, Submission, commit_group


def page(name: str, body: bytes, seconds: float = 0, status: int = 200) -> Submission:
    url = parse_url(place(name).url)
    capture = Capture(url, url, status, (("Content-Type", "text/html"),), body, at(seconds))
    made = Confirmed() if status == 304 else Draft(content(body.decode()), name)
    return Submission(Finding(capture_record("run-1", capture, place(name)), made), capture)


class Recorded:
    """Ledger and archive that write down the order of what is done to them."""

    def __init__(self):
        self.steps: list[str] = []
        self.ledger, self.archive = MemoryLedger(), MemoryArchive()
        self.ledger.runs.begin_run(run())
        for name, part in (("append", self.archive), ("sync", self.archive), ("commit", self.ledger)):
            setattr(part, name, self._noted(name, getattr(part, name)))

    def _noted(self, name, method):
        def noted(*args, **options):
            self.steps.append(name)
            return method(*args, **options)

        return noted


async def group(ledger, archive, **options) -> GroupCommit:
    return GroupCommit(ledger, archive, "run-1", SystemClock(), **options)


@pytest.fixture
def stored(tmp_path):
    ledger = open_ledger(tmp_path / "ledger.db", at(0))
    ledger.runs.begin_run(run())
    archive = open_archive(tmp_path / "archive", Known({}), software="test")
    yield ledger, archive
    archive.close()
    ledger.close()


@pytest.mark.spec("SEC-6")
def test_records_are_synced_before_the_ledger_commits_and_acknowledged_after():
    async def story():
        both = Recorded()
        committer = await group(both.ledger, both.archive, patience=0.01)
        futures = [committer.submit(page(str(n), b"x%d" % n)) for n in range(3)]
        futures[0].add_done_callback(lambda _: both.steps.append("acknowledged"))
        await asyncio.gather(*futures)
        await committer.close()
        return both.steps

    assert asyncio.run(story()) == ["append"] * 3 + ["sync", "commit", "acknowledged"]


def test_a_group_closes_when_it_is_full_or_its_first_has_waited():
    async def story():
        both = Recorded()
        committer = await group(both.ledger, both.archive, most=5, patience=0.05)
        await asyncio.gather(*(committer.submit(page(str(n), b"%d" % n)) for n in range(12)))
        await committer.close()
        return both.steps

    assert asyncio.run(story()).count("commit") == 3


def test_verdicts_come_back_in_the_order_of_submission(stored):
    async def story():
        committer = await group(*stored, most=3, patience=0.01)
        bodies = [b"one", b"one", b"two", b"one", b"two", b"two", b"two"]
        futures = [committer.submit(page("a", body, seconds=n)) for n, body in enumerate(bodies)]
        results = [await future for future in futures]
        await committer.close()
        return [type(result.verdict).__name__ for result in results]

    expected = ["New", "Unchanged", "Superseding", "Superseding", "Superseding", "Unchanged", "Unchanged"]
    assert asyncio.run(story()) == expected


def test_the_ledger_is_asked_on_its_own_thread_and_the_loop_goes_on(stored):
    async def story():
        committer = await group(*stored)
        where = await committer.ask(lambda _: threading.current_thread().name)
        count = await committer.ask(lambda ledger: len(list(ledger.runs.latest_first())))
        await committer.close()
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
    commit_group(both.ledger, both.archive, "run-1", [Submission(Finding())], at(0))
    assert both.steps == ["commit"]


def test_after_a_failure_nobody_is_acknowledged_and_nothing_more_is_taken():
    async def story():
        both = Recorded()

        def full():
            raise NoSpaceError("no space left")

        both.archive.sync = full
        committer = await group(both.ledger, both.archive, most=2, patience=0.01)
        futures = [committer.submit(page(str(n), b"%d" % n)) for n in range(5)]
        outcomes = await asyncio.gather(*futures, return_exceptions=True)
        late = await asyncio.gather(committer.submit(page("late", b"x")), return_exceptions=True)
        with pytest.raises(NoSpaceError):
            await committer.close()
        return outcomes + late, both.steps

    outcomes, steps = asyncio.run(story())
    assert all(isinstance(outcome, NoSpaceError) for outcome in outcomes)
    assert "commit" not in steps


def test_flush_waits_for_everything_handed_in(stored):
    async def story():
        committer = await group(*stored, patience=60)
        future = committer.submit(page("a", b"one"))
        await asyncio.wait_for(committer.flush(), 5)
        done = future.done()
        await committer.close()
        return done, future.result().verdict

    assert asyncio.run(story()) == (True, New())


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
    record = capture_record("run-1", capture, place("a"))
    commit_group(ledger, archive, "run-1", [Submission(Finding(record), capture)], at(2))
    (seen,) = ledger.history.of_url(place("a").web_key)
    assert (seen.capture.content_type, seen.capture.etag, seen.capture.last_modified) == (
        "text/?",
        None,
        None,
    )
    assert archive.read(seen.capture.ref) == capture
