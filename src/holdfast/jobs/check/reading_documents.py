"""The documents as they are now, into the ledger.

1. A file whose size and time are those on record was not touched: it is not opened. A file whose bytes are
   those on record is not parsed.
2. A document is written whole: what it cited before is replaced. A document that is gone is dropped.
3. An ignore with a last day is judged anew at every run, so a document that has one keeps no digest and is
   read each time.
4. A file that cannot be read, or is larger than `MAX_BYTES`, is a problem that is told, and no reason to
   stop. So is one on which a reader of ours fails: one document never costs the others.
5. A document is parsed once: where local links are wanted too, they are handed on from here.
6. The root's `.holdfastignore` names cited URLs that do not count; where it names others than before, all
   documents are read anew.
7. A run that asks takes what was read from here (`read_ahead`), and has it written while it asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from holdfast.core.base.errors import FormatError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.shown_text import is_utf8, printable
from holdfast.core.documents.document_kinds import DocumentFormat, format_of
from holdfast.core.documents.found import is_external
from holdfast.core.documents.ignore_file import OWN_IGNORES
from holdfast.core.documents.readers import (
    DocumentReading,
    is_template,
    is_utf16,
    read_document,
    read_links,
    read_whole,
)
from holdfast.core.findings.ignore import (
    LocalReading,
    ignore_findings,
    ignored_lines,
    ignored_urls,
    read_url_ignores,
    url_ignore_findings,
)
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.citation import Bid, Citation, Document, document_bid
from holdfast.core.links.citing import cite, on_site
from holdfast.core.links.link_state import LinkState
from holdfast.core.links.url_manifest import PEER_SUFFIXES, bid_in, read_mapping
from holdfast.core.url.policy import Policy
from holdfast.core.url.url import Url, parse_url
from holdfast.jobs.check.options import ReadingOptions
from holdfast.jobs.check.read_report import DocumentProblem, ReadDocument, ReadReport

if TYPE_CHECKING:
    from holdfast.adapters.ports import DocumentFile, Documents, UnusedIgnore
    from holdfast.storage.ledger.citation_table import CitationTable
    from holdfast.storage.store_ports import Keeper

T = TypeVar("T")

MAX_BYTES: Final = 32 * 1024 * 1024
_BATCH: Final = 500


class DocumentReader:
    """Reads documents into a ledger."""

    def __init__(
        self,
        documents: Documents,
        keeper: Keeper,
        policy: Policy,
        now: datetime,
        options: ReadingOptions | None = None,
    ) -> None:
        self._options = options or ReadingOptions()
        self._local: dict[str, LocalReading] = {}
        self._documents = documents
        self._keeper = keeper
        self._policy = policy
        self._now = now
        self._today = now.date()
        self._problems: list[DocumentProblem] = []
        self._paths: list[str] = []
        self._gone: set[str] = set()
        self._parsed = 0
        self._url_ignores = read_url_ignores((documents.read(OWN_IGNORES) or b"").decode("utf-8", "replace"))
        self._ignored_urls = ignored_urls(self._url_ignores[0], policy, self._today)

    def read(self, scope: Sequence[str], *, again: Collection[str] = ()) -> ReadReport:
        """Read what changed in the scope; `again` are parsed whether they did or not."""
        entries = self._entries(scope, again)
        while batch := list(islice(entries, _BATCH)):
            self._put(batch)
        return self._end(scope)

    def read_ahead(self, scope: Sequence[str]) -> tuple[ReadReport, tuple[ReadDocument, ...]]:
        """Read what changed in the scope, and leave it to the caller to write that. Where ignored URLs are
        held to all that is cited, it is written first.
        """
        if self._url_ignores[0]:
            return self.read(scope), ()
        entries = tuple(self._entries(scope, ()))
        return self._end(scope), entries

    def _entries(self, scope: Sequence[str], again: Collection[str]) -> Iterator[ReadDocument]:
        known = {document.path: document for document in self._ask(lambda citations: citations.documents())}
        self._gone = {path for path in known if _in_scope(path, scope)}
        for file in self._documents.walk(scope):
            if not is_utf8(file.path):
                problem = "its name is not UTF-8, so that nothing can refer to it; not read"
                self._problems.append(DocumentProblem(printable(file.path), 0, problem))
                continue
            self._paths.append(file.path)
            self._gone.discard(file.path)
            entry = self._entry(file, None if file.path in again else known.get(file.path))
            if entry is not None:
                yield entry

    def _end(self, scope: Sequence[str]) -> ReadReport:
        """Drop what is gone, and tell."""
        gone = self._gone
        if gone:
            self._ask(lambda citations: citations.drop_documents(gone))
        if "" in scope:
            self._problems += _unused(self._documents.unused_ignores())
            self._problems += self._ignore_file_problems()
        return ReadReport(tuple(self._paths), self._parsed, len(gone), tuple(self._problems), self._local)

    def _ask(self, question: Callable[[CitationTable], T]) -> T:
        return self._keeper.now(lambda ledger, _: question(ledger.citations))

    def _put(self, batch: Sequence[ReadDocument]) -> None:
        self._ask(lambda citations: citations.put_documents(batch))

    def _entry(self, file: DocumentFile, known: Document | None) -> ReadDocument | None:
        """The document and its citations, where something about them is new."""
        peer_bid = self._peer_bid(file)
        mark = self._mark_of(file.path)
        untouched = known and known.digest and (known.size, known.mtime_ns) == (file.size, file.mtime_ns)
        if known and untouched and known.digest.partition("+")[2] == mark and peer_bid in (None, known.bid):
            return None
        if file.size > MAX_BYTES:
            self._problems.append(DocumentProblem(file.path, 0, f"larger than {MAX_BYTES} bytes; not read"))
            return None
        data = self._documents.read(file.path)
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest() + (f"+{mark}" if mark else "")
        facts = Document(file.path, Bid(""), digest, len(data), file.mtime_ns, self._now)
        if known and known.digest == digest and peer_bid in (None, known.bid):
            cited = self._ask(lambda citations: citations.of_document(file.path))
            return replace(facts, bid=known.bid), cited
        return self._parse(facts, data, peer_bid)

    def _mark_of(self, path: str) -> str:
        """What a document is read by, where that is not as usual: another way of reading reads it anew."""
        kind, base = self._documents.kind_of(path), self._options.base_url
        ignored = self._ignored_urls.mark
        if base is None and kind is format_of(path) and not ignored:
            return ""
        manner = f"{kind} {base} {ignored}" if ignored else f"{kind} {base}"
        return hashlib.sha256(manner.encode()).hexdigest()[:8]

    def _parse(self, facts: Document, data: bytes, peer_bid: Bid | None) -> ReadDocument | None:
        kind = self._documents.kind_of(facts.path)
        if kind is None:
            return None
        if is_utf16(data):
            problem = "it is UTF-16, of which links are not read; save it as UTF-8"
            self._problems.append(DocumentProblem(facts.path, 0, problem))
            return None
        try:
            reading = self._read(facts.path, data, kind)
        except FormatError as error:
            self._problems.append(DocumentProblem(facts.path, 0, error.message))
            return None
        except Exception as error:  # noqa: BLE001 - whatever a reader does, it is one document's trouble
            message = f"our reader failed on it ({type(error).__name__}); please report this"
            self._problems.append(DocumentProblem(facts.path, 0, message))
            return None
        self._parsed += 1
        problems = self._problems_of(facts.path, reading, data, kind)
        self._problems += problems
        bid = peer_bid or bid_in(reading.metadata) or document_bid(facts.path)
        judged_anew = bool(problems) or any(ignore.until for ignore in reading.ignores)
        document = replace(facts, bid=bid, digest="" if judged_anew else facts.digest)
        return document, tuple(self._citations(reading))

    def _read(self, path: str, data: bytes, kind: DocumentFormat) -> DocumentReading:
        if path in self._options.page_bases:
            self._local[path] = LocalReading()
            return _as_page(read_whole(data, kind), self._options.page_bases[path])
        local, base = self._options.local, self._options.base_url
        if local is None and base is None:
            return read_document(data, kind)
        whole = read_whole(data, kind, wiki_links=local is not None and local.wiki_links)
        self._local[path] = whole.local if not is_template(data, kind) else LocalReading()
        asked = (
            mention for mention in whole.mentions if is_external(mention.raw) or (base and on_site(mention))
        )
        return replace(whole, mentions=tuple(asked))

    def _citations(self, reading: DocumentReading) -> Iterator[Citation]:
        is_ignored = ignored_lines(reading.ignores, self._today)
        for mention in reading.mentions:
            ignored = bool(reading.ignores) and is_ignored((mention.used or mention.span).line)
            citation = cite(mention, self._policy, ignored=ignored, base=self._options.base_url)
            if citation is None:
                continue
            if self._ignored_urls.cover(citation):
                citation = citation._replace(ignored=True)
            yield citation._replace(finding=self._finding(citation)) if citation.fragment else citation

    def _finding(self, citation: Citation) -> str | None:
        place = self._ask(lambda citations: citations.place(citation.place.web_key))
        missing = place is not None and place.notes.fragments.get(citation.fragment) is False
        return LinkState.FRAGMENT_MISSING if missing else None

    def _problems_of(
        self, path: str, reading: DocumentReading, data: bytes, kind: DocumentFormat
    ) -> list[DocumentProblem]:
        mentions = read_links(data, kind) if reading.ignores else ()
        lines = {(mention.used or mention.span).line for mention in (*reading.mentions, *mentions)}
        found = ignore_findings(reading.ignores, reading.problems, lines, self._today)
        return [DocumentProblem(path, each.line, each.message, each.code) for each in found]

    def _ignore_file_problems(self) -> list[DocumentProblem]:
        def fragments_cited(key: UrlKey) -> list[str]:
            return [link.citation.fragment for link in self._ask(lambda cited: cited.backlinks(key))]

        found = url_ignore_findings(*self._url_ignores, self._policy, self._today, fragments_cited)
        return [DocumentProblem(OWN_IGNORES, each.line, each.message, each.code) for each in found]

    def _peer_bid(self, file: DocumentFile) -> Bid | None:
        if file.peer is None:
            return None
        data = self._documents.read(file.peer)
        kind = PEER_SUFFIXES["." + file.peer.rpartition(".")[2]]
        return bid_in(read_mapping(data.decode("utf-8", "replace"), kind)) if data is not None else None


def _as_page(reading: DocumentReading, address: str) -> DocumentReading:
    """What a page of the web cites: every link that leads to one."""
    base, mentions = parse_url(address), []
    for mention in reading.mentions:
        url = parse_url(mention.raw, base) if isinstance(base, Url) else None
        if is_external(mention.raw):
            mentions.append(mention)
        elif isinstance(url, Url) and url.scheme in ("http", "https"):
            mentions.append(mention._replace(raw=url.href + (f"#{url.fragment}" if url.fragment else "")))
    return replace(reading, mentions=tuple(mentions))


def _unused(ignores: Sequence[UnusedIgnore]) -> list[DocumentProblem]:
    return [
        DocumentProblem(
            ignore.path, ignore.line, f"{ignore.pattern} matches no document", RuleCode.IGNORE_UNUSED
        )
        for ignore in ignores
    ]


def _in_scope(path: str, scope: Sequence[str]) -> bool:
    return any(not base or path == base or path.startswith(base + "/") for base in scope)
