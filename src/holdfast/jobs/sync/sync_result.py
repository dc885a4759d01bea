"""What a call of `sync` came to, part by part: value, exit status, words, JSON.

The status is 0 when the work was done, also where upstream took pages away. Where several hold: 130, 5, 3,
4, 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.json_shape import INTEGER, TEXT, Schema, array, at, counts_of, one_of, record
from holdfast.core.base.values import dataclass
from holdfast.core.url.redaction import shown

if TYPE_CHECKING:
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.mirror.summary import Summary
    from holdfast.jobs.sync.sync_plan import SyncPlan

FAIL_ON: Final = ("failed", "gone", "changed", "dead", "none")
"""What can make the status 1: pages that failed or went, what changed, cited links that are dead."""
_ORDER: Final = (
    ExitStatus.INTERRUPTED,
    ExitStatus.NO_SPACE,
    ExitStatus.FAILED,
    ExitStatus.REFUSED,
    ExitStatus.FINDINGS,
    ExitStatus.SUCCESS,
)


@dataclass(frozen=True, slots=True)
class SyncedPart:
    """A mirror or a check that had its turn; `found` counts what came of it, `error` is why nothing did."""

    kind: str
    name: str
    status: int
    found: Mapping[str, int]
    error: str = ""
    summary: Summary | None = None
    result: TrackResult | None = None


@dataclass(frozen=True, slots=True)
class Synced:
    """What a call came to: each part, and what it passed over, with the reason."""

    parts: tuple[SyncedPart, ...]
    passed_over: tuple[tuple[str, str], ...] = ()

    @property
    def status(self) -> int:
        """The exit status; a part that could not be done is told by its own where it is alone."""
        if len(self.parts) == 1:
            return self.parts[0].status  # nothing was beside it
        found = {_beside_others(part) for part in self.parts}
        return next(status for status in _ORDER if status in found or status is ExitStatus.SUCCESS)


def _beside_others(part: SyncedPart) -> int:
    is_own = part.status in (ExitStatus.INTERRUPTED, ExitStatus.NO_SPACE)
    return ExitStatus.FAILED if part.error and not is_own else part.status


def plan_lines(plan: SyncPlan) -> Iterator[str]:
    """What would be brought up to date, in order, and what is passed over."""
    for mirror in plan.mirrors:
        yield f"mirror {mirror.name}: from {', '.join(map(shown, mirror.request.sources))}"
    for check in plan.checks:
        asks = "asks what they cite" if check.asks else "local links alone; --fetch-urls asks what they cite"
        yield f"check {check.name}: {asks}"
    yield from (f"passed over {name}: {why}" for name, why in passed(plan))


def passed(plan: SyncPlan) -> Iterator[tuple[str, str]]:
    """What a plan passes over, and why."""
    yield from ((each.name, each.why) for each in plan.passed_over)
    yield from ((name, "young enough: nothing is asked") for name in plan.young)


def part_line(part: SyncedPart) -> str:
    """A part in a line."""
    if part.error:
        return f"{part.kind} {part.name}: {part.error}"
    found = {word: count for word, count in part.found.items() if count}
    if not found:
        return f"{part.kind} {part.name}: nothing new"
    return f"{part.kind} {part.name}: {', '.join(f'{count:,} {word}' for word, count in found.items())}"


SYNC: Final = Schema(
    "sync",
    "What `holdfast sync` brought up to date, part by part; with `--dry-run` what it would.",
    record(
        parts=array(
            record(
                kind=one_of(("mirror", "check", "rest")),
                name=TEXT,
                status=at(lambda part: int(part.status), INTEGER),
                found=counts_of(),
                error=TEXT,
            )
        ),
        passed_over=array(record(name=at(lambda pair: pair[0], TEXT), why=at(lambda pair: pair[1], TEXT))),
    ),
)


def planned(plan: SyncPlan) -> Synced:
    """A plan as `--dry-run --json` tells it: nothing came of it yet."""
    named = [
        *(("mirror", each.name) for each in plan.mirrors),
        *(("check", each.name) for each in plan.checks),
    ]
    parts = [SyncedPart(kind, name, ExitStatus.SUCCESS, {}) for kind, name in named]
    return Synced(tuple(parts), tuple(passed(plan)))
