"""Pages and sitemaps of the web as documents: what they cite is looked at like what a file cites.

1. Pages are read as a mirror reads them: at its rate, by robots.txt, kept in the archive. A sitemap, or an
   index of them, stands for the pages that it names, up to `MOST_PAGES`.
2. A page is a document of this run alone, called by its URL. Relative links are seen from where it answered.
3. A page that cannot be read is a problem that is told; it costs none of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from holdfast.adapters.ports import DocumentFile, Documents, GivenDocument, UnusedIgnore
from holdfast.core.documents.document_kinds import DocumentFormat, format_of
from holdfast.core.links.citing import cite, new_place
from holdfast.core.links.evidence import reason_of, sight
from holdfast.core.links.link_state import Standing
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.url.policy import Policy
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Capture, Outcome
from holdfast.core.web.sitemap import Listed, Nested, read_sitemap
from holdfast.jobs.check.planning import LinkAsk
from holdfast.jobs.check.read_report import DocumentProblem

MOST_PAGES: Final = 10_000
_XML: Final = frozenset(("application/xml", "text/xml", "application/x-gzip", "application/gzip"))
_SITEMAP: Final = (b"<urlset", b"<sitemapindex", b"\x1f\x8b")
_SNIFFED: Final = 4096
_KINDS: Final = {
    "text/html": DocumentFormat.HTML,
    "application/xhtml+xml": DocumentFormat.HTML,
    "text/markdown": DocumentFormat.MARKDOWN,
    "text/x-rst": DocumentFormat.RST,
    "text/css": DocumentFormat.CSS,
}


class PageInputs:
    """The pages that were named, and those that their sitemaps name: what is still to be read, and was."""

    def __init__(self, urls: Sequence[str], policy: Policy) -> None:
        self._policy = policy
        self._todo = list(dict.fromkeys(urls))
        self._seen: set[str] = set(self._todo)
        self.documents: dict[str, GivenDocument] = {}
        self.bases: dict[str, str] = {}
        self._problems: dict[str, str] = {}

    @property
    def problems(self) -> tuple[DocumentProblem, ...]:
        """The pages that could not be read, and why."""
        return tuple(DocumentProblem(name, 0, why) for name, why in self._problems.items())

    def asks(self) -> list[LinkAsk]:
        """What is to be asked next; nothing once all is read."""
        urls, self._todo = self._todo, []
        return [ask for url in urls if (ask := self._ask(url)) is not None]

    def take(self, ask: LinkAsk, outcome: Outcome) -> None:
        """What a page or a sitemap said."""
        sighting, name = sight(outcome), ask.url.href
        capture = sighting.capture
        if capture is None or sighting.state.standing is not Standing.ALIVE:
            reason = reason_of(sighting.state, sighting.evidence)
            self._problems[name] = f"could not be read: {reason}"
        elif _is_sitemap(capture):
            self._todo += self._named_by(capture.body)
        elif (kind := _kind_of(capture)) is None:
            said = capture.content_type or "nothing"
            self._problems[name] = f"is not a document (its type is {said})"
        else:
            self.documents[name] = GivenDocument(name, kind, capture.body)
            self.bases[name] = capture.final.href

    def _ask(self, url: str) -> LinkAsk | None:
        mention = Mention(url, "", LinkKind.ANCHOR, Span(0, 0, 1, 1, 1))
        citation, parsed = cite(mention, self._policy), parse_url(url)
        if citation is None or not isinstance(parsed, Url):
            self._problems[url] = "is not an address that can be asked"
            return None
        return LinkAsk(new_place(citation), parsed, frozenset(), conditional=False)

    def _named_by(self, body: bytes) -> Iterator[str]:
        for entry in read_sitemap(body):
            if isinstance(entry, (Listed, Nested)) and entry.url not in self._seen:
                if len(self._seen) >= MOST_PAGES:
                    return
                self._seen.add(entry.url)
                yield entry.url


class WithPages:
    """The user's own files, and pages beside them."""

    def __init__(self, files: Documents, pages: Mapping[str, GivenDocument]) -> None:
        self._files = files
        self._pages = pages

    def walk(self, paths: Sequence[str]) -> Iterator[DocumentFile]:
        """The documents in these files and folders, then the pages."""
        yield from self._files.walk([path for path in paths if path not in self._pages])
        yield from (DocumentFile(path, len(page.content), 0) for path, page in self._pages.items())

    def kind_of(self, path: str) -> DocumentFormat | None:
        """What a file or a page is read as."""
        return self._pages[path].kind if path in self._pages else self._files.kind_of(path)

    def is_ignored(self, path: str) -> bool:
        """As the files say."""
        return self._files.is_ignored(path)

    def unused_ignores(self) -> Sequence[UnusedIgnore]:
        """Those of the files."""
        return self._files.unused_ignores()

    def listing(self) -> tuple[Collection[str], Collection[str]]:
        """The files."""
        return self._files.listing()

    def read(self, path: str) -> bytes | None:
        """The bytes of a file or a page."""
        return self._pages[path].content if path in self._pages else self._files.read(path)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file; pages are not ours to write."""
        self._files.write(path, content)

    def remove(self, path: str) -> None:
        """Remove a file if it is there."""
        self._files.remove(path)


def _is_sitemap(capture: Capture) -> bool:
    named = capture.content_type in _XML or capture.final.path.endswith((".xml", ".xml.gz"))
    return named and any(sign in capture.body[:_SNIFFED] for sign in _SITEMAP)


def _kind_of(capture: Capture) -> DocumentFormat | None:
    content_type = capture.content_type or ""
    if content_type in _KINDS:
        return _KINDS[content_type]
    is_text = content_type.startswith("text/") or content_type in _XML
    return format_of(capture.final.path) or (DocumentFormat.TEXT if is_text else None)
