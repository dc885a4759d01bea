"""Local links: every document of the scope is read, and each link held to the files that are there (TRK-11).

No network, no ledger, no consent: the documents and a listing are all that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from holdfast.core.anchors import DocumentAnchors
from holdfast.core.errors import FormatError
from holdfast.core.file_tree import FileTree
from holdfast.core.ignore import ignored_lines
from holdfast.core.link_state import Standing
from holdfast.core.local_links import WIKI, LocalOptions, LocalProblem, LocalTarget, judge, relative_link
from holdfast.core.page import Mention
from holdfast.core.report import ReportFinding, Suggestion, SuggestionKind
from holdfast.core.report_rules import RuleCode
from holdfast.formats.documents import DocumentFormat, format_of, read_local
from holdfast.formats.documents.anchors import read_anchors
from holdfast.ports import Documents

__all__ = ["LocalChecker"]

_CODES: Final = {LocalProblem.MISSING: RuleCode.FILE_MISSING, LocalProblem.CASE: RuleCode.FILE_CASE}
_TEMPLATE: Final = re.compile(rb"\{[{%]")
"""HTML that a program fills in: its links are those of the page that comes of it."""
_WORDS: Final = {
    LocalProblem.MISSING: "there is no such file",
    LocalProblem.CASE: "the file's name has other letters, large or small",
}


class LocalChecker:
    """Looks at the local links of documents; anchors of a document are read once."""

    def __init__(self, documents: Documents, options: LocalOptions, today: date) -> None:
        self._documents = documents
        self._options = options
        self._today = today
        self._tree = FileTree(*documents.listing())
        self._anchors: dict[str, DocumentAnchors | None] = {}

    def findings(self, paths: Sequence[str]) -> list[ReportFinding]:
        """What is wrong with the local links of these documents."""
        return [finding for path in paths for finding in self._of_document(path)]

    def _of_document(self, path: str) -> Iterator[ReportFinding]:
        kind, data = format_of(path), self._documents.read(path)
        if kind is None or data is None or (kind is DocumentFormat.HTML and _TEMPLATE.search(data)):
            return
        try:
            reading = read_local(data, kind, wiki_links=self._options.wiki_links)
        except Exception:  # noqa: BLE001 - it is told where the document is read for the URLs it cites
            return
        is_ignored = ignored_lines(reading.ignores, self._today)
        for mention in reading.mentions:
            if is_ignored((mention.used or mention.span).line):
                continue
            target = judge(path, mention.raw, self._tree, self._options)
            finding = self._of_link(path, _as_written(mention), target) if target is not None else None
            if finding is not None:
                yield finding

    def _of_link(self, path: str, mention: Mention, target: LocalTarget) -> ReportFinding | None:
        if target.problem is not None:
            instead = target.instead and relative_link(path, target.instead, target.fragment)
            message = f"{mention.raw}: {_WORDS[target.problem]}"
            return _finding(_CODES[target.problem], path, mention, message, target.path, instead)
        anchors = self._anchors_of(target.path) if target.fragment else None
        if anchors is None or not anchors.lacks(target.fragment):
            return None
        near = None if mention.raw.startswith("[[") else anchors.near(target.fragment)
        instead = mention.raw.partition("#")[0] + f"#{near}" if near else None
        message = f"{mention.raw}: {target.path} has no such heading or id"
        subject = f"{target.path}#{target.fragment}"
        return _finding(RuleCode.ANCHOR_MISSING, path, mention, message, subject, instead)

    def _anchors_of(self, path: str) -> DocumentAnchors | None:
        if path not in self._anchors:
            self._anchors[path] = self._read_anchors(path)
        return self._anchors[path]

    def _read_anchors(self, path: str) -> DocumentAnchors | None:
        kind = format_of(path) if path in self._tree.files else None
        data = self._documents.read(path) if kind is not None else None
        if kind is None or data is None:
            return None
        try:
            return read_anchors(data, kind)
        except FormatError:
            return None


def _as_written(mention: Mention) -> Mention:
    is_wiki = mention.raw.startswith(WIKI)
    return mention._replace(raw=f"[[{mention.raw.removeprefix(WIKI)}]]") if is_wiki else mention


def _finding(
    code: RuleCode, path: str, mention: Mention, message: str, subject: str, instead: str | None
) -> ReportFinding:
    return ReportFinding(
        code,
        path,
        message,
        subject,
        mention.raw,
        standing=Standing.SUSPECT if code is RuleCode.ANCHOR_MISSING else Standing.DEAD,
        span=mention.span,
        suggestion=Suggestion(SuggestionKind.REPLACE, instead) if instead else None,
        used_on=mention.used.line if mention.used else None,
    )
