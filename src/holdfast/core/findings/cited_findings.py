"""What is worth telling about one citation, given what is known of its URL.

A report of a run and an editor with unsaved text say the same (TRK-9, TRK-10).

1. A failing link comes with the copy that was kept of it, where there is one.
2. Secrets in query strings are not told: reports are kept where others read them (SEC-3).
3. `ok` makes no finding; what is wrong with a link's spelling is told whatever its state.
4. Between two reports findings came and went; one that is on another line now did neither.

A change touched the citations on lines that it added or changed:

5. A link counts where its URL stands, and where it is used: a changed reference definition touches the
   link, and so does a new use of an old definition.
6. Lines are numbered as they are now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from shlex import quote
from typing import NamedTuple

from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence
from holdfast.core.findings.report import (
    RULES,
    STATE_RULES,
    WARNING_RULES,
    FindingPlace,
    Report,
    ReportFinding,
    Suggestion,
    SuggestionKind,
)
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.lineage.event_kind import SectionVerdict
from holdfast.core.links.citation import Backlink, CitedPlace
from holdfast.core.links.evidence import reason_of
from holdfast.core.links.link_state import FAILING, LinkState, Standing
from holdfast.core.links.mendable import Landing, Mended, Substitutes, mend, without_trackers
from holdfast.core.page.page import Mention, PageWarning
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import secure_form

_SILENT = (LinkState.OK, LinkState.CHANGED)
_NOWHERE = Landing()


@dataclass(frozen=True, slots=True)
class KnownUrl:
    """What is known of a cited URL: its node, what its state means, the day of the last copy that was kept,
    whether the same page is there by https, its last change, where that is still news, and where a redirect
    led.
    """

    node: CitedPlace
    stands: Standing
    kept: date | None = None
    is_secure: bool = False
    change: Occurrence | None = None
    landing: Landing = _NOWHERE

    @property
    def copy(self) -> Suggestion | None:
        """The command that opens the copy that was kept."""
        command = copy_of(self.node, self.kept)
        return Suggestion(SuggestionKind.ARCHIVED, command) if command else None


def copy_of(node: CitedPlace, kept: date | None) -> str | None:
    """The command that opens the copy that was kept of a URL on a day."""
    return f"holdfast show {quote(shown(node.place.url))} --at {kept.isoformat()}" if kept else None


class KnownFacts(NamedTuple):
    """What is known of one URL, as `mend` asks for it; a dead page is not given a substitute here."""

    known: KnownUrl

    def is_secure(self, node: CitedPlace) -> bool:  # noqa: ARG002 - it is the one that is known
        """Whether the same address by https has the same content."""
        return self.known.is_secure

    def landing(self, node: CitedPlace) -> Landing:  # noqa: ARG002 - as above
        """What is known of the place that a redirect leads to."""
        return self.known.landing

    def substitutes(self, node: CitedPlace) -> Substitutes:  # noqa: ARG002 - as above
        """Nothing."""
        return Substitutes()


def link_findings(
    link: Backlink, known: KnownUrl, policy: Policy, *, unchecked: bool = False
) -> Iterator[ReportFinding]:
    """Everything worth telling but a change; with `unchecked` also that nobody asked yet."""
    state = known.node.state
    if state not in _SILENT and (unchecked or state is not LinkState.UNCHECKED):
        yield _of_state(link, known, policy)
    if known.stands is Standing.ALIVE:
        yield from _of_warnings(link, known.node)
    if link.citation.finding == LinkState.FRAGMENT_MISSING:
        yield _finding(RuleCode.FRAGMENT_MISSING, link, known.node, _gone_section(link), Standing.SUSPECT)
    yield from _of_spelling(link, known, policy)


def change_finding(link: Backlink, node: CitedPlace, event: Occurrence) -> ReportFinding:
    """What a new revision means for a citation."""
    fragment, drift = link.citation.fragment, event.drift
    verdict = event.sections.get(fragment) if fragment else None
    url = shown(node.place.url)
    if verdict is SectionVerdict.CHANGED:
        code, message = RuleCode.SECTION_CHANGED, f"{url}#{fragment}: the cited section changed"
    elif verdict is SectionVerdict.SAME:
        code, message = RuleCode.PAGE_CHANGED, f"{url}: it changed, but not in the section #{fragment}"
    else:
        code, message = RuleCode.PAGE_CHANGED, f"{url}: it changed"
    if drift is not None:
        message += f" (drift {drift.amount:g}{', new title' if drift.title_changed else ''})"
    return replace(
        _finding(code, link, node, message, Standing.ALIVE),
        subject=f"{url}#{fragment}" if fragment else url,
        state=LinkState.CHANGED,
        evidence={"old": event.old, "new": event.new, **({"section": verdict} if verdict else {})},
        drift=drift,
    )


def _of_state(link: Backlink, known: KnownUrl, policy: Policy) -> ReportFinding:
    node, stands = known.node, known.stands
    state = node.state
    message = f"{shown(node.place.url)}: {reason_of(state, node.notes.evidence)}"
    if node.final_url and state in (LinkState.MOVED_PERMANENT, LinkState.MOVED_TEMPORARY):
        message += f", to {node.final_url}"
    if stands is Standing.SUSPECT and state in FAILING:
        message += "; not confirmed yet"
    suggestion = known.copy if state in FAILING else None
    if state is LinkState.MOVED_PERMANENT:
        mended = mend(link.citation, node, policy, KnownFacts(known))
        suggestion = Suggestion(SuggestionKind.REPLACE, mended.url) if isinstance(mended, Mended) else None
    return _finding(STATE_RULES[state], link, node, message, stands, suggestion)


def _of_spelling(link: Backlink, known: KnownUrl, policy: Policy) -> Iterator[ReportFinding]:
    raw, node = link.citation.mention.raw, known.node
    secure = secure_form(raw) if node.content_sha256 else None
    if secure is not None and known.is_secure:
        suggestion = Suggestion(SuggestionKind.REPLACE, secure)
        message = f"{shown(node.place.url)}: the same page is there by https"
        yield _finding(RuleCode.INSECURE, link, node, message, known.stands, suggestion)
    clean = without_trackers(raw, policy)
    if clean != raw:
        suggestion = Suggestion(SuggestionKind.REPLACE, clean)
        message = f"{shown(raw)}: tracking parameters"
        yield _finding(RuleCode.TRACKER, link, node, message, known.stands, suggestion)


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
    return ReportFinding(
        code,
        link.document,
        message,
        f"{shown(node.place.url)}#{citation.fragment}" if section else shown(node.place.url),
        shown(citation.mention.raw),
        LinkState.FRAGMENT_MISSING if section else node.state,
        stands,
        FindingPlace.of(citation.mention),
        node.notes.evidence.table(),
        suggestion=suggestion,
    )


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


TouchedLines = Mapping[str, Sequence[range]]
"""The lines that a change added or changed, by document."""


def is_touched(document: str, mention: Mention, touched: TouchedLines) -> bool:
    """Whether a change touched a link."""
    lines = [mention.span.line, *([mention.used.line] if mention.used else [])]
    return any(line in part for part in touched.get(document, ()) for line in lines)


def limited(report: Report, touched: TouchedLines, revision: str) -> Report:
    """The report with what a change touched, and nothing else; counts stay those of the whole."""

    def within(findings: Sequence[ReportFinding]) -> tuple[ReportFinding, ...]:
        return tuple(
            finding
            for finding in findings
            if any(line in part for part in touched.get(finding.document, ()) for line in finding.lines)
        )

    findings, not_judged = within(report.findings), within(report.not_judged)
    return replace(report, findings=findings, not_judged=not_judged, since=revision)
