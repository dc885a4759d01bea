"""How the cost of a piece of work grows with its input: what tests compare instead of asserting a duration.

A square would cost sixteen times as much for four times the input, a linear reader four times. The measure is
processor time of this thread, the best of several samples: a busy neighbour makes a sample dearer, never
cheaper, so more samples only bring it nearer to the truth, and the ratio does not depend on the machine.
Memory is measured likewise: what other threads allocate meanwhile comes on top of it. Where the cost of two
questions is nearly the same, time does not tell them apart, and their steps are counted.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable
from types import FrameType

import apsw

FACTOR = 4
MOST = 10.0
NOISE = 0.004
SAMPLES = 3
TRIES = 6


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as much `FACTOR` times the size costs; the lowest ratio seen in a few tries."""
    small = large = float("inf")
    for _ in range(TRIES):
        small = min(small, best_cost(lambda: work(size)))
        large = min(large, best_cost(lambda: work(size * FACTOR), samples=1))
        if large <= MOST * small + NOISE:
            break
    return (large - NOISE) / small


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether the cost grows with the size and not with its square; `work` makes its input from a size."""
    return growth(work, size) <= MOST


def steps_of(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls in this thread, and how many steps SQLite's machine takes for
    it, on connections that it opens: the same on every machine, however busy.
    """
    steps = 0

    def called(frame: FrameType, event: str, argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    def answered(event: dict) -> None:
        nonlocal steps
        steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, answered)

    apsw.connection_hooks.append(watch)
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
        apsw.connection_hooks.remove(watch)
    return steps


def best_cost(work: Callable[[], object], samples: int = SAMPLES) -> float:
    """The least processor time that a piece of work took."""
    costs = []
    for _ in range(samples):
        begun = time.thread_time()
        work()
        costs.append(time.thread_time() - begun)
    return min(costs)


def least_memory(work: Callable[[], object], samples: int = SAMPLES) -> int:
    """The least that a piece of work held at its height, in bytes."""
    peaks = []
    for _ in range(samples):
        tracemalloc.start()
        work()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return min(peaks)
