"""The queue of jobs on a server: one owner at a time, and whoever lost a job writes nothing."""

from __future__ import annotations

import time
from contextlib import closing

import psycopg
import pytest

from helpers.ledger_cases import at, place, run, seen
from holdfast.core.base.errors import HoldfastError, LockedError
from holdfast.core.lineage.shared_jobs import JobState
from holdfast.storage.postgres.job_queue import JobTable
from holdfast.storage.postgres.kept_files import KeptFiles
from holdfast.storage.postgres.postgres_ledger import open_database, open_postgres
from holdfast.storage.postgres.postgres_server import PostgresDatabase

LONG, SHORT = 60.0, 0.05


@pytest.fixture
def jobs(postgres):
    with closing(JobTable(open_database(postgres, at(0)))) as table:
        yield table


@pytest.fixture
def other(postgres):
    with closing(JobTable(open_database(postgres, at(0)))) as table:
        yield table


@pytest.mark.spec("CLU-2")
def test_a_job_has_one_owner_at_a_time(jobs, other):
    number = jobs.submit("mirror docs", {"kind": "mirror"})
    lease = jobs.claim("one", LONG)
    assert (lease.job_id, lease.epoch, lease.name, lease.command) == (
        number,
        1,
        "mirror docs",
        {"kind": "mirror"},
    )
    assert other.claim("two", LONG) is None
    assert jobs.end(lease, JobState.DONE, {"pages": 3})
    [job] = other.jobs()
    assert (job.state, job.result, job.attempts) == (JobState.DONE, {"pages": 3}, 1)
    assert other.jobs(is_open=True) == ()


@pytest.mark.spec("CLU-2")
def test_a_job_is_in_the_queue_once(jobs):
    jobs.submit("mirror docs", {})
    with pytest.raises(LockedError, match="already"):
        jobs.submit("mirror docs", {})
    jobs.end(jobs.claim("one", LONG), JobState.DONE)
    assert jobs.submit("mirror docs", {})


@pytest.mark.spec("CLU-2")
def test_a_silent_owner_loses_its_job_under_a_higher_epoch(jobs, other):
    jobs.submit("mirror docs", {})
    lost = jobs.claim("one", SHORT)
    time.sleep(2 * SHORT)
    taken = other.claim("two", LONG)
    assert (taken.job_id, taken.epoch) == (lost.job_id, lost.epoch + 1)
    assert jobs.renew(lost, LONG) is None
    assert not jobs.end(lost, JobState.DONE)
    assert other.renew(taken, LONG) == 0


@pytest.mark.spec("CLU-2")
def test_whoever_lost_a_job_writes_nothing(jobs, other, postgres):
    jobs.submit("mirror docs", {})
    lost = jobs.claim("one", SHORT)
    ledger = open_postgres(postgres, at(0), lease=lost)
    ledger.runs.begin_run(run())
    files = KeptFiles(PostgresDatabase(postgres, fence=lost), "docs")
    files.append("_processed.txt", b"a line\n")
    time.sleep(2 * SHORT)
    other.claim("two", LONG)
    with pytest.raises(HoldfastError):
        ledger.commit("run-1", [seen(place("a"), 1, "words")], at(1))
    with pytest.raises(HoldfastError):
        files.append("_processed.txt", b"another\n")
    files.close()
    ledger.close()
    late = PostgresDatabase(postgres, fence=lost)
    with pytest.raises(LockedError, match="taken over"), late.writing():
        pass
    with closing(KeptFiles(late, "docs")) as there:
        assert there.read("_processed.txt") == b"a line\n"
    with closing(open_postgres(postgres, at(0), read_only=True)) as ledger:
        assert list(ledger.history.of_run("run-1")) == []


@pytest.mark.spec("CLU-2")
def test_nobody_takes_a_job_while_its_owner_commits(jobs, other, postgres):
    """Between the look at the lease and the end of the transaction the job's row is held."""
    jobs.submit("mirror docs", {})
    lease = jobs.claim("one", LONG)
    sql = "SELECT job_id FROM job WHERE state = 'taken' FOR UPDATE SKIP LOCKED"
    with (
        closing(PostgresDatabase(postgres, fence=lease)) as db,
        db.writing(),
        psycopg.connect(postgres) as taker,
    ):
        assert taker.execute(sql).fetchone() is None


def _copy_until_taken(db, other):
    with db.writing(), db._connection.cursor().copy(b"COPY label (name) FROM STDIN") as copy:
        copy.write_row(("half",))
        for _ in range(100):
            time.sleep(SHORT)
            if other.claim("two", LONG):
                return


@pytest.mark.spec("CLU-2")
def test_an_owner_that_stands_still_in_the_middle_of_a_copy_loses_its_job_and_what_it_copied(
    jobs, other, postgres
):
    jobs.submit("mirror docs", {})
    lost = jobs.claim("one", SHORT)
    db = PostgresDatabase(postgres, fence=lost)
    with pytest.raises((psycopg.Error, HoldfastError)):
        _copy_until_taken(db, other)
    assert other.jobs()[0].epoch == lost.epoch + 1
    db.close()
    with psycopg.connect(postgres) as asked:
        assert asked.execute("SELECT count(*) FROM label").fetchone() == (0,)


@pytest.mark.spec("CLU-2")
def test_a_session_that_stands_still_in_a_transaction_is_ended_by_the_server(postgres, jobs):
    jobs.submit("mirror docs", {})
    with closing(PostgresDatabase(postgres, fence=jobs.claim("one", LONG))) as db:
        [(setting,)] = db.rows("SHOW idle_in_transaction_session_timeout")
    assert setting == "15s"


@pytest.mark.spec("CLU-2")
def test_a_cancelled_job_is_nobody_s(jobs, other):
    jobs.submit("mirror docs", {})
    lease = jobs.claim("one", LONG)
    assert other.cancel("mirror docs")
    assert jobs.renew(lease, LONG) is None
    assert other.claim("two", LONG) is None


def test_the_owner_hears_that_it_is_asked_to_stop(jobs, other):
    number = jobs.submit("mirror docs", {})
    lease = jobs.claim("one", LONG)
    other.ask_to_stop(number)
    other.ask_to_stop(number)
    assert jobs.renew(lease, LONG) == 2


def test_whoever_is_at_something_alone_keeps_others_from_it(jobs, other):
    lease = jobs.begin("mirror docs", "me", LONG)
    with pytest.raises(LockedError):
        other.begin("mirror docs", "you", LONG)
    with pytest.raises(LockedError):
        other.submit("mirror docs", {})
    assert other.claim("a worker", LONG) is None
    jobs.leave(lease)
    assert jobs.jobs() == ()
    left = other.begin("mirror docs", "you", SHORT)
    time.sleep(2 * SHORT)
    assert jobs.begin("mirror docs", "me", LONG).job_id != left.job_id


@pytest.mark.spec("CLU-2")
def test_upkeep_waits_until_nobody_writes(jobs, postgres):
    jobs.submit("mirror docs", {})
    with closing(open_postgres(postgres, at(0), lease=jobs.claim("one", LONG))):
        with pytest.raises(LockedError, match="another program writes"):
            open_postgres(postgres, at(0), alone=True)
        jobs.submit("mirror other", {})
        open_postgres(postgres, at(0), lease=jobs.claim("two", LONG)).close()
    open_postgres(postgres, at(0), alone=True).close()


@pytest.mark.spec("CLU-3")
def test_a_host_has_one_owner_and_peace_between_two(jobs, other):
    for name in ("a", "b"):
        jobs.submit(name, {})
    first, second = jobs.claim("one", LONG), other.claim("two", LONG)
    assert jobs.take_lane("example.com", first, LONG) == 0
    assert jobs.take_lane("example.com", first, LONG) == 0
    assert other.take_lane("example.com", second, LONG) is None
    assert other.take_lane("other.example", second, LONG) == 0
    jobs.give_lane("example.com", first, 5.0)
    wait = other.take_lane("example.com", second, LONG)
    assert 4 < wait <= 5
    jobs.give_lane("example.com", first, 0.0)
    assert jobs.take_lane("example.com", first, LONG) is None


@pytest.mark.spec("CLU-3")
def test_the_lane_of_a_lost_owner_is_free(jobs, other):
    for name in ("a", "b"):
        jobs.submit(name, {})
    first, second = jobs.claim("one", LONG), other.claim("two", LONG)
    jobs.take_lane("example.com", first, SHORT)
    time.sleep(2 * SHORT)
    assert other.take_lane("example.com", second, LONG) is not None
    jobs.take_lane("x.example", first, SHORT)
    jobs.renew(first, LONG)
    time.sleep(2 * SHORT)
    assert other.take_lane("x.example", second, LONG) is None


@pytest.mark.spec("CLU-4")
def test_files_of_a_run_without_a_folder_are_kept_and_pages_are_not(postgres, jobs):
    files = KeptFiles(PostgresDatabase(postgres), "docs")
    files.append("_processed.txt", b"one\n")
    files.append("_processed.txt", b"two\n")
    files.write_all({"example.com/a.md": b"# A", "_manifest.json": [b"{", b"}"]})
    assert list(files.walk()) == ["_manifest.json", "_processed.txt"]
    assert files.read("_processed.txt") == b"one\ntwo\n"
    files.cut("_processed.txt", 4)
    files.append("_processed.txt", b"three\n")
    assert files.read("_processed.txt") == b"one\nthree\n"
    files.move("_manifest.json", "_manifest.json.corrupt")
    assert files.read("_manifest.json") is None
    assert files.has("_manifest.json.corrupt")
    files.remove("_manifest.json.corrupt")
    assert not files.has("_manifest.json.corrupt")
    files.close()
    with closing(KeptFiles(PostgresDatabase(postgres), "other")) as others:
        assert others.read("_processed.txt") is None


def test_a_claim_waits_for_nobody(jobs, postgres):
    """Another claim that is under way holds its row; the next one takes the next job."""
    for name in ("a", "b"):
        jobs.submit(name, {})
    with psycopg.connect(postgres) as held:
        held.execute("SELECT 1 FROM job WHERE name = 'a' FOR UPDATE")
        assert jobs.claim("one", LONG).name == "b"
