"""From what a run found to a report (TRK-9): one finding for each citation that somebody may have to act on.

1. What an ignore or a rule of the user's own leaves out makes no finding.
2. That nobody was asked is not a finding; that one was left out when others were asked is.
3. Changes are those of this run: told once. What is told of each citation is `core.citation_findings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.core.citation import Backlink, CitedPlace
from holdfast.core.citation_findings import KnownUrl, change_finding, link_findings
from holdfast.core.citation_state import standing
from holdfast.core.hosts import HostRules
from holdfast.core.link_state import FAILING, LinkState
from holdfast.core.page import Span
from holdfast.core.policy import Policy
from holdfast.core.redirect_loss import Landing
from holdfast.core.report import FindingPlace, Report, ReportFinding, in_order
from holdfast.core.report_rules import READING_RULES, RuleCode
from holdfast.core.values import dataclass
from holdfast.questions.track.facts import LedgerFacts

if TYPE_CHECKING:
    from holdfast.questions.track.planning import Cited
    from holdfast.questions.track.read_report import DocumentProblem
    from holdfast.questions.track.result import TrackResult

__all__ = ["Reporter"]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes reports; `facts` are what ledger and archive know of what could be done."""

    facts: LedgerFacts
    policy: Policy
    rules: HostRules
    is_light: bool = False

    def report(self, result: TrackResult) -> Report:
        """Everything worth telling."""
        findings: list[ReportFinding] = []
        for entry in result.cited:
            if self._counts(entry):
                findings += self._of_url(entry, eager=result.eager, asked=bool(result.asked))
        nodes = {entry.node.place.url: entry for entry in result.cited}
        for event in result.changes:
            entry = nodes[event.url]
            if self._counts(entry):
                findings += [change_finding(link, entry.node, event) for link in _counted(entry)]
        findings += [_of_problem(problem) for problem in result.read.problems]
        if result.is_whole:
            findings += self._unused_rules(result)
        documents = dict.fromkeys(result.read.paths, 0)
        for entry in result.cited:
            for backlink in entry.backlinks:
                documents[backlink.document] = documents.get(backlink.document, 0) + 1
        off = READING_RULES if self.is_light else ()
        return Report(in_order(findings), documents, dict(result.states), result.asked, rules_off=off)

    def _counts(self, entry: Cited) -> bool:
        return self.rules.refusal_of(entry.node.fetch_url, _host(entry.node)) is None

    def _of_url(self, entry: Cited, *, eager: bool, asked: bool) -> Iterator[ReportFinding]:
        node = entry.node
        known = KnownUrl(
            node,
            standing(node, eager=eager),
            self.facts.kept_on(node) if node.state in FAILING else None,
            self.facts.is_secure(node),
            landing=self.facts.landing(node) if node.state is LinkState.MOVED_PERMANENT else Landing(),
        )
        for link in _counted(entry):
            yield from link_findings(link, known, self.policy, unchecked=asked)

    def _unused_rules(self, result: TrackResult) -> Iterator[ReportFinding]:
        for rule in self.rules.unused((e.node.fetch_url, _host(e.node)) for e in result.cited):
            message = f"{rule}, and nothing that is cited matches it"
            yield ReportFinding(RuleCode.IGNORE_UNUSED, "holdfast.toml", message, rule)


def _host(node: CitedPlace) -> str:
    host, _, port = node.place.host.rpartition(":")
    return host if port.isdigit() else node.place.host


def _counted(entry: Cited) -> list[Backlink]:
    return [link for link in entry.backlinks if not link.citation.ignored]


def _of_problem(problem: DocumentProblem) -> ReportFinding:
    place = FindingPlace(Span(0, 0, problem.line, 1, 1)) if problem.line else None
    subject = f"{problem.path}: {problem.message}"
    return ReportFinding(problem.code, problem.path, problem.message, subject, place=place)
