"""Local links: every document of the scope is read, and each link held to the files that are there (TRK-11).

No network, no ledger, no consent: the documents and a listing are all that it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from holdfast.core.anchors import DocumentAnchors
from holdfast.core.errors import FormatError
from holdfast.core.file_tree import FileTree
from holdfast.core.ignore import ignored_lines
from holdfast.core.local_findings import LocalFiles
from holdfast.core.local_links import LocalOptions
from holdfast.core.report import ReportFinding
from holdfast.formats.documents import format_of, is_template, read_local
from holdfast.formats.documents.anchors import read_anchors
from holdfast.ports import Documents

__all__ = ["LocalChecker"]


class LocalChecker:
    """Looks at the local links of documents; anchors of a document are read once."""

    def __init__(self, documents: Documents, options: LocalOptions, today: date) -> None:
        self._documents = documents
        self._options = options
        self._today = today
        self._files = LocalFiles(FileTree(*documents.listing()), options, self._anchors_of)
        self._anchors: dict[str, DocumentAnchors | None] = {}

    def findings(self, paths: Sequence[str]) -> list[ReportFinding]:
        """What is wrong with the local links of these documents."""
        return [finding for path in paths for finding in self._of_document(path)]

    def _of_document(self, path: str) -> Iterator[ReportFinding]:
        kind, data = format_of(path), self._documents.read(path)
        if kind is None or data is None or is_template(data, kind):
            return
        try:
            reading = read_local(data, kind, wiki_links=self._options.wiki_links)
        except Exception:  # noqa: BLE001 - it is told where the document is read for the URLs it cites
            return
        is_ignored = ignored_lines(reading.ignores, self._today)
        for mention in reading.mentions:
            if is_ignored((mention.used or mention.span).line):
                continue
            finding = self._files.finding(path, mention)
            if finding is not None:
                yield finding

    def _anchors_of(self, path: str) -> DocumentAnchors | None:
        if path not in self._anchors:
            self._anchors[path] = self._read_anchors(path)
        return self._anchors[path]

    def _read_anchors(self, path: str) -> DocumentAnchors | None:
        kind = format_of(path) if path in self._files.tree.files else None
        data = self._documents.read(path) if kind is not None else None
        if kind is None or data is None:
            return None
        try:
            return read_anchors(data, kind)
        except FormatError:
            return None
