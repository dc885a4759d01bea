"""Processes of this machine, and calls handed to other machines.

Calls go to other machines by the same methods as `Workers`: callers cannot tell the two apart.

1. Calls that wait and have their last arguments in common go together, a few pages at a time: a message
   through a cluster costs more than a small page.
2. There they run in worker processes of ours, under the same limits: a call has the same result, or is lost
   to the same limit, wherever it runs.
3. A group whose machine was lost again and again is taken apart: each of its calls is made alone once, and
   the one that ends its machine even so is lost.
4. Where the cluster itself is gone, whoever waits gets the error.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from holdfast.adapters.workers.pool import Workers
from holdfast.adapters.workers.process import Lost
from holdfast.core.base.errors import FailedError

_LOOK: Final = 0.2
_MOST_STARTS: Final = 100
_STOPS: Final = (signal.SIGINT, signal.SIGTERM)


class LocalEngine:
    """Processes of this machine."""

    def run_workers(self, command: Sequence[str], count: int) -> int:
        """Run a command that many times until all have ended in order; the highest exit status. One that was
        killed is started again. SIGINT and SIGTERM are passed on, and nothing is started any more.
        """
        told: list[int] = []
        before = {number: signal.signal(number, lambda new, _: told.append(new)) for number in _STOPS}
        try:
            return _until_all_ended(command, count, told)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _until_all_ended(command: Sequence[str], wanted: int, told: list[int]) -> int:
    """`told` grows by the signals that come. A process that one of them ends before it listens has begun
    nothing: that is an end in order, too.
    """
    running: list[subprocess.Popen[bytes]] = []
    worst = starts = passed_on = 0
    while True:
        while wanted and not told:
            running.append(subprocess.Popen(command))
            wanted, starts = wanted - 1, starts + 1
        while passed_on < len(told):
            for process in running:
                process.send_signal(told[passed_on])
            passed_on += 1
        if not running:
            return worst
        for status in _endings(running):
            if status >= 0:
                worst = max(worst, status)
            elif not told and starts < _MOST_STARTS:
                wanted += 1
            elif -status not in told:
                worst = max(worst, 1)


def _endings(running: list[subprocess.Popen[bytes]]) -> Iterator[int]:
    """The statuses of those that have ended, which then run no more; a short wait for each that has not."""
    for process in running[:]:
        try:
            status = process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            continue
        running.remove(process)
        yield status


T = TypeVar("T")
TOGETHER: Final = 8
Answer = tuple[bool, Any, str]
"""Whether there is a result; the result, or the reason of its loss; the words of that."""


class Submit(Protocol):
    """Has a function called somewhere else; the future says how it went."""

    def __call__(self, function: Callable[..., Any], /, *values: object) -> Future[Any]:
        """Hand it over, and go on."""
        ...


class _Group(NamedTuple):
    function: Callable[..., Any]
    common: tuple[object, ...]
    calls: tuple[tuple[tuple[object, ...], asyncio.Future[Any]], ...]


class SpreadWorkers:
    """Runs pure functions wherever `cluster submit` has them run. For one event loop; close it."""

    def __init__(self, submit: Submit) -> None:
        self._submit = submit
        self._waiting: deque[_Group] = deque()
        self._handing_out: asyncio.Handle | None = None
        self._under_way: set[Future[Any]] = set()

    async def run(self, function: Callable[..., T], *values: object, common: tuple[object, ...] = ()) -> T:
        """The function's result, or `Lost`; `common` are its last arguments."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.append(_Group(function, common, ((values, future),)))
        if self._handing_out is None:
            self._handing_out = loop.call_soon(self._hand_out)
        return await future

    def close(self) -> None:
        """Calls under way are dropped."""
        if self._handing_out is not None:
            self._handing_out.cancel()
        for future in tuple(self._under_way):
            future.cancel()
        for group in self._waiting:
            _cancel(group)
        self._waiting.clear()

    def _hand_out(self) -> None:
        self._handing_out = None
        while self._waiting:
            group = self._waiting.popleft()
            while self._waiting and len(group.calls) < TOGETHER and _are_alike(group, self._waiting[0]):
                group = group._replace(calls=group.calls + self._waiting.popleft().calls)
            self._send(group)

    def _send(self, group: _Group) -> None:
        loop = asyncio.get_running_loop()
        values = [values for values, _ in group.calls]
        try:
            sent = self._submit(answer_all, group.function, values, group.common)
        except FailedError as error:
            _fail(group, error)
            return
        self._under_way.add(sent)
        sent.add_done_callback(lambda done: loop.call_soon_threadsafe(self._answered, group, done))

    def _answered(self, group: _Group, done: Future[list[Answer]]) -> None:
        self._under_way.discard(done)
        try:
            answers = done.result()
        except CancelledError:
            _cancel(group)
        except FailedError as error:
            _fail(group, error)
        except Exception as error:  # noqa: BLE001 - whatever a machine of the cluster ended in
            if len(group.calls) > 1:
                for call in group.calls:
                    self._send(group._replace(calls=(call,)))
            else:
                _fail(group, Lost("crash", f"the machine it ran on was lost: {type(error).__name__}"))
        else:
            for (_, future), answer in zip(group.calls, answers, strict=True):
                _tell(future, answer)


def _are_alike(group: _Group, other: _Group) -> bool:
    return group.function is other.function and all(
        one is two for one, two in zip(group.common, other.common, strict=True)
    )


def _tell(future: asyncio.Future[Any], answer: Answer) -> None:
    if future.done():
        return
    is_done, result, words = answer
    if is_done:
        future.set_result(result)
    else:
        future.set_exception(Lost(result, words))


def _fail(group: _Group, error: Exception) -> None:
    for _, future in group.calls:
        if not future.done():
            future.set_exception(error)


def _cancel(group: _Group) -> None:
    for _, future in group.calls:
        future.cancel()


def answer_all(
    function: Callable[..., Any], calls: Sequence[tuple[object, ...]], common: tuple[object, ...]
) -> list[Answer]:
    """On a machine of the cluster: every call, in worker processes that stay for the next group."""
    loop, workers = _at_home()
    return asyncio.run_coroutine_threadsafe(_answers(workers, function, calls, common), loop).result()


async def _answers(
    workers: Workers,
    function: Callable[..., Any],
    calls: Sequence[tuple[object, ...]],
    common: tuple[object, ...],
) -> list[Answer]:
    async def one(values: tuple[object, ...]) -> Answer:
        try:
            return True, await workers.run(function, *values, common=common), ""
        except Lost as lost:
            return False, lost.reason, lost.detail

    return list(await asyncio.gather(*(one(values) for values in calls)))


@cache
def _at_home() -> tuple[asyncio.AbstractEventLoop, Workers]:
    """The worker process of this process, with a loop of its own; it ends when this process does."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="spread", daemon=True).start()
    return loop, Workers(1)
