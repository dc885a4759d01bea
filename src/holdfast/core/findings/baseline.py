"""A baseline: the findings that a team has agreed to live with for now, and their file.

1. It holds keys (`FindingKey`), not places: a dead URL that moves to another line, or document, is still
   known.
2. A finding whose key is in it is known, and fails no build.
3. A key that no finding has any more is settled, and is reported, so that the baseline shrinks. A URL of
   which this run cannot tell (a wall, no answer yet, no consent, not in the scope) settles nothing, nor does
   a local link that is not judged.
4. It is a set: the order of its lines and doubled lines mean nothing, so a union merge is always right.
5. Taken up is what is loud and lasts: errors and warnings, but neither a link that has only failed so far
   (it may be fine tomorrow, or die, and then it shall be told) nor a change, which is told once.

The file has one finding a line, sorted, made to be read and merged:

    # holdfast baseline 1
    dead https://example.com/old
    fragment-missing https://example.com/guide#setup

6. A line is a kind, a space, and a URL (or whatever else the finding is about). `#` begins a comment
   line.
7. Lines stand in the order of their URLs' bytes, then kinds: what belongs together is together, and equal
   baselines are equal bytes.
8. Read is any order, doubled lines, CR LF: whatever a union merge leaves is a baseline. Marks of a merge
   that was not finished are an error that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.findings.report import RULES, FindingKey, Report, ReportFinding
from holdfast.core.findings.rule_codes import Level, RuleCode
from holdfast.core.links.link_state import FAILING, Standing


def compare(report: Report, baseline: Collection[FindingKey], unsure: Collection[str] = ()) -> Report:
    """The report with what is known marked, and what is settled listed.

    `unsure` are the URLs of which this run cannot tell whether they are fine.
    """
    known = frozenset(baseline)
    if not known:
        return report
    findings = tuple(replace(finding, is_known=finding.key in known) for finding in report.findings)
    gone = known.difference(finding.key for finding in (*findings, *report.not_judged))
    settled = (key for key in gone if key.subject.partition("#")[0] not in unsure)
    return replace(report, findings=findings, settled=tuple(sorted(settled)))


def new_baseline(report: Report, before: Collection[FindingKey]) -> tuple[FindingKey, ...]:
    """The baseline after a report that was compared with the one before."""
    now = {finding.key for finding in report.findings if _lasts(finding)}
    return tuple(sorted(now | (set(before) - set(report.settled))))


def _lasts(finding: ReportFinding) -> bool:
    only_failed = finding.state in FAILING and finding.standing is not Standing.DEAD
    is_news = finding.code is RuleCode.SECTION_CHANGED
    return finding.level is not Level.NOTE and not only_failed and not is_news


FAIL_WORDS: Final = {
    "dead": "links that are confirmed dead (the default)",
    "suspect": "links that failed, confirmed or not",
    "unknown": "links of which nobody can tell",
    "changed": "citations whose page or section changed",
    "fragment": "citations whose section is missing, in documents of your own too",
    "local": "links to files and headings of your own that are not there",
    "moved": "links that moved for good",
    "ignore": "ignores that expired, match nothing, or are not understood",
    "any": "any finding at all",
    "none": "nothing",
}
"""What `--fail-on` takes beside rule codes."""

_CODES: Final = {
    "changed": (RuleCode.PAGE_CHANGED, RuleCode.SECTION_CHANGED),
    "fragment": (RuleCode.FRAGMENT_MISSING, RuleCode.ANCHOR_MISSING),
    "local": (RuleCode.FILE_MISSING, RuleCode.FILE_CASE, RuleCode.ANCHOR_MISSING, RuleCode.MAIL_MALFORMED),
    "moved": (RuleCode.MOVED_PERMANENT,),
    "ignore": (RuleCode.IGNORE_EXPIRED, RuleCode.IGNORE_UNUSED, RuleCode.IGNORE_UNCLEAR),
}


@dataclass(frozen=True, slots=True)
class FailOn:
    """Which findings fail a build."""

    words: frozenset[str]

    @classmethod
    def of(cls, words: Iterable[str]) -> FailOn:
        """Read the words; ValueError names one that is not known."""
        parts = (part.strip() for word in words for part in word.split(","))
        given = frozenset(part for part in parts if part)
        for word in sorted(given):
            if word not in FAIL_WORDS and word not in set(RuleCode):
                raise ValueError(f"{word!r} is not something to fail on")
        return cls(given)

    def fails(self, finding: ReportFinding) -> bool:
        """Whether a finding fails the build; a known one never does."""
        words = self.words
        if finding.is_known or "none" in words:
            return False
        if "any" in words or finding.code in words:
            return True
        if any(finding.code in codes for word, codes in _CODES.items() if word in words):
            return True
        match finding.standing:
            case Standing.DEAD:
                return not words.isdisjoint(("dead", "suspect"))
            case Standing.SUSPECT:
                return "suspect" in words and RULES[finding.code].level is Level.ERROR
            case Standing.UNKNOWN:
                return "unknown" in words
            case _:
                return False


HEAD: Final = "# holdfast baseline 1"
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_LINE = re.compile(r"([a-z][a-z-]*) (\S.*)")
_VERSION = re.compile(r"# holdfast baseline (\d+)")


def write_baseline(keys: Iterable[FindingKey]) -> str:
    """The file's text."""
    ordered = sorted(set(keys), key=lambda key: (key.subject.encode(), key.kind))
    return "\n".join([HEAD, *(f"{key.kind} {key.subject}" for key in ordered)]) + "\n"


def read_baseline(text: str, place: str = "the baseline") -> frozenset[FindingKey]:
    """What a baseline holds; `place` is how messages name it."""
    keys = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if version := _VERSION.fullmatch(words):
            if version[1] != "1":
                raise FormatError(f"{place}: line {number}: a baseline of version {version[1]}; known is 1")
        elif words.startswith(_CONFLICT):
            raise FormatError(
                f"{place}: line {number} is the mark of a merge conflict",
                hint="keep the lines of both sides, and let git do it next time: "
                "write `<the baseline> merge=union` into .gitattributes",
            )
        elif words and not words.startswith("#"):
            match = _LINE.fullmatch(words)
            if match is None:
                raise FormatError(f"{place}: line {number} is not `KIND URL`: {words[:80]!r}")
            keys.add(FindingKey(match[1], match[2]))
    return frozenset(keys)
