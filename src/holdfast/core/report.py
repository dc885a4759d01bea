"""A report: what a run found, as one closed value that every output format is written from (TRK-9).

1. A finding is about one place in one document. A dead URL that is cited five times makes five findings.
2. `key` is what a finding is called from run to run: what is wrong and with which URL, never where.
   Baselines and fingerprints are made of it, so that a moved line or a renamed document is nothing new.
3. `is_known` says that the baseline has it: it is shown, and fails no build.
4. Findings stand in the order of document, line, column, code; equal runs give equal reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdfast.core.drift import Drift
from holdfast.core.link_state import FAILING, LinkState, Standing
from holdfast.core.page import Mention, Span
from holdfast.core.report_rules import RULES, Level, RuleCode, level_of
from holdfast.core.values import dataclass

__all__ = [
    "FindingKey",
    "FindingPlace",
    "Report",
    "ReportFinding",
    "Suggestion",
    "SuggestionKind",
    "in_order",
]


class SuggestionKind(StrEnum):
    """What is suggested: another URL in the link's place, or a copy that Holdfast kept."""

    REPLACE = "replace"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What could be done: `text` is the URL to cite, or the command that opens the copy."""

    kind: SuggestionKind
    text: str


@dataclass(frozen=True, slots=True, order=True)
class FindingKey:
    """What is wrong, and with what: the words of a line in a baseline."""

    kind: str
    subject: str


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """Where in a document a finding stands; `used_on` is the line that refers to it, where it is another."""

    span: Span
    used_on: int | None = None

    @staticmethod
    def of(mention: Mention) -> FindingPlace:
        """Where a link stands."""
        return FindingPlace(mention.span, mention.used.line if mention.used else None)


@dataclass(frozen=True, slots=True)
class ReportFinding:
    """One finding. `subject` is the canonical URL, with the fragment where the section is what is wrong.

    `url` is the link as written, empty for findings about ignores and documents; `place` is where it stands,
    None for what concerns a whole file.
    """

    code: RuleCode
    document: str
    message: str
    subject: str
    url: str = ""
    state: LinkState | None = None
    standing: Standing | None = None
    place: FindingPlace | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    drift: Drift | None = None
    suggestion: Suggestion | None = None
    is_known: bool = False

    @property
    def level(self) -> Level:
        """How loud it is."""
        return level_of(self.code, self.standing)

    @property
    def name(self) -> str:
        """The rule's name."""
        return RULES[self.code].name

    @property
    def key(self) -> FindingKey:
        """What it is called from run to run: a 404 that becomes a 410, or is confirmed, is one dead link."""
        kind = "dead" if self.state in FAILING else self.name
        return FindingKey(kind, self.subject)

    @property
    def span(self) -> Span | None:
        """What of the document it is about; None for what concerns a whole file."""
        return self.place.span if self.place else None

    @property
    def line(self) -> int:
        """The line it is on; 1 for what concerns a whole file."""
        return self.span.line if self.span else 1

    @property
    def lines(self) -> tuple[int, ...]:
        """Every line that it is about."""
        used_on = self.place.used_on if self.place else None
        return (self.line,) if used_on is None else (self.line, used_on)


@dataclass(frozen=True, slots=True)
class Report:
    """What one run found, and how much it looked at.

    `states` counts URLs by state. `documents` has the number of links of each document that was looked at.
    `settled` are keys of the baseline that are fine now; `since` is the revision that a report is limited to.
    `rules_off` are the rules by which this run could not speak: a light check reads no pages. `not_judged`
    are the local links that lead nowhere as far as we see, and may be right by a rule of a generator.
    `made_at` is when it was told.
    """

    findings: tuple[ReportFinding, ...]
    documents: Mapping[str, int]
    states: Mapping[str, int] = field(default_factory=dict)
    asked: int = 0
    settled: tuple[FindingKey, ...] = ()
    since: str | None = None
    version: str = ""
    rules_off: tuple[RuleCode, ...] = ()
    not_judged: tuple[ReportFinding, ...] = ()
    made_at: datetime | None = None

    @property
    def links(self) -> int:
        """How many links were looked at."""
        return sum(self.documents.values())

    @property
    def counted(self) -> Mapping[Level, int]:
        """How many findings of each level are not in the baseline."""
        counts = dict.fromkeys(Level, 0)
        for finding in self.findings:
            counts[finding.level] += not finding.is_known
        return counts


def in_order(findings: Sequence[ReportFinding]) -> tuple[ReportFinding, ...]:
    """Findings as a report has them."""

    def place(finding: ReportFinding) -> tuple[str, int, int, str, str]:
        column = finding.span.column if finding.span else 0
        return finding.document, finding.line, column, finding.code, finding.subject

    return tuple(sorted(findings, key=place))
