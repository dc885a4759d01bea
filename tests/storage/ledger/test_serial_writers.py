"""LIN-6 as it is proven: concurrent writers leave the edges of some serial order.

Several connections commit batches over few URLs and few contents, so that they meet all the time. Each batch
takes a ticket once its locks are held; all batches are then written again into the ledger in memory, in the
order of their tickets, and every edge must be the same. Without the locks the same comparison fails: that is
what shows that it compares anything.
"""

from __future__ import annotations

import random
import threading

import psycopg
import pytest

from helpers.ledger_cases import RECIPE, at, memory_ledger, place, run, seen
from holdfast.core.base.errors import LedgerError
from holdfast.storage.postgres.postgres_ledger import PostgresLedger, check_database, open_postgres
from holdfast.storage.postgres.postgres_server import PostgresDatabase

WRITERS, BATCHES, URLS, CONTENTS, SIZE = 4, 20, 8, 6, 4


class Tickets:
    """Batches in the order in which they were judged."""

    def __init__(self):
        self._lock = threading.Lock()
        self.batches = []

    def take(self, batch):
        with self._lock:
            self.batches.append(batch)
            return len(self.batches) - 1


class Watched(PostgresDatabase):
    """A connection whose batches take a ticket when their locks are held. The mutant takes no locks: its
    batches wait for each other, so that they are surely judged at once.
    """

    meeting: threading.Barrier | None = None
    tickets: Tickets
    batch = None
    ticket = None

    def lock(self, keys):
        if self.meeting is None:
            super().lock(keys)
        else:
            self.meeting.wait(60)
        self.ticket = self.tickets.take(self.batch)


def batches_of(writer):
    chance = random.Random(writer)
    for number in range(BATCHES):
        names = chance.sample(range(URLS), SIZE)
        yield [
            seen(place(str(name)), writer + WRITERS * number + 0.1 * n, f"text {chance.randrange(CONTENTS)}")
            for n, name in enumerate(names)
        ]


def write_together(address, tickets, without_locks):
    open_postgres(address, at(0)).close()
    failed = []
    together = threading.Barrier(WRITERS)

    def write(writer):
        db = Watched(address)
        db.meeting, db.tickets = (together if without_locks else None), tickets
        ledger = PostgresLedger(db)
        together.wait()
        for batch in batches_of(writer):
            db.batch = batch
            try:
                ledger.commit("run-1", batch, at(1_000))
            except LedgerError:  # without locks two may write one row
                failed.append(db.ticket)
        ledger.close()

    first = open_postgres(address, at(0))
    first.runs.begin_run(run())
    first.close()
    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [batch for ticket, batch in enumerate(tickets.batches) if ticket not in failed], failed


def edges_in(ledger):
    """Every item that can be found, with its edges; times are not compared: they are each ledger's own."""
    items = {
        seen_there.item.item_id
        for name in range(URLS)
        for seen_there in ledger.history.of_url(place(str(name)).web_key, RECIPE)
    }
    return {item: ledger.history.relations(item).outgoing for item in items}


def replayed(batches):
    memory = memory_ledger()
    memory.runs.begin_run(run())
    for batch in batches:
        memory.commit("run-1", batch, at(1_000))
    return edges_in(memory)


def differing(one, two):
    return sum(one.get(item) != two.get(item) for item in one.keys() | two.keys())


@pytest.mark.spec("LIN-6", "CLU-1")
def test_concurrent_writers_leave_the_edges_of_a_serial_order(postgres):
    batches, failed = write_together(postgres, Tickets(), without_locks=False)
    assert failed == []
    assert len(batches) == WRITERS * BATCHES
    ledger = open_postgres(postgres, at(0))
    found = edges_in(ledger)
    ledger.close()
    assert differing(found, replayed(batches)) == 0
    assert list(check_database(postgres)) == []


@pytest.mark.spec("LIN-6")
def test_without_locks_they_do_not(postgres):
    with psycopg.connect(postgres, autocommit=True) as other:
        assert other.execute("SHOW default_transaction_isolation").fetchone()[0] == "read committed"
    batches, failed = write_together(postgres, Tickets(), without_locks=True)
    ledger = open_postgres(postgres, at(0))
    found = edges_in(ledger)
    ledger.close()
    assert failed or differing(found, replayed(batches)) > 0
