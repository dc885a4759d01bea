"""What is known about a change beside that it happened: the `detail` of a `changed` event.

same       the cited section says what it said before: the change is elsewhere on the page
changed    the cited section itself says something else
missing    the cited section is gone
unknown    nobody can tell: it was not looked at before, or is not for markup to say
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from holdfast.core.drift import Drift
from holdfast.core.values import dataclass

__all__ = ["ChangeDetail", "SectionVerdict", "judge_sections"]


class SectionVerdict(StrEnum):
    """What a change of a page means for one of its sections."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """How much changed, and what of that concerns the sections that are cited, by fragment."""

    drift: Drift | None = None
    sections: Mapping[str, SectionVerdict] = field(default_factory=dict)


def judge_sections(
    before: Mapping[str, str], after: Mapping[str, str], is_there: Mapping[str, bool | None]
) -> dict[str, SectionVerdict]:
    """What a new revision means for each section: hashes before and after, and whether it is there now."""
    verdicts = {}
    for name, there in sorted(is_there.items()):
        old, new = before.get(name), after.get(name)
        if there is False:
            verdicts[name] = SectionVerdict.MISSING
        elif not there or old is None or new is None or _version(old) != _version(new):
            verdicts[name] = SectionVerdict.UNKNOWN
        else:
            verdicts[name] = SectionVerdict.SAME if old == new else SectionVerdict.CHANGED
    return verdicts


def _version(section_hash: str) -> str:
    return section_hash.partition("-")[0]
