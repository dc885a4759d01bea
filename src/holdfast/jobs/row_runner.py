"""A row run: asked once in each store, for every face alike (CLI-2, CLI-3).

1. A question reads the nearest store at or above the folder and those below it; a store that is named is
   asked alone. The look below is bounded, and an answer whose look met its bound says so. Nothing is
   remembered between calls.
2. Targets are read here and moments in `row_moments`, once, from what all stores say. Each store gets the
   target as it is called there, a page by the address that was written, and its own bound of the moment. A
   store that the target does not concern is not asked.
3. The answer has a part for each store that has one, in their order. `limit` counts over all parts; `next`
   names its store, and is given back as `from`.
4. A store that cannot answer is told of, and the others answer. Where none has a part, the answer is the
   error that wins by its status; of what is not kept, what a store says that knows the thing. Of a row that
   is of all stores, that none is here or can be read is the answer.
5. A row with a job is run in the same way: its targets are read, then the job is handed each store, which
   nobody has open then. Where no target is named no store is opened before: it may be damaged. What asks is
   tried first, as with `--dry-run`; it is done where somebody agreed, in one store (rule 4 of the surface).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import (
    ExitStatus,
    FailedError,
    HoldfastError,
    NotKeptError,
    RefusedError,
    UsageError,
)
from holdfast.core.base.figures import counted
from holdfast.core.base.late_modules import thing_named
from holdfast.core.settings.resolve import Settings
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.targets.command_target import CommandTarget, PathFact, TargetKind
from holdfast.core.targets.taken_target import taken_target
from holdfast.core.targets.target import read_target
from holdfast.core.targets.target_refusals import TargetRefusal
from holdfast.core.url.url import Url, parse_url
from holdfast.jobs.look_here import OpenedStore, TargetsHere
from holdfast.jobs.places import stores_to_ask
from holdfast.jobs.read_store import open_reader
from holdfast.jobs.row_moments import Calls, RowMoments
from holdfast.questions.reader import Reader
from holdfast.questions.rows.parameters import FROM, ROWS, TARGET
from holdfast.questions.rows.question import QuestionRow, StoreAnswers, StoreFailure, StorePart
from holdfast.questions.rows.table import JOBS

if TYPE_CHECKING:
    from holdfast.adapters.ports import Event, Observer
    from holdfast.jobs.served_stores import ServedState

_ORDER: Final = (ExitStatus.FAILED, ExitStatus.REFUSED, ExitStatus.FINDINGS, ExitStatus.USAGE)
_PARTIAL: Final = "There may be more stores below: the look for them met its bound. --store names one."


class StoreAtWork(NamedTuple):
    """A store as a job gets it: nobody has it open. `observer` is told how far the job is."""

    state: Path
    settings: Settings
    observer: Observer

    @property
    def root(self) -> Path:
        """The folder that has the store."""
        return self.state.resolve().parent


class StoreToAsk(NamedTuple):
    """A store that can be asked: its name in the answer, the folder that has it, and how it is opened; and
    what a job gets of it, where there may be one.
    """

    name: str
    root: Path
    open: Callable[[], AbstractContextManager[Reader]]
    work: StoreAtWork | None = None


class AskedFrom(NamedTuple):
    """Where a question is asked: the folder that paths are seen from, the stores, the settings file in force;
    whether the look for stores met its bound, and whether the stores are served to others.
    """

    folder: Path
    stores: Sequence[StoreToAsk]
    file: SettingsFile
    is_partial: bool = False
    is_served: bool = False


class _Silent:
    """An observer that says nothing."""

    def notice(self, event: Event) -> None:
        """Say nothing of it."""


def asked_here(
    settings: Settings,
    file: SettingsFile,
    settings_at: Callable[[Path], Settings],
    tell: Callable[[int, int], None] | None = None,
    observer: Observer | None = None,
    about: Sequence[Any] = (),
    *,
    may_be_none: bool = False,
) -> AskedFrom:
    """From the current folder: the store that the settings name, else those around it, and around the paths
    that a call is `about`. A store that does not lie above is read by the settings of its own folder, which
    `settings_at` has, and so not before they are trusted (SEC-9); `tell` learns how far a search index is
    that has to be built, `observer` how far a job is. That there is no store is an error, unless there
    `may_be_none`.
    """
    here = Path.cwd()
    paths = [Path(each) for each in about if isinstance(each, str) and each]
    found = stores_to_ask(settings, paths, may_be_none=may_be_none)
    is_named = settings.store.ledger is not None or settings.store.folder is not None

    def to_ask(state: Path) -> StoreToAsk:
        name = Path(os.path.relpath(state.parent, here)).as_posix()
        is_around = state == found.stores[0] and here.resolve().is_relative_to(state.parent.resolve())
        own = settings if is_named or is_around else settings_at(state.parent)
        work = StoreAtWork(state, own, observer or _Silent())
        return StoreToAsk(name, state.parent, lambda: open_reader(own, state, tell), work)

    return AskedFrom(here, [to_ask(state) for state in found.stores], file, found.met_bound)


def asked_served(sources: Sequence[ServedState]) -> AskedFrom:
    """From the stores that are served, by their names: paths are seen from the first."""
    stores = [StoreToAsk(each.name, each.root, each.open) for each in sources]
    return AskedFrom(stores[0].root, stores, SettingsFile(), is_served=True)


Agree = Callable[[StoreAnswers[Any], str], None]
"""Asks somebody, who sees what a dry run says; raises what a no is."""


def run_row(
    question: QuestionRow[..., Any],
    given: Mapping[str, Any],
    asked: AskedFrom,
    now: datetime | None = None,
    agree: Agree | None = None,
) -> StoreAnswers[Any]:
    """What all stores answer. `given` has the parameters that were given, by name: targets and moments as
    texts, all else read. Without `agree` the call has said yes to all that it does.
    """
    failed: dict[str, HoldfastError] = {}
    is_work = question.name in JOBS
    names = [one.name for one in question.parameters if one.kind is TARGET or one.kind.use]
    is_opened = not is_work or any(given.get(name) for name in names)
    with ExitStack() as opened:
        stores: list[OpenedStore] = []
        for each in asked.stores:
            with _noted(each.name, failed):
                reader = opened.enter_context(each.open()) if is_opened else cast("Reader", None)
                stores.append(OpenedStore(each.name, each.root, reader))
        if not (stores or question.is_of_all):
            raise worst_of(failed.values())
        run = _Run(question, given, asked, stores, failed, now or SystemClock().now())
        calls = run.calls()
        if not is_work:
            return run.answer(calls, lambda store, values: store.reader.ask(question, **values))
    return _worked(run, calls, agree)


def _worked(run: _Run, calls: Calls, agree: Agree | None) -> StoreAnswers[Any]:
    """What a job came to, once it is agreed to."""
    question, given, asked = run.question, run.given, run.asked
    if not calls:
        raise UsageError("no store is there", hint="--store names one elsewhere")
    do = thing_named(JOBS[question.name])
    works = {each.name: each.work for each in asked.stores}
    usual = {one.name: one.default for one in question.parameters}

    def work(store: OpenedStore, values: Mapping[str, Any]) -> Any:
        found = do(works[store.name], **{**usual, **values})
        return thing_named("jobs.running:run_anywhere")(found) if isinstance(found, Coroutine) else found

    def trial(store: OpenedStore, values: Mapping[str, Any]) -> Any:
        return work(store, {**values, "dry_run": True})

    if given.get("dry_run") or not (question.asks_of or question.writes(given)):
        return run.answer(calls, work)
    if question.writes(given):
        _require_one(question, asked, [store.name for store, _ in calls])
    if question.asks_of is None:
        return run.answer(calls, work)
    plan = run.answer(calls, trial)
    asks = {part.store: words for part in plan.parts if (words := question.asks_of(part.value))}
    if not asks:
        return plan
    _require_one(question, asked, [*asks])
    if agree is not None:
        agree(plan, *asks.values())
    return run.answer([call for call in calls if call[0].name in asks], work)


def _require_one(question: QuestionRow[..., Any], asked: AskedFrom, stores: Sequence[str]) -> None:
    """Nothing is written in several stores, and in none where there may be more."""
    if len(stores) > 1 or asked.is_partial:
        calls = "\n".join(f"    holdfast {question.name} --store {name} …" for name in stores)
        more = ", and there may be more below" if asked.is_partial else ""
        what = f"this writes, and is about {counted(len(stores), 'store')}{more}: nothing was done"
        raise UsageError(what, hint=f"name one:\n{calls}")


@contextmanager
def _noted(store: str, failed: dict[str, HoldfastError]) -> Iterator[None]:
    """A store that cannot answer does not keep the others from it."""
    try:
        yield
    except (FailedError, RefusedError, NotKeptError) as error:
        failed[store] = error


def worst_of(errors: Iterable[HoldfastError]) -> HoldfastError:
    """The error that a call ends with where there are several; of what is not kept, that of a store that
    knows the thing.
    """
    return min(errors, key=lambda e: (_ORDER.index(e.exit_status), not getattr(e, "knows_it", False)))


def _as_written(target: CommandTarget, text: str | None) -> CommandTarget:
    """A page by the address that was written: a mirror may keep apart what `web` calls one place."""
    url = parse_url(text) if text and target.kind in (TargetKind.PAGE, TargetKind.SECTION) else None
    if not isinstance(url, Url):
        return target
    return replace(target, value=str(url) if target.kind is TargetKind.SECTION else url.href)


_Ask = Callable[[OpenedStore, Mapping[str, Any]], Any]
"""How one store is asked."""


class _Run:
    """One call of a row."""

    def __init__(
        self,
        question: QuestionRow[..., Any],
        given: Mapping[str, Any],
        asked: AskedFrom,
        stores: Sequence[OpenedStore],
        failed: dict[str, HoldfastError],
        now: datetime,
    ) -> None:
        self.question = question
        self.given = given
        self.asked = asked
        self._stores = stores
        self._failed = failed
        self._now = now
        self._here = TargetsHere(asked.folder, stores, asked.file, is_served=asked.is_served)
        self._told: list[str] = []
        self._limit = next((one for one in question.parameters if one.kind is ROWS), None)
        self._from = next((one for one in question.parameters if one.kind is FROM), None)

    def calls(self) -> Calls:
        """Which stores are asked, and for what."""
        targets = [one.name for one in self.question.parameters if one.kind is TARGET]
        read = {name: self._target(name) for name in targets}
        calls: Calls = [
            (store, {name: self._here.in_store(*each, store) for name, each in read.items()})
            for store in self._stores
        ]
        calls = [(store, own) for store, own in calls if None not in own.values()]
        moments = RowMoments(self.question, self.given, self.asked.folder, self._now)
        bounds = moments.bounds(calls)
        self._told += moments.told
        for number, (_, own) in enumerate(calls):
            own |= {name: each[number] for name, each in bounds.items()}
        return calls

    def answer(self, calls: Calls, ask: _Ask) -> StoreAnswers[Any]:
        """What they answer."""
        parts, following = self._parts(calls, ask)
        if not parts and self._failed and not self.question.is_of_all:
            raise worst_of(self._failed.values())
        failed = tuple(
            StoreFailure(store, error.message, error.exit_status)
            for store, error in self._failed.items()
            if not isinstance(error, NotKeptError)
        )
        told = (*self._told, *([_PARTIAL] if self.asked.is_partial else []))
        name, is_partial = self.question.name, self.asked.is_partial
        return StoreAnswers(name, parts, following, told, is_partial, failed)

    def _target(self, name: str) -> tuple[CommandTarget, PathFact]:
        """What is meant by what was written, and what stands at that path."""
        text = self.given.get(name)
        here = self._here.look(text)
        folders = {} if text is None else self._here.folders()
        found = taken_target(self.question.command, text, read_target(text, here), folders)
        if isinstance(found, TargetRefusal):
            raise UsageError(found.message, hint=found.hint)
        if found.told is not None:
            self._told.append(found.told.sentence)
        return _as_written(found, text), here.path(text or "")

    def _parts(self, calls: Calls, ask: _Ask) -> tuple[tuple[StorePart[Any], ...], str | None]:
        """The parts, and what names the rows that follow."""
        parts: list[StorePart[Any]] = []
        left = self.given.get(self._limit.name, self._limit.default) if self._limit else None
        for store, own, begin in self._begun(calls):
            if left == 0:
                return tuple(parts), f"{store.name}:"
            values = {**self.given, **own}
            values |= {self._limit.name: left} if self._limit else {}
            values |= {self._from.name: begin} if self._from else {}
            value = None
            with _noted(store.name, self._failed):
                value = ask(store, values)
            if value is None:
                continue
            parts.append(StorePart(store.name, value))
            if (following := getattr(value, "next", None)) is not None:
                return tuple(parts), f"{store.name}:{following}"
            if left is not None:
                left -= len(getattr(value, self.question.listed))
        return tuple(parts), None

    def _begun(self, calls: Calls) -> Iterator[tuple[OpenedStore, dict[str, Any], str]]:
        """The stores from the one on that `from` names, and the place in it."""
        text = str(self.given.get(self._from.name) or "") if self._from else ""
        first = (
            -1
            if not text
            else next(
                (number for number, (store, _) in enumerate(calls) if text.startswith(f"{store.name}:")), None
            )
        )
        if first is None:
            raise UsageError(
                f"{text[:80]!r} is no place in this answer", hint="it is `next` of the part before"
            )
        for number, (store, own) in enumerate(calls):
            if number >= first:
                yield store, own, text.removeprefix(f"{store.name}:") if number == first else ""
