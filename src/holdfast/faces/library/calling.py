"""How library functions are called: one convention for settings, one for the event loop.

1. Settings are keyword arguments under the names they have in `holdfast.toml`; neither a settings file nor
   the environment is read. A name that is not a setting is a `UsageError` (and an error of type checkers).
2. What a store remembers, or has queued, is obeyed only with `trust`: the library knows of no record that
   says which stores are the user's own (SEC-9).
3. What needs the network is a coroutine function (`holdfast.aio`); its plain form runs an event loop of its
   own. Where a loop runs already the plain form says what to await instead.
4. What only reads is a plain function; its form in `holdfast.aio` runs it in a thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from holdfast import jobs
from holdfast.core.base.errors import UsageError, nearest
from holdfast.core.base.late_modules import naming_extras
from holdfast.core.settings.reach import FolderWord
from holdfast.core.settings.resolve import Settings, names_by_key, resolve

if TYPE_CHECKING:
    from holdfast.adapters.ports import Event

P = ParamSpec("P")
T = TypeVar("T")


def settled(given: Mapping[str, Any], *, trust: bool = False, **more: Any) -> Settings:
    """Every setting: as given, else its default. `trust` is the caller's word for what stores say (SEC-9)."""
    names = names_by_key()
    for name in given:
        if name not in names:
            guess = nearest(name, names)
            raise UsageError(
                f"there is no setting {name!r}", hint=f"did you mean {guess}?" if guess else None
            )
    texts = {name: str(value) if hasattr(value, "__fspath__") else value for name, value in given.items()}
    whole = {name: value for key, value in texts.items() for name in names[key]}
    return replace(resolve(flags={**whole, **more}), folder=FolderWord(is_trusted_for_now=trust))


def awaited(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The coroutine form of a function of the library: a missing library names its extra."""

    @wraps(work)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with naming_extras():
            return await work(*args, **kwargs)

    call.__module__ = "holdfast.aio"
    return call


def blocking(work: Callable[P, Coroutine[Any, Any, T]], consent: str | None = None) -> Callable[P, T]:
    """The plain form of a coroutine function. One that waits for nothing unless it is given `consent`
    needs no event loop before, and so no socket (TRK-1): a loop has some of its own.
    """

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if consent is not None and not kwargs.get(consent):
            return _without_loop(work(*args, **kwargs))
        if not _loop_is_running():
            return jobs.running.run(work(*args, **kwargs))
        name = work.__name__
        raise UsageError(
            f"holdfast.{name} cannot wait where an event loop runs already",
            hint=f"write `await holdfast.aio.{name}(…)` instead",
        )

    call.__module__ = "holdfast"
    return call


def _loop_is_running() -> bool:
    """Whether an event loop runs in this thread. Where nobody has imported asyncio there is none."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _without_loop(work: Coroutine[Any, Any, T]) -> T:
    try:
        work.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    raise RuntimeError("a coroutine waits that should not")


class _Silent:
    """An observer that says nothing."""

    def notice(self, event: Event) -> None:
        """Say nothing of it."""


SILENT = _Silent()
