"""The moments that a row is given, read once from what all stores say: each store gets its own bound of them
(CLI-3). What an answer says of its moments is collected here as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from holdfast.adapters.git import revision_time
from holdfast.core.base.errors import UsageError
from holdfast.core.targets.bound import Bound
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.targets.moment import (
    GitRevision,
    LastRun,
    Moment,
    MomentRefusal,
    read_moment,
    shown_moment,
)
from holdfast.core.targets.moment_bounds import (
    DiffSides,
    MomentBounds,
    MomentUse,
    Timelines,
    bounds_of,
    diff_alone,
    diff_between,
    refused_in_diff,
)
from holdfast.core.targets.taken_target import LAST
from holdfast.jobs.look_here import OpenedStore
from holdfast.questions.log.timeline import timeline_of
from holdfast.questions.rows.question import QuestionRow

_NOTHING: Final = CommandTarget(TargetKind.NONE)
_Bounds = TypeVar("_Bounds", MomentBounds, DiffSides)
Calls = list[tuple[OpenedStore, dict[str, Any]]]
"""The stores that are asked, each with what the row is given there: its targets first, then its bounds."""


class RowMoments:
    """The moments of one call of a row; `told` has what is said of them."""

    def __init__(
        self, question: QuestionRow[..., Any], given: Mapping[str, Any], folder: Path, now: datetime
    ) -> None:
        self.told: list[str] = []
        self._question = question
        self._given = given
        self._folder = folder
        self._now = now

    def bounds(self, calls: Calls) -> dict[str, Sequence[Bound]]:
        """The bound of each moment that was given, in each store."""
        named = {one.kind.use: one.name for one in self._question.parameters if one.kind.use is not None}
        moments = {
            use: self._moment(given)
            for use, name in named.items()
            if (given := self._given.get(name)) is not None
        }
        if MomentUse.LEFT in named:
            left, right = self._sides(moments, calls)
            bounds = dict.fromkeys((MomentUse.LEFT, MomentUse.SINCE), left)
            bounds |= dict.fromkeys((MomentUse.RIGHT, MomentUse.UNTIL), right)
        else:
            bounds = {use: self._bound(each, use, calls) for use, each in moments.items()}
        return {named[use]: each for use, each in bounds.items() if each is not None}

    def _sides(
        self, moments: Mapping[MomentUse, Moment], calls: Calls
    ) -> tuple[Sequence[Bound] | None, Sequence[Bound] | None]:
        """Both sides of a difference; None where a run is the target, which is what it brought."""
        target = next((each for _, own in calls for each in own.values()), _NOTHING)
        words = {use: shown_moment(each) for use, each in moments.items()}
        behind = [words.pop(use) for use in (MomentUse.LEFT, MomentUse.RIGHT) if use in words]
        if target.kind is TargetKind.RUN and moments:
            raise UsageError("a run takes no further moment", hint="holdfast diff MIRROR A B")
        if refused := refused_in_diff(behind, words):
            raise UsageError(refused.message, hint=refused.hint)
        if target.kind is TargetKind.RUN and target.value != LAST:
            return None, None
        if MomentUse.RIGHT in moments and MomentUse.LEFT not in moments:
            raise UsageError("the older moment is missing", hint="holdfast diff TARGET A B")
        if MomentUse.RIGHT in moments:
            sides = (self._bound(moments[use], use, calls) for use in (MomentUse.LEFT, MomentUse.RIGHT))
            return next(sides), next(sides)
        if since := moments.get(MomentUse.SINCE):
            found = self._not_refused(diff_between(since, None, self._timelines(since, calls)))
            self._tell_of(found.left)
            until = moments.get(MomentUse.UNTIL)
            return found.left.each, self._bound(until, MomentUse.UNTIL, calls) if until else found.right.each
        alone = LastRun() if target.kind is TargetKind.RUN else moments.get(MomentUse.LEFT)
        found = self._not_refused(diff_alone(alone, self._timelines(alone, calls)))
        if alone is not None:
            self._tell_of(found.left)
        return found.left.each, found.right.each

    def _bound(self, moment: Moment, use: MomentUse, calls: Calls) -> Sequence[Bound]:
        found = self._not_refused(bounds_of(moment, use, self._timelines(moment, calls)))
        self._tell_of(found)
        return found.each

    @staticmethod
    def _not_refused(found: _Bounds | MomentRefusal) -> _Bounds:
        if isinstance(found, MomentRefusal):
            raise UsageError(found.message, hint=found.hint)
        return found

    def _tell_of(self, found: MomentBounds) -> None:
        self.told += [f"The moment {each}." for each in found.told]

    def _moment(self, given: Any) -> Moment:
        moment = read_moment(given, self._now) if isinstance(given, str) else given
        if isinstance(moment, MomentRefusal):
            raise UsageError(moment.message, hint=moment.hint)
        return moment

    def _timelines(self, moment: Moment | None, calls: Calls) -> Timelines:
        stores = tuple(
            store.reader.ask(timeline_of, target=next(iter(own.values()), _NOTHING), moment=moment)
            for store, own in calls
        )
        times = None
        if isinstance(moment, GitRevision):
            time = revision_time(self._folder, moment.name)
            times = {moment.name: time} if time else ({} if self._is_in_git() else None)
        return Timelines(stores, self._now, times)

    def _is_in_git(self) -> bool:
        folder = self._folder.resolve()
        return any((each / ".git").exists() for each in (folder, *folder.parents))
