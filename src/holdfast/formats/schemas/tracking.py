"""The JSON of tracking: what a run found, its report, its plan, what was mended."""

from __future__ import annotations

from typing import Final

from holdfast.core.event_kind import EventKind
from holdfast.core.fixes import FixKind
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.report import SuggestionKind
from holdfast.core.report_rules import Level, RuleCode
from holdfast.formats.schemas.citations import CITED_URL
from holdfast.formats.schemas.pieces import BACKLINK, DRIFT, SHOWN, SPAN, STANDING, STATE, WEB_URL
from holdfast.formats.schemas.shape import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    INTEGER,
    NUMBER,
    TEXT,
    Schema,
    array,
    at,
    counts_of,
    described,
    limited,
    matching,
    one_of,
    optional,
    record,
)

__all__ = [
    "FINDING",
    "FIX",
    "PROPOSED_FIXES",
    "TRACK",
    "TRACK_CHANGE",
    "TRACK_FINDING",
    "TRACK_PLAN",
    "TRACK_REPORT",
]

_EVENT: Final = record(
    kind=one_of(EventKind),
    url=SHOWN,
    old=optional(TEXT),
    new=optional(TEXT),
)
_CHANGE: Final = record(_EVENT, citations=array(BACKLINK))

TRACK_CHANGE: Final = Schema(
    "track-change", "What the command of `--on-change` reads on its standard input.", _CHANGE
)

TRACK: Final = Schema(
    "track",
    "What `holdfast track --json` prints: every cited URL with its state, evidence and citations.",
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

TRACK_PLAN: Final = Schema(
    "track-plan",
    "What `holdfast track --plan --json` prints: what would be asked, and what not.",
    record(
        hosts=at(
            lambda plan: plan.by_host.items(),
            array(record(host=at(lambda pair: pair[0], TEXT), urls=at(lambda pair: pair[1], array(TEXT)))),
        ),
        skipped=array(record(url=at("node.place.url", SHOWN), reason=TEXT)),
        fresh=INTEGER,
    ),
)

FINDING: Final = record(
    code=described(one_of(RuleCode), "The rule; docs/reference/rules/ has a page for each."),
    rule=at("name", matching("^[a-z]+(-[a-z]+)*$")),
    level=one_of(Level),
    document=described(limited(TEXT, minLength=1), "Path from the root of the documents, with slashes."),
    span=described(
        optional(SPAN), "Where it stands: bytes from the start of the file; line and columns from 1."
    ),
    url=at(
        lambda finding: finding.url or None,
        described(
            optional(TEXT),
            "The link as written, secrets in its query taken out; null where it is about an ignore or a "
            "document.",
        ),
    ),
    subject=described(
        TEXT,
        "What a baseline calls it: the canonical URL, with the fragment where the section is what is wrong.",
    ),
    state=optional(STATE),
    standing=optional(STANDING),
    message=TEXT,
    known=at("is_known", described(BOOLEAN, "Whether the baseline has it.")),
    drift=described(optional(DRIFT), "How much of the page is different, for changes."),
    suggestion=described(
        optional(record(kind=one_of(SuggestionKind), text=TEXT)),
        "A URL to cite instead, or the command that opens the copy that was kept.",
    ),
    evidence=described(ANY_OBJECT, "What the state rests on."),
)

TRACK_FINDING: Final = Schema(
    "track_finding", "One line of `holdfast track --format jsonl`: a finding.", FINDING, is_line=True
)

TRACK_REPORT: Final = Schema(
    "track_report",
    "What `holdfast track --format json` prints.",
    record(
        version=TEXT,
        since=described(optional(TEXT), "The revision that the findings are limited to."),
        summary=at(
            lambda report: report,
            record(
                documents=at(lambda report: len(report.documents), COUNT),
                links=COUNT,
                asked=COUNT,
                states=at(lambda report: sorted(report.states.items()), counts_of(LinkState)),
                new=at(
                    lambda report: {str(level): count for level, count in report.counted.items()},
                    counts_of(Level),
                ),
                known=at(lambda report: sum(finding.is_known for finding in report.findings), COUNT),
                not_judged=at(
                    lambda report: len(report.not_judged),
                    described(
                        COUNT,
                        "How many local links lead nowhere here, and may be right by a rule of a generator: "
                        "`--strict-local` judges them.",
                    ),
                ),
            ),
        ),
        rules_off=described(array(one_of(RuleCode)), "The rules by which a light check cannot speak."),
        settled=described(array(record(kind=TEXT, subject=TEXT)), "Lines of the baseline that are fine now."),
        findings=array(FINDING),
    ),
)

_LINK: Final = record(
    line=at("mention.span.line", COUNT),
    column=at("mention.span.column", COUNT),
    start=at("mention.span.start", COUNT),
    end=at("mention.span.end", COUNT),
    url=at("mention.raw", SHOWN),
)

PROPOSED_FIXES: Final = Schema(
    "proposed-fixes",
    "What `holdfast fix` would write for the citations of a URL, or why it leaves one alone.",
    record(
        url=WEB_URL,
        fixes=array(
            record(
                document=at("citation.document", TEXT),
                line=at("citation.line", COUNT),
                column=at("citation.column", COUNT),
                url=at("citation.citation.mention.raw", TEXT),
                new_url=at(lambda fix: getattr(fix.proposal, "url", None), optional(TEXT)),
                why=at(lambda fix: getattr(fix.proposal, "kinds", ()), array(one_of(FixKind))),
                reason=at(lambda fix: getattr(fix.proposal, "reason", None), optional(TEXT)),
            )
        ),
    ),
)

FIX: Final = Schema(
    "fix",
    "What `holdfast fix --json` prints.",
    record(
        written=described(BOOLEAN, "Whether the documents were changed."),
        documents=array(
            record(
                document=at("path", TEXT),
                mended=array(
                    record(
                        _LINK,
                        new_url=at("proposal.url", TEXT),
                        why=at("proposal.kinds", array(one_of(FixKind))),
                        alike=at(
                            "proposal.alike",
                            described(
                                optional(NUMBER), "How much of the text that was kept is there, 0 to 1."
                            ),
                        ),
                    )
                ),
                declined=array(record(_LINK, reason=at("proposal.reason", TEXT))),
            )
        ),
    ),
)
