"""What a run of tracking found, its report (TRK-9), and the JSON of what it found and planned.

A report has one finding for each citation that somebody may have to act on.

1. What an ignore or a rule of the user's own leaves out makes no finding.
2. That nobody was asked is not a finding; that one was left out when others were asked is.
3. Changes are those of this run: told once. What is told of each citation is in
   `core/findings/cited_findings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import counted
from holdfast.core.base.json_shape import (
    INTEGER,
    TEXT,
    Schema,
    array,
    at,
    counts_of,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence, cited_event
from holdfast.core.findings.cited_findings import KnownUrl, change_finding, link_findings
from holdfast.core.findings.report import (
    READING_RULES,
    FindingKey,
    FindingPlace,
    Report,
    ReportFinding,
    in_order,
)
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Backlink, CitedPlace, LedgerEvent
from holdfast.core.links.link_shapes import BACKLINK, SHOWN
from holdfast.core.links.link_state import FAILING, LinkState, Standing
from holdfast.core.links.mendable import Landing
from holdfast.core.page.page import Span
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown
from holdfast.questions.link_words import CITED_URL
from holdfast.questions.links import CitedUrl

if TYPE_CHECKING:
    from holdfast.jobs.check.planning import Cited, TrackPlan
    from holdfast.jobs.check.read_report import DocumentProblem, ReadReport
    from holdfast.questions.fixes import LedgerFacts


_NOTHING: Final = Report((), {})


@dataclass(frozen=True, slots=True, repr=False)  # asyncio writes out what it returns, however long
class TrackResult:
    """What a run found; `report` is what somebody may have to act on."""

    read: ReadReport
    plan: TrackPlan
    cited: tuple[Cited, ...]
    asked: int
    events: tuple[LedgerEvent, ...]
    manifests: tuple[str, ...]
    eager: bool = False
    is_whole: bool = True
    report: Report = _NOTHING

    @property
    def states(self) -> Counter[str]:
        """How many URLs are in each state."""
        return Counter(entry.node.state for entry in self.cited)

    @property
    def standings(self) -> Counter[Standing]:
        """How many URLs are alive, suspect, dead, unknown."""
        return Counter(standing(entry.node, eager=self.eager) for entry in self.cited)

    @property
    def dead(self) -> tuple[Cited, ...]:
        """The dead that are cited where no ignore covers it."""
        return tuple(
            entry
            for entry in self.cited
            if entry.counts and standing(entry.node, eager=self.eager) is Standing.DEAD
        )

    @property
    def urls(self) -> tuple[CitedUrl, ...]:
        """Every cited URL, what its state means, and its citations."""
        return tuple(
            CitedUrl(entry.node, standing(entry.node, eager=self.eager), tuple(entry.backlinks))
            for entry in self.cited
        )

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """What happened to URLs, and who cites them."""
        happened = {event.place.web_key for event in self.events}
        if not happened:
            return ()
        citations = {
            key: tuple(entry.backlinks)
            for entry in self.cited
            if (key := entry.node.place.web_key) in happened
        }
        return tuple(cited_event(event, citations.get(event.place.web_key, ())) for event in self.events)

    @property
    def changes(self) -> tuple[Occurrence, ...]:
        """The URLs with a new revision, and who cites them."""
        return tuple(event for event in self.occurrences if event.kind is EventKind.CHANGED)

    @property
    def fragments_missing(self) -> tuple[Backlink, ...]:
        """The citations whose section is not there."""
        return tuple(
            backlink
            for entry in self.cited
            for backlink in entry.backlinks
            if backlink.citation.finding == LinkState.FRAGMENT_MISSING and not backlink.citation.ignored
        )

    def unsure_of(self, known: Collection[FindingKey]) -> frozenset[str]:
        """The URLs of which this run cannot tell; of a part of the documents, all that it does not cite."""
        doubtful = (Standing.UNKNOWN, Standing.SUSPECT)
        cannot_tell = frozenset(
            shown(entry.node.place.url)
            for entry in self.cited
            if standing(entry.node, eager=self.eager) in doubtful
        )
        if self.is_whole:
            return cannot_tell
        cited = {shown(entry.node.place.url) for entry in self.cited}
        return cannot_tell | {key.subject.partition("#")[0] for key in known} - cited

    def hints(self, *, may_ask: bool) -> Iterator[str]:
        """Advice, one sentence each; `may_ask` is whether the user consented to asking."""
        if not may_ask and self.plan.asks:
            urls, hosts = counted(len(self.plan.asks), "URL"), counted(len(self.plan.hosts), "host")
            yield f"nothing was asked. --fetch-urls would ask {urls} on {hosts}; --dry-run lists them"
        states = self.states
        may_be_suspect = any(LinkState(state).standing is Standing.SUSPECT for state in states)
        if may_be_suspect and self.standings[Standing.SUSPECT]:
            yield (
                "what failed is not confirmed yet: run again. 404 and 410 count at the second look, other "
                "failures after three looks over 48 hours; --confirm takes the second look in the same run"
            )
        if states[LinkState.BOT_BLOCKED]:
            yield (
                "a server that turns programs away says nothing about the page: open it in a browser, "
                "or use skip_hosts"
            )
        if states[LinkState.REFUSED] and any(_is_denied(entry.node) for entry in self.cited):
            yield "private and loopback addresses are not asked; --allow-private asks them"
        if self.changes:
            yield "`holdfast diff URL` shows what changed"


def _is_denied(node: CitedPlace) -> bool:
    return node.state == LinkState.REFUSED and node.notes.evidence.rule == "denied-address"


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


_EVENT: Final = record(
    kind=one_of(EventKind),
    url=SHOWN,
    old=optional(TEXT),
    new=optional(TEXT),
)
_CHANGE: Final = record(_EVENT, citations=array(BACKLINK))

CHECK_CHANGE: Final = Schema(
    "check-change", "What the command of `--on-change` reads on its standard input.", _CHANGE
)

TRACK: Final = Schema(
    "track",
    "What `holdfast check --json` prints: every cited URL with its state, evidence and citations.",
    record(
        documents=at(lambda result: len(result.read.paths), INTEGER),
        parsed=at("read.parsed", INTEGER),
        asked=INTEGER,
        fresh=at("plan.fresh", INTEGER),
        states=at(lambda result: sorted(result.states.items()), counts_of(LinkState, INTEGER)),
        standings=at(
            lambda result: {each: result.standings[each] for each in Standing}, counts_of(Standing, INTEGER)
        ),
        urls=array(CITED_URL),
        changed=at("changes", array(_CHANGE)),
        events=at("occurrences", array(_EVENT)),
        problems=at("read.problems", array(record(document=at("path", TEXT), line=INTEGER, message=TEXT))),
        manifests=array(TEXT),
    ),
)

CHECK_PLAN: Final = Schema(
    "check-plan",
    "What `holdfast check --dry-run --json` prints: what would be asked, and what not.",
    record(
        hosts=at(
            lambda plan: plan.by_host.items(),
            array(record(host=at(lambda pair: pair[0], TEXT), urls=at(lambda pair: pair[1], array(TEXT)))),
        ),
        skipped=array(record(url=at("node.place.url", SHOWN), reason=TEXT)),
        fresh=INTEGER,
    ),
)
