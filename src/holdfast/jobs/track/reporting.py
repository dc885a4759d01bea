"""From what a run found to a report (TRK-9): one finding for each citation that somebody may have to act on.

1. What an ignore or a rule of the user's own leaves out makes no finding.
2. That nobody was asked is no finding; that one was left out when others were asked is.
3. A failing link comes with the copy that was kept of it, where there is one.
4. Changes are those of this run: told once.
5. Secrets in query strings are not told: reports and baselines are kept where others read them (SEC-3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.core.change_detail import SectionVerdict
from holdfast.core.citation import Backlink, CitedPlace, LedgerEvent
from holdfast.core.citation_state import standing
from holdfast.core.fixes import Mended, mend, secure_form, without_trackers
from holdfast.core.hosts import HostRules
from holdfast.core.link_reasons import reason_of
from holdfast.core.link_state import FAILING, LinkState, Standing
from holdfast.core.page import PageWarning, Span
from holdfast.core.policy import Policy
from holdfast.core.redaction import Shown, shown
from holdfast.core.report import Report, ReportFinding, Suggestion, SuggestionKind, in_order
from holdfast.core.report_rules import READING_RULES, RULES, STATE_RULES, WARNING_RULES, RuleCode
from holdfast.jobs.track.facts import LedgerFacts

if TYPE_CHECKING:
    from holdfast.jobs.track.planning import Cited
    from holdfast.jobs.track.reading import DocumentProblem
    from holdfast.jobs.track.result import TrackResult

__all__ = ["Reporter", "subject_of", "unsure"]

_SILENT = (LinkState.OK, LinkState.CHANGED)


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
        for event, entry in result.changed:
            if self._counts(entry):
                findings += [self._of_change(event, entry.node, link) for link in _counted(entry)]
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
        state, stands = node.state, standing(node, eager=eager)
        kept = self._kept(node) if state in FAILING else None
        for link in _counted(entry):
            if state not in _SILENT and (asked or state is not LinkState.UNCHECKED):
                yield self._of_state(link, node, stands, kept)
            if stands is Standing.ALIVE:
                yield from _of_warnings(link, node)
            if link.citation.finding == LinkState.FRAGMENT_MISSING:
                yield _finding(RuleCode.FRAGMENT_MISSING, link, node, _gone_section(link), Standing.SUSPECT)
            yield from self._of_spelling(link, node, stands)

    def _of_state(
        self, link: Backlink, node: CitedPlace, stands: Standing, kept: Suggestion | None
    ) -> ReportFinding:
        state = node.state
        message = f"{shown(node.place.url)}: {reason_of(state, node.notes.evidence)}"
        if node.final_url and state in (LinkState.MOVED_PERMANENT, LinkState.MOVED_TEMPORARY):
            message += f", to {node.final_url}"
        if stands is Standing.SUSPECT and state in FAILING:
            message += "; not confirmed yet"
        if state is LinkState.MOVED_PERMANENT:
            mended = mend(link.citation, node, self.policy, self.facts)
            kept = Suggestion(SuggestionKind.REPLACE, mended.url) if isinstance(mended, Mended) else None
        return _finding(STATE_RULES[state], link, node, message, stands, kept)

    def _of_spelling(self, link: Backlink, node: CitedPlace, stands: Standing) -> Iterator[ReportFinding]:
        raw = link.citation.mention.raw
        secure = secure_form(raw) if node.content_sha256 else None
        if secure is not None and self.facts.is_secure(node):
            suggestion = Suggestion(SuggestionKind.REPLACE, secure)
            message = f"{shown(node.place.url)}: the same page is there by https"
            yield _finding(RuleCode.INSECURE, link, node, message, stands, suggestion)
        clean = without_trackers(raw, self.policy)
        if clean != raw:
            suggestion = Suggestion(SuggestionKind.REPLACE, clean)
            message = f"{shown(raw)}: tracking parameters"
            yield _finding(RuleCode.TRACKER, link, node, message, stands, suggestion)

    def _of_change(self, event: LedgerEvent, node: CitedPlace, link: Backlink) -> ReportFinding:
        detail = event.detail
        fragment = link.citation.fragment
        verdict = detail.sections.get(fragment) if fragment else None
        url = shown(node.place.url)
        if verdict is SectionVerdict.CHANGED:
            code, message = RuleCode.SECTION_CHANGED, f"{url}#{fragment}: the cited section changed"
        elif verdict is SectionVerdict.SAME:
            code, message = RuleCode.PAGE_CHANGED, f"{url}: it changed, but not in the section #{fragment}"
        else:
            code, message = RuleCode.PAGE_CHANGED, f"{url}: it changed"
        if detail.drift is not None:
            message += (
                f" (drift {detail.drift.amount:g}{', new title' if detail.drift.title_changed else ''})"
            )
        return replace(
            _finding(code, link, node, message, Standing.ALIVE),
            subject=f"{url}#{fragment}" if fragment else url,
            state=LinkState.CHANGED,
            evidence={"old": event.old, "new": event.new, **({"section": verdict} if verdict else {})},
            drift=detail.drift,
        )

    def _kept(self, node: CitedPlace) -> Suggestion | None:
        """The command that opens the copy that was kept of a URL."""
        command = self.facts.kept(node)
        return Suggestion(SuggestionKind.ARCHIVED, command) if command is not None else None

    def _unused_rules(self, result: TrackResult) -> Iterator[ReportFinding]:
        for rule in self.rules.unused((e.node.fetch_url, _host(e.node)) for e in result.cited):
            message = f"{rule}, and nothing that is cited matches it"
            yield ReportFinding(RuleCode.IGNORE_UNUSED, "holdfast.toml", message, rule)


def subject_of(node: CitedPlace) -> Shown:
    """What findings about a URL are called."""
    return shown(node.place.url)


def unsure(result: TrackResult) -> frozenset[str]:
    """The URLs of which a run cannot tell whether they are fine."""
    return frozenset(
        subject_of(entry.node)
        for entry in result.cited
        if standing(entry.node, eager=result.eager) in (Standing.UNKNOWN, Standing.SUSPECT)
    )


def _host(node: CitedPlace) -> str:
    host, _, port = node.place.host.rpartition(":")
    return host if port.isdigit() else node.place.host


def _counted(entry: Cited) -> list[Backlink]:
    return [link for link in entry.backlinks if not link.citation.ignored]


def _of_warnings(link: Backlink, node: CitedPlace) -> Iterator[ReportFinding]:
    """A page that answered and may not be what was cited (TXT-6)."""
    for warning in node.notes.warnings:
        code = WARNING_RULES.get(PageWarning(warning))
        if code is not None:
            sentence = RULES[code].sentence.rstrip(".")
            message = f"{shown(node.place.url)}: {sentence[0].lower()}{sentence[1:]}"
            yield _finding(code, link, node, message, Standing.ALIVE)


def _gone_section(link: Backlink) -> str:
    fragment = link.citation.fragment
    what = "has no such words" if ":~:text=" in fragment else "has no such section"
    return f"{shown(link.citation.place.url)}#{fragment}: the page {what}"


def _finding(
    code: RuleCode,
    link: Backlink,
    node: CitedPlace,
    message: str,
    stands: Standing,
    suggestion: Suggestion | None = None,
) -> ReportFinding:
    citation = link.citation
    section = code is RuleCode.FRAGMENT_MISSING
    used = citation.mention.used
    return ReportFinding(
        code,
        link.document,
        message,
        f"{shown(node.place.url)}#{citation.fragment}" if section else shown(node.place.url),
        shown(citation.mention.raw),
        LinkState.FRAGMENT_MISSING if section else node.state,
        stands,
        citation.mention.span,
        node.notes.evidence,
        suggestion=suggestion,
        used_on=used.line if used else None,
    )


def _of_problem(problem: DocumentProblem) -> ReportFinding:
    span = Span(0, 0, problem.line, 1, 1) if problem.line else None
    subject = f"{problem.path}: {problem.message}"
    return ReportFinding(problem.code, problem.path, problem.message, subject, span=span)
