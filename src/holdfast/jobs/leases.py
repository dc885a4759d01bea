"""Who works on what, where several machines write to one ledger and one archive (CLU-2)."""

from __future__ import annotations

import os
import platform
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import HoldfastError
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.places import server_address
from holdfast.storage.postgres.job_queue import JobTable
from holdfast.storage.postgres.postgres_ledger import open_database

LEASE_SECONDS: Final = 15.0
_ASKED_TO_LEAVE: Final = 2


def owner_name() -> str:
    """What this process is called: the machine, the process, and a random part."""
    return f"{platform.node()}/{os.getpid()}/{secrets.token_hex(3)}"


def open_jobs(settings: Settings) -> JobTable:
    """The queue on the ledger's server; the schema is made where there is none."""
    return JobTable(open_database(server_address(settings), SystemClock().now()))


@contextmanager
def holding(settings: Settings, name: str) -> Iterator[JobLease]:
    """Work on something that is not in the queue; nobody else works on it meanwhile."""
    jobs = open_jobs(settings)
    try:
        lease = jobs.begin(name, owner_name(), LEASE_SECONDS)
        try:
            with beating(settings, lease, LEASE_SECONDS):
                yield lease
        finally:
            jobs.leave(lease)
    finally:
        jobs.close()


@contextmanager
def beating(
    settings: Settings,
    lease: JobLease,
    seconds: float,
    asked: Callable[[int], object] = lambda _times: None,
) -> Iterator[None]:
    """Renew a lease on a thread of its own. `asked` hears how often the job was asked to stop; one that was
    lost is asked to leave at once.
    """
    done = threading.Event()
    jobs = open_jobs(settings)

    def beat() -> None:
        while not done.wait(seconds / 4):
            try:
                times = jobs.renew(lease, seconds)
            except HoldfastError:
                continue  # the server may be back before the lease is over; if not, writing finds out
            if times is None:
                asked(_ASKED_TO_LEAVE)
                return
            if times:
                asked(times)

    thread = threading.Thread(target=beat, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        jobs.close()
