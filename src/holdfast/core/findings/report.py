"""A report: what a run found, as one closed value that every output format is written from (TRK-9).

1. A finding is about one place in one document. A dead URL that is cited five times makes five findings.
2. `key` is what a finding is called from run to run: what is wrong and with which URL, never where.
   Baselines and fingerprints are made of it, so that a moved line or a renamed document is nothing new.
3. `is_known` says that the baseline has it: it is shown, and fails no build.
4. Findings stand in the order of document, line, column, code; equal runs give equal reports.

The rules by which a report speaks are a closed list, each with a code that never changes its meaning:

5. A code is for ever: it may be retired, it is never given to something else. Suppressions, dashboards
   and baselines of other people's tools are keyed by it.
6. There is one rule for each state that a reader may have to act on, and one for each thing that is wrong
   with a citation or an ignore. `ok` has none.
7. How loud a finding is depends on the link's standing, not on its rule alone: what is confirmed dead is
   an error, what only failed is a warning, what nobody can tell is a note.
8. docs/reference/rules/ is made of this table, as are the rules in SARIF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from holdfast.core.base.difference import Drift
from holdfast.core.base.values import dataclass
from holdfast.core.findings.rule_codes import BY_HAND, LINK_RULES, THEN, Level, ReportRule, RuleCode
from holdfast.core.links.link_state import FAILING, LinkState, Standing
from holdfast.core.page.page import Mention, PageWarning, Span

_OTHER_RULES: Final = (
    ReportRule(
        RuleCode.SOFT_404,
        "soft-not-found",
        "The server says that all is well, the page that it is not there.",
        Level.WARNING,
        "The status says that the page is there, and the page itself says that it is not (`404`, `page not "
        "found`) in its title or in its few words. It is judged by its words, so it never counts as dead.",
        f"Open it. If it is gone: {THEN}",
    ),
    ReportRule(
        RuleCode.SECTION_CHANGED,
        "section-changed",
        "The cited section says something else than before.",
        Level.WARNING,
        "The link names a section, and the text of that section changed between two revisions of the "
        "page. Changes elsewhere on the page do not raise this rule. `drift` says how much of the "
        "page is different.",
        "Read it (`holdfast diff URL`) and see whether your sentence still holds.",
    ),
    ReportRule(
        RuleCode.INSECURE,
        "insecure",
        "The page is there by https too.",
        Level.NOTE,
        "The link says http, and the same address by https has the same content.",
        "`holdfast fix` replaces it; with `--fetch-urls` it asks the https address first.",
    ),
    ReportRule(
        RuleCode.TRACKER,
        "tracker",
        "The link carries tracking parameters.",
        Level.NOTE,
        "A query parameter is one of those that only tell the site where a visitor came from "
        "(`utm_source`, `gclid`, …; `keep_query_params` in the overrides file keeps one for a host).",
        "`holdfast fix` takes them out.",
    ),
    ReportRule(
        RuleCode.LOGIN_WALL,
        "login-wall",
        "A login answered in the page's place.",
        Level.NOTE,
        "The page has a password field and few words but those of a login. What is behind it is not known.",
        BY_HAND,
    ),
    ReportRule(
        RuleCode.CONSENT_WALL,
        "consent-wall",
        "A question about cookies answered in the page's place.",
        Level.NOTE,
        "The page has few words but those that ask for consent. What is behind it is not known.",
        BY_HAND,
    ),
    ReportRule(
        RuleCode.EMPTY_SHELL,
        "empty-shell",
        "The page is empty until a script fills it.",
        Level.NOTE,
        "The page has next to no words of its own and a script that builds it. Whether it is what was cited, "
        "and whether it changed, cannot be told.",
        BY_HAND,
    ),
    ReportRule(
        RuleCode.IGNORE_EXPIRED,
        "ignore-expired",
        "An ignore has passed its last day.",
        Level.WARNING,
        "The ignore says `until` a day that is over. It is not obeyed any more.",
        "Take it out, or give it a new day.",
    ),
    ReportRule(
        RuleCode.IGNORE_UNUSED,
        "ignore-unused",
        "An ignore matches nothing.",
        Level.WARNING,
        "An ignore in a comment covers no link; or a line of `.holdfastignore` matches no document or cited "
        "URL; "
        "or a rule in `skip_hosts` or `skip_urls` matches no link. What it was for is gone.",
        "Take it out.",
    ),
    ReportRule(
        RuleCode.IGNORE_UNCLEAR,
        "ignore-unclear",
        "An ignore was not understood.",
        Level.WARNING,
        "An ignore without a reason, with a date that does not exist, or without its end is not obeyed.",
        "Write `holdfast: ignore [until YYYY-MM-DD] REASON`.",
    ),
    ReportRule(
        RuleCode.DOCUMENT_UNREADABLE,
        "document-unreadable",
        "A document could not be read.",
        Level.WARNING,
        "The document is too large, is UTF-16, has a name that is not UTF-8, or is not what its name says "
        "it is. Its links are not known.",
        "Save it as UTF-8, rename or mend it, or list it in `.holdfastignore`.",
    ),
    ReportRule(
        RuleCode.FILE_MISSING,
        "file-missing",
        "A link to a file of your own leads nowhere.",
        Level.ERROR,
        "The link has neither scheme nor host, and there is no such file, seen from the document's folder. A "
        "path that begins with `/` is judged where `root_dir` says what it means, or where it names a source "
        "(`/docs/guide.md`) in a folder of the root. A path without an extension may be a page that a "
        "generator makes; it is judged in files that forges show (`README.md`). Where the "
        "generator of a site may make the file, the link is counted and not judged; `--strict-local` judges "
        "it.",
        "Correct the path. Where the only file of that name lies elsewhere, `holdfast fix` proposes it.",
    ),
    ReportRule(
        RuleCode.FILE_CASE,
        "file-case",
        "A link to a file of your own has other letters, large or small.",
        Level.ERROR,
        "The file is there under a name that differs in the case of letters. It opens on some desktops, and "
        "is missing on servers. It is not judged where the generator finds it so; `--strict-local` does.",
        "`holdfast fix` writes the name as it is.",
    ),
    ReportRule(
        RuleCode.ANCHOR_MISSING,
        "anchor-missing",
        "A document of your own has no such heading or id.",
        Level.WARNING,
        "The link names a place in a document (`guide.md#install`), and there is neither such an id nor a "
        "heading of which a common renderer would make it; or it is a `:ref:`, and no document of the "
        "project has such a label. Documents that include others are not judged, nor those of a generated "
        "site with components, templates or code; `--strict-local` judges the latter.",
        "Name the heading as it is now. `holdfast fix` proposes the nearest one.",
    ),
    ReportRule(
        RuleCode.MAIL_MALFORMED,
        "mail-malformed",
        "A mail address is not written as one.",
        Level.WARNING,
        "The link is a `mailto:`, and what it names cannot be a mail address by its syntax. Whether there is "
        "such a mailbox is not asked.",
        "Correct the address.",
    ),
)

RULES: Final = {rule.code: rule for rule in sorted((*LINK_RULES, *_OTHER_RULES), key=lambda rule: rule.code)}
"""All rules by code, in the order of their codes."""

WARNING_RULES: Final = {
    PageWarning.SOFT_404: RuleCode.SOFT_404,
    PageWarning.LOGIN_WALL: RuleCode.LOGIN_WALL,
    PageWarning.CONSENT_WALL: RuleCode.CONSENT_WALL,
    PageWarning.EMPTY_SHELL: RuleCode.EMPTY_SHELL,
}
"""The rule of each page that may not be content (TXT-6)."""

READING_RULES: Final = (
    *(RuleCode.SECTION_CHANGED, RuleCode.PAGE_CHANGED, RuleCode.INSECURE),
    *WARNING_RULES.values(),
)
"""The rules that need the content of pages: a light check cannot speak by them."""

STATE_RULES: Final = {state: RuleCode(state.code) for state in LinkState if state.code is not None}
"""The rule of each state but `ok`."""


def level_of(code: RuleCode, standing: Standing | None) -> Level:
    """How loud a finding of a rule is, given what the link's state means."""
    level = RULES[code].level
    return Level.WARNING if level is Level.ERROR and standing is not Standing.DEAD else level


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
