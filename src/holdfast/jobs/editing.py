"""The documents of one root as an editor holds them, saved or not, beside what is known (TRK-10).

1. Nothing is asked of the network here. What is known comes from the ledger, and is read again when the
   ledger's file changed; of an edit only the URLs that are new are looked up.
2. The text of an open document counts, everywhere: links from other documents are held to it. It is read when
   somebody asks, once for each edit.
3. Files are listed again when the editor says that some came or went.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import FormatError, HoldfastError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.documents.editor_findings import LinkFinding, LinkKnowledge, findings, hover_text, known_of
from holdfast.core.documents.editor_offers import (
    NamedSection,
    Proposal,
    TextChange,
    better,
    better_links,
    files_for,
    ignoring,
    line_of,
    section_links,
    sections_for,
    sections_of,
    typed_address,
    with_urls,
)
from holdfast.core.documents.editor_view import DocumentView, EditorPlace, ViewedLink, Viewer
from holdfast.core.documents.headings import read_anchors
from holdfast.core.documents.ignore_file import OWN_IGNORES
from holdfast.core.findings.cited_findings import KnownUrl
from holdfast.core.findings.ignore import IgnoredUrls, UrlIgnore, ignored_urls, read_url_ignores
from holdfast.core.findings.local_findings import LocalFiles
from holdfast.core.links.anchors import DocumentAnchors
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.local_links import LocalOptions, LocalTarget, judge
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import Policy
from holdfast.jobs.check.local import configuration_of
from holdfast.questions.log.page_as_of import page_as_of

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, Documents
    from holdfast.questions.reader import Reader


OpenReader = Callable[[], "AbstractContextManager[Reader | None]"]
"""Opens what can be asked of the store; None where there is none yet."""
_MANY_PAGES: Final = 64


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """How documents are judged: `local` is None where local links are not; a change is news for `news`."""

    policy: Policy
    rules: HostRules
    local: LocalOptions | None = None
    news: timedelta = timedelta(days=30)


class KeptCopy(NamedTuple):
    """The copy of a page that was kept: its Markdown, and the line that a link names in it."""

    url: str
    markdown: str
    line: int


class LocalPlace(NamedTuple):
    """A file under the root, and a line of it from 0."""

    path: str
    line: int


class OfferedAction(NamedTuple):
    """Something that can be done about a link."""

    title: str
    changes: tuple[TextChange, ...]
    finding: LinkFinding | None = None
    is_preferred: bool = False


class _KeptPage(NamedTuple):
    title: str
    markdown: str
    sections: tuple[NamedSection, ...]


class EditorAnswers:
    """Answers what an editor asks about the documents of a root; paths are from the root."""

    def __init__(
        self,
        documents: Documents,
        open_reader: OpenReader,
        stamp: Callable[[], object],
        clock: Clock,
        options: EditorOptions,
    ) -> None:
        """`stamp` changes when the ledger does."""
        self._documents = documents
        self._open_reader = open_reader
        self._stamp = stamp
        self._clock = clock
        self._options = options
        wiki_links = options.local is not None and options.local.wiki_links
        self._viewer = Viewer(options.policy, wiki_links=wiki_links)
        self._texts: dict[str, bytes] = {}
        self._views: dict[str, DocumentView] = {}
        self._anchors: dict[str, DocumentAnchors | None] = {}
        self._tree: FileTree | None = None
        self._known: dict[UrlKey, KnownUrl | None] = {}
        self._pages: dict[str, _KeptPage | None] = {}
        self._known_at: object = None
        self._url_ignores: tuple[UrlIgnore, ...] | None = None

    def put(self, path: str, text: str) -> None:
        """The text of a document as it is now; it is read when somebody asks."""
        if self._documents.kind_of(path) is not None:
            self._texts[path] = text.encode("utf-8", "replace")
            self._anchors.pop(path, None)

    def drop(self, path: str) -> None:
        """A document that is closed counts as it was saved."""
        self._texts.pop(path, None)
        self._views.pop(path, None)
        self._anchors.pop(path, None)

    def files_changed(self) -> None:
        """Files came, went or were saved."""
        self._tree = self._url_ignores = None
        self._anchors.clear()

    def view(self, path: str) -> DocumentView | None:
        """An open document, read."""
        data, kind = self._texts.get(path), self._documents.kind_of(path)
        if data is None or kind is None:
            return None
        before = self._views.get(path)
        if before is None or before.data is not data:
            self._views[path] = self._viewer.view(path, kind, data, self._clock.now().date(), before)
        return self._views[path]

    def findings(self, path: str) -> tuple[LinkFinding, ...]:
        """What is worth telling about an open document."""
        view = self.view(path)
        return findings(view, self._knowledge(view)) if view else ()

    def hover(self, path: str, place: EditorPlace) -> tuple[ViewedLink, str] | None:
        """The link at a place, and what is known of it, as Markdown."""
        view = self.view(path)
        link = view.link_at(place) if view else None
        if view is None or link is None:
            return None
        knowledge = self._knowledge(view)
        wrong = tuple(f.finding for f in findings(view, knowledge) if f.link is link)
        page = self._page(link.citation.place.url) if link.citation else None
        title, is_left_out = page.title if page else "", knowledge.leaves_out(link)
        return link, hover_text(link, known_of(link, knowledge), wrong, title, url_ignored=is_left_out)

    def actions(self, path: str, start: EditorPlace, end: EditorPlace) -> list[OfferedAction]:
        """What can be done about the links between two places."""
        view = self.view(path)
        if view is None:
            return []
        knowledge = self._knowledge(view)
        found = findings(view, knowledge)
        offered: list[OfferedAction] = []
        for link in _links_between(view, start, end):
            offered += self._about(view, link, knowledge, [each for each in found if each.link is link])
        return offered

    def fix_all(self, path: str) -> tuple[TextChange, ...]:
        """Every link of a document that can be mended for certain, mended."""
        view = self.view(path)
        return better_links(view, self._knowledge(view)) if view else ()

    def complete(self, path: str, place: EditorPlace) -> tuple[Proposal, ...]:
        """What may be typed at a place."""
        view = self.view(path)
        if view is None:
            return ()
        line_start = view.offset(EditorPlace(place.line, 0))
        before = view.data[line_start : view.offset(place)].decode("utf-8", "replace")
        typed = typed_address(before, view.kind)
        if typed is None:
            return ()
        if typed.fragment is not None:
            return sections_for(typed, self._sections(path, typed.address))
        return () if "://" in typed.address else files_for(path, typed, self._listing())

    def target(self, path: str, place: EditorPlace) -> KeptCopy | LocalPlace | None:
        """Where the link at a place leads: a line of a file, or of the copy that was kept."""
        view = self.view(path)
        link = view.link_at(place) if view else None
        if link is None:
            return None
        if link.citation is None:
            return self.local_target(path, link)
        page = self._page(link.citation.place.url)
        if page is None:
            return None
        line = line_of(page.markdown.encode(), link.citation.fragment)
        return KeptCopy(link.citation.place.url, page.markdown, line)

    def local_target(self, path: str, link: ViewedLink) -> LocalPlace | None:
        """The file and line that a local link leads to."""
        target = self.local_file(path, link)
        if target is None:
            return None
        data = self._bytes(target.path) if target.fragment else None
        return LocalPlace(target.path, line_of(data, target.fragment) if data else 0)

    def local_file(self, path: str, link: ViewedLink) -> LocalTarget | None:
        """The file that a local link leads to, if it is there."""
        target = judge(path, link.mention.raw, self._listing(), self._options.local or LocalOptions())
        is_there = target is not None and target.problem is None and target.path in self._listing().files
        return target if is_there else None

    def _about(
        self, view: DocumentView, link: ViewedLink, knowledge: LinkKnowledge, found: list[LinkFinding]
    ) -> Iterator[OfferedAction]:
        first = found[0] if found else None
        improved = better(view, link, knowledge)
        if improved is not None and (changes := with_urls(view, [(link, improved.url)])):
            words = "Write" if improved.is_sure else "Perhaps"
            yield OfferedAction(f"{words} {improved.url}", changes, first, improved.is_sure)
        for title, url in section_links(link, self._sections(view.path, link.mention.raw.partition("#")[0])):
            if changes := with_urls(view, [(link, url)]):
                yield OfferedAction(f"Cite the section “{title}”: {url}", changes, first)
        if first is not None:
            today = self._clock.now().date()
            if changes := ignoring(view, link, first.finding, self._viewer, today):
                yield OfferedAction(f"Ignore this link ({first.finding.name})", changes, first)

    def _knowledge(self, view: DocumentView) -> LinkKnowledge:
        stamp = self._stamp()
        if stamp != self._known_at:
            self._known.clear()
            self._pages.clear()
            self._known_at = stamp
        keys = {link.citation.place.web_key for link in view.links if link.citation is not None}
        new = keys - self._known.keys()
        if new:
            with self._open_reader() as reader:
                since = self._clock.now() - self._options.news
                answer = reader.known(new, news_since=since) if reader else {}
            self._known |= {key: answer.get(key) for key in new}
        urls = {key: known for key in keys if (known := self._known[key]) is not None}
        local = self._options.local
        files = None
        if local is not None:
            tree = self._listing()
            files = LocalFiles(tree, local, self._anchors_of, configuration=self._said_by_configuration)
        policy = self._options.policy
        return LinkKnowledge(urls, files, policy, self._options.rules, self._ignored_urls())

    def _said_by_configuration(self) -> tuple[str, ...]:
        return configuration_of(self._documents, self._listing())

    def _ignored_urls(self) -> IgnoredUrls:
        """What the ignore file of the root names today."""
        if self._url_ignores is None:
            text = (self._documents.read(OWN_IGNORES) or b"").decode("utf-8", "replace")
            self._url_ignores = read_url_ignores(text)[0]
        return ignored_urls(self._url_ignores, self._options.policy, self._clock.now().date())

    def _listing(self) -> FileTree:
        if self._tree is None:
            self._tree = FileTree(*self._documents.listing())
        return self._tree

    def _bytes(self, path: str) -> bytes | None:
        text = self._texts.get(path)
        return self._documents.read(path) if text is None else text

    def _anchors_of(self, path: str) -> DocumentAnchors | None:
        if path not in self._anchors:
            kind = self._documents.kind_of(path)
            data = self._bytes(path) if kind is not None else None
            try:
                self._anchors[path] = read_anchors(data, kind) if data is not None and kind else None
            except FormatError:
                self._anchors[path] = None
        return self._anchors[path]

    def _sections(self, path: str, address: str) -> tuple[NamedSection, ...]:
        """The sections of what an address names."""
        if "://" in address or address.startswith("//"):
            page = self._page(address)
            return page.sections if page else ()
        target = judge(path, address, self._listing(), LocalOptions()) if address else None
        wanted = target.path if target is not None and target.problem is None else path if not address else ""
        kind = self._documents.kind_of(wanted)
        data = self._bytes(wanted) if kind is not None else None
        return sections_of(data, kind) if data is not None and kind is not None else ()

    def _page(self, url: str) -> _KeptPage | None:
        if url not in self._pages:
            if len(self._pages) >= _MANY_PAGES:
                self._pages.clear()
            self._pages[url] = self._read_page(url)
        return self._pages[url]

    def _read_page(self, url: str) -> _KeptPage | None:
        with self._open_reader() as reader:
            if reader is None:
                return None
            try:
                page = reader.ask(page_as_of, url=url).page
            except HoldfastError:  # no copy was kept, or it is not a URL yet
                return None
        sections = tuple(
            NamedSection(each.text, each.anchor) for each in page.structure.headings if each.anchor
        )
        return _KeptPage(page.title, page.markdown, sections)


def _links_between(view: DocumentView, start: EditorPlace, end: EditorPlace) -> list[ViewedLink]:
    first, last = view.offset(start), view.offset(end)
    found = [
        link for link in view.links if link.mention.span.start <= last and link.mention.span.end >= first
    ]
    if not found and (link := view.link_at(start)) is not None:
        found = [link]
    return found[:20]
