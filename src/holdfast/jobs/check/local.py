"""Local links: every document of the scope is read, and each link held to the files that are there (TRK-11).

1. No network, no ledger, no consent: the documents and a listing are all that it takes.
2. What the run has read for the URLs it cites is not read again.
3. Labels belong to a project. Those of Sphinx and MyST stand in the documents under its root, and in the code
   where documentation is made of that; those of AsciiDoc in all documents of the root. They are gathered when
   a link needs them. So is what the files of configuration say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.base.errors import FormatError
from holdfast.core.documents.headings import documented_code, read_anchors, read_labels
from holdfast.core.documents.readers import is_template, read_local
from holdfast.core.findings.ignore import LocalReading, ignored_lines
from holdfast.core.findings.local_findings import LocalFiles, LocalFinding
from holdfast.core.findings.report import ReportFinding
from holdfast.core.links.anchors import DocumentAnchors
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.local_links import ASCIIDOC, LocalOptions
from holdfast.core.links.project import ProjectLabels, is_layout, label_name, project_folder
from holdfast.core.links.site_generators import configurations

if TYPE_CHECKING:
    from holdfast.adapters.ports import Documents

_LABELLED = (".rst", ".md", ".txt", ".inc", ".rest", ".ipynb")
_CODE_IS_READ = (b"autodoc", b"autoapi", b"autosummary", b"breathe", b"apidoc")
_CODE = (".py", ".pyi", ".pyx", ".c", ".h", ".cpp", ".hpp")


class LocalFindings(NamedTuple):
    """What is wrong with local links, and what of it nobody can judge."""

    findings: list[ReportFinding]
    not_judged: list[ReportFinding]


class LocalChecker:
    """Looks at the local links of documents; anchors of a document are read once."""

    def __init__(self, documents: Documents, options: LocalOptions, today: date) -> None:
        self._documents = documents
        self._options = options
        self._today = today
        tree = FileTree(*documents.listing())
        self._files = LocalFiles(
            tree,
            options,
            self._anchors_of,
            self._labels_of,
            documents.is_ignored,
            lambda: self._configuration,
        )
        self._anchors: dict[str, DocumentAnchors | None] = {}
        self._labels: dict[str, ProjectLabels | None] = {}

    def findings(
        self, paths: Sequence[str], known: Mapping[str, LocalReading] | None = None
    ) -> LocalFindings:
        """What is wrong with the local links of these documents; `known` are those that were just read."""
        known = known or {}
        told = LocalFindings([], [])
        for path in paths:
            for found in self._of_document(path, known.get(path)):
                (told.findings if found.is_certain else told.not_judged).append(found.finding)
        return told

    @cached_property
    def _configuration(self) -> tuple[str, ...]:
        return configuration_of(self._documents, self._files.tree)

    def _of_document(self, path: str, known: LocalReading | None) -> Iterator[LocalFinding]:
        reading = known or self._read(path)
        if reading is None:
            return
        is_ignored = ignored_lines(reading.ignores, self._today)
        for mention in reading.mentions:
            if is_ignored((mention.used or mention.span).line):
                continue
            finding = self._files.finding(path, mention)
            if finding is not None:
                yield finding

    def _read(self, path: str) -> LocalReading | None:
        kind, data = self._documents.kind_of(path), self._documents.read(path)
        if kind is None or data is None or is_template(data, kind) or is_layout(path):
            return None
        try:
            return read_local(data, kind, wiki_links=self._options.wiki_links)
        except Exception:  # noqa: BLE001 - it is told where the document is read for the URLs it cites
            return None

    def _anchors_of(self, path: str) -> DocumentAnchors | None:
        if path not in self._anchors:
            self._anchors[path] = self._read_anchors(path)
        return self._anchors[path]

    def _read_anchors(self, path: str) -> DocumentAnchors | None:
        kind = self._documents.kind_of(path) if path in self._files.tree.files else None
        data = self._documents.read(path) if kind is not None else None
        if kind is None or data is None:
            return None
        try:
            return read_anchors(data, kind)
        except FormatError:
            return None

    def _labels_of(self, path: str) -> ProjectLabels | None:
        if path.endswith(ASCIIDOC):
            if "" not in self._labels:
                self._labels[""] = self._ids_of_asciidoc()
            return self._labels[""]
        folder = project_folder(path, self._files.tree)
        if folder is None:
            return None
        if f"{folder}/" not in self._labels:
            self._labels[f"{folder}/"] = self._labels_of_sphinx(folder)
        return self._labels[f"{folder}/"]

    def _labels_of_sphinx(self, folder: str) -> ProjectLabels:
        base = f"{folder}/" if folder else ""
        conf = self._documents.read(f"{base}conf.py") or b""
        titles = b"autosectionlabel" in conf
        within = [
            path for path in self._files.tree.files if path.startswith(base) and path.endswith(_LABELLED)
        ]
        names = set(read_labels(conf))
        documented: set[str] = set()
        for path in within:
            data = self._documents.read(path) or b""
            names |= read_labels(data, titles=titles)
            documented |= documented_code(data)
        is_open = b"intersphinx_mapping" in conf
        if any(word in conf for word in _CODE_IS_READ):
            code = [path for path in self._files.tree.files if path.endswith(_CODE)]
            for path in code:
                data = self._documents.read(path) or b""
                names |= read_labels(data) if b" _" in data else frozenset()
            here = {part.partition(".")[0] for path in code for part in path.split("/")}
            is_open = is_open or not documented <= here
        return ProjectLabels(frozenset(names), is_open)

    def _ids_of_asciidoc(self) -> ProjectLabels:
        names: set[str] = set()
        is_open = False
        for path in self._files.tree.files:
            anchors = self._anchors_of(path) if path.endswith(ASCIIDOC) else None
            if anchors is not None:
                names |= {label_name(name) for name in anchors.explicit | anchors.generated}
                is_open = is_open or any("{" in name for name in anchors.explicit)
        return ProjectLabels(frozenset(names), is_open)


def configuration_of(documents: Documents, tree: FileTree) -> tuple[str, ...]:
    """What the files of configuration under a root say."""
    read = (documents.read(path) or b"" for path in configurations(tree))
    return tuple(data.decode("utf-8", "replace") for data in read)
