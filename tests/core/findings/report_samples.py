"""Reports with everything in them: plain ones, and ones whose words are out to break a format."""

from hypothesis import strategies as st

from holdfast.core.base.difference import Drift
from holdfast.core.findings.report import (
    FindingKey,
    FindingPlace,
    Report,
    ReportFinding,
    Suggestion,
    SuggestionKind,
    in_order,
)
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.page import Span

DEAD = ReportFinding(
    RuleCode.NOT_FOUND,
    "docs/a b.md",
    "https://example.com/old: the server has no such page (404)",
    "https://example.com/old",
    "https://example.com/old?utm_source=x",
    LinkState.NOT_FOUND,
    Standing.DEAD,
    FindingPlace(Span(10, 46, 3, 7, 8)),
    {"rule": "not-found", "status": 404},
    suggestion=Suggestion(SuggestionKind.ARCHIVED, "holdfast show https://example.com/old"),
)
KNOWN = ReportFinding(
    RuleCode.GONE,
    "docs/b.rst",
    "gone",
    "https://example.com/gone",
    "https://example.com/gone",
    LinkState.GONE,
    Standing.DEAD,
    FindingPlace(Span(0, 24, 1, 1, 1)),
    is_known=True,
)
CHANGED = ReportFinding(
    RuleCode.SECTION_CHANGED,
    "docs/a b.md",
    "the section says something else",
    "https://example.com/x#s",
    "https://example.com/x#s",
    LinkState.CHANGED,
    Standing.ALIVE,
    FindingPlace(Span(60, 70, 5, 1, 1)),
    drift=Drift(0.25, True),
)
MOVED = ReportFinding(
    RuleCode.MOVED_PERMANENT,
    "docs/c.html",
    "moved to https://example.com/new",
    "https://example.com/m",
    "https://example.com/m",
    LinkState.MOVED_PERMANENT,
    Standing.ALIVE,
    FindingPlace(Span(9, 9, 2, 3, 3)),
    suggestion=Suggestion(SuggestionKind.REPLACE, "https://example.com/new"),
)
IGNORE = ReportFinding(RuleCode.IGNORE_EXPIRED, "docs/c.html", "expired on 2026-01-01", "docs/c.html: why")

SAMPLE = Report(
    in_order((MOVED, KNOWN, DEAD, CHANGED, IGNORE)),
    {"docs/a b.md": 4, "docs/b.rst": 1, "docs/c.html": 2, "docs/empty.txt": 0},
    {"ok": 3, "not_found": 1, "gone": 1, "changed": 1, "moved_permanent": 1},
    asked=5,
    settled=(FindingKey("dead", "https://example.com/back"),),
    since="main",
    version="0.1.0",
)

hostile_text = st.text(max_size=30) | st.sampled_from(
    [
        "</failure>",
        "]]>",
        "`|`",
        "::error::",
        "%0A",
        "a\nb\r\n",
        "\x00\x1b[31m",
        "\ud800",
        "&amp;<x y='\">",
        "\u2028",
    ]
)


def hostile_findings():
    def finding(code, document, message, url, state, known, suggestion):
        standing = state.standing if state else None
        return ReportFinding(
            code,
            document,
            message,
            url,
            url,
            state,
            standing,
            FindingPlace(Span(5, 9, 2, 1, 1)) if state else None,
            {"detail": message},
            Drift(0.5) if state is LinkState.CHANGED else None,
            Suggestion(SuggestionKind.REPLACE, suggestion) if suggestion else None,
            is_known=known,
        )

    return st.builds(
        finding,
        st.sampled_from(RuleCode),
        hostile_text.filter(bool),
        hostile_text,
        hostile_text,
        st.none() | st.sampled_from(LinkState),
        st.booleans(),
        st.none() | hostile_text,
    )


hostile_reports = st.lists(hostile_findings(), max_size=6).map(
    lambda findings: Report(
        in_order(findings), {finding.document: 1 for finding in findings}, version="0.1.0"
    )
)
