"""Which findings came and which went between two reports; one that is on another line now did neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from holdfast.core.report import ReportFinding

__all__ = ["came_and_went"]

_Sign = tuple[str, str, str, str]


def came_and_went(
    before: Iterable[ReportFinding], after: Iterable[ReportFinding]
) -> tuple[tuple[ReportFinding, ...], tuple[ReportFinding, ...]]:
    """What is only in the second, and what is only in the first."""
    first, second = tuple(before), tuple(after)
    return _without(second, first), _without(first, second)


def _without(some: tuple[ReportFinding, ...], others: tuple[ReportFinding, ...]) -> tuple[ReportFinding, ...]:
    left = Counter(map(_sign, others))
    found = []
    for finding in some:
        sign = _sign(finding)
        if left[sign]:
            left[sign] -= 1
        else:
            found.append(finding)
    return tuple(found)


def _sign(finding: ReportFinding) -> _Sign:
    return finding.document, str(finding.code), finding.subject, finding.url
