"""Who answers an agent's tools, and the rows of the answers.

1. Each answer asks the stores that are served, and hands back plain values. An agent may ask for up
   to `MOST` rows.
2. Whatever can be cited carries its URL, section, version and date.
3. Texts are as the page has them, without characters that control a screen or turn the direction of
   writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag

from holdfast.core.base.errors import NotKeptError, UsageError
from holdfast.core.base.shown_text import harmless
from holdfast.core.lineage.versions import PageVersion, moment_asked
from holdfast.core.links.citation import Backlink
from holdfast.core.page.section import section_kind
from holdfast.core.url.redaction import shown
from holdfast.questions.log.page_as_of import page_as_of
from holdfast.questions.log.page_log import history
from holdfast.questions.show import page_head, whole_page

if TYPE_CHECKING:
    from holdfast import jobs
    from holdfast.questions.links import CitedUrl, DocumentLink
    from holdfast.questions.reader import Reader
    from holdfast.questions.search import SearchHit


_LINKS: Final = 500

Plain = dict[str, Any]


class Answers:
    """Who answers for the stores that are served. Each answer opens its own readers."""

    def __init__(self, sources: Sequence[jobs.served_stores.ServedState]) -> None:
        self._sources = tuple(sources)

    def search(self, query: str, site: str = "", at: str = "", kind: str = "", limit: int = 10) -> Plain:
        """The sections that say something, the best first."""
        moment = moment_asked(at) if at else None
        wanted, only = limit_asked(limit), section_kind(kind) if kind else None
        hits: list[Plain] = []
        unfinished: dict[str, float] = {}
        for one in self._sources:
            with one.open() as reader:
                found = reader.search(query[:400], site=site or None, at=moment, kind=only, limit=wanted)
                versions = {hit.page_url: _versions(reader, hit.page_url) for hit in found.hits}
            hits += [hit_row(one.name, hit, versions[hit.page_url], moment) for hit in found.hits]
            if found.indexed < 1:
                unfinished[one.name] = round(found.indexed, 4)
        return {"query": query[:400], "hits": hits, **unfinished_note(unfinished)}

    def page(self, url: str) -> Plain:
        """A page as it was last seen, whole."""
        bare = urldefrag(url)[0]
        page = self._first(lambda reader: reader.ask(page_as_of, url=bare), bare)
        return page_head(page) | {"text": whole_page(page.page)}

    def citations(self, target: str) -> Plain:
        """Who cites a URL, or what a document cites."""
        if "://" in target:
            return self._cited_by(urldefrag(target)[0])
        found = self._first(lambda reader: reader.links(target), target)
        cites = found.links[:_LINKS]
        kept = self._kept(link.citation.url for link in cites)
        cited = [cited_row(link, kept[link.citation.url]) for link in cites]
        return {"document": found.document, "cites": cited, "total": len(found.links)}

    def _cited_by(self, url: str) -> Plain:
        cited: list[Plain] = []
        pages: list[str] = []
        for one in self._sources:
            with one.open() as reader:
                found = reader.backlinks(url)
            cited += [citation_row(one.name, link) for link in found.citations]
            pages += found.pages
        kept = self._kept([url])[url]
        return {"url": url, **kept, "cited_by": cited[:MOST], "linked_from": pages[:MOST]}

    def broken(self, path: str = "", *, suspect: bool = False) -> Plain:
        """The citations of dead URLs, all or in the documents whose path begins so."""
        broken: list[Plain] = []
        for one in self._sources:
            with one.open() as reader:
                found = reader.broken(suspect=suspect)
            for url in found.urls:
                places = [link for link in url.citations if link.document.startswith(path)]
                broken += [broken_row(one.name, url, places)] if places else []
        kept = self._kept(row["url"] for row in broken[:MOST])
        return {"broken": [{**row, **kept[row["url"]]} for row in broken[:MOST]], "total": len(broken)}

    def _kept(self, urls: Iterable[str]) -> dict[str, Plain]:
        """Of pages the last version that is kept here, and when it was last seen."""
        found = dict.fromkeys(urls, NOT_KEPT)
        for source in self._sources:
            with source.open() as reader:
                for url in [url for url, known in found.items() if known is NOT_KEPT]:
                    if versions := _versions(reader, url):
                        found[url] = kept_row(versions)
        return found

    def _first(self, question: Callable[[Reader], Any], what: str) -> Any:
        """The answer of the first store that has one; else what one says that knows of it."""
        said: UsageError | NotKeptError | None = None
        is_of_one_that_knows = False
        for source in self._sources:
            with source.open() as reader:
                try:
                    found = question(reader)
                except (UsageError, NotKeptError) as error:
                    knows = "://" in what and bool(_versions(reader, what))
                    if said is None or (knows and not is_of_one_that_knows):
                        said, is_of_one_that_knows = error, knows
                    continue
            if found is not None:
                return found
        raise said or UsageError(f"nothing is known of {what[:200]}", hint="`sources` says what is kept")


def _versions(reader: Reader, url: str) -> tuple[PageVersion, ...]:
    return reader.ask(history, url=url).versions


MOST: Final = 100
"""Rows that an answer has at most."""


def limit_asked(number: int) -> int:
    """How many rows an agent wants."""
    if not 1 <= number <= MOST:
        raise UsageError(f"limit is a number from 1 to {MOST}")
    return number


NOT_KEPT: Final[dict[str, Any]] = {"version": None, "last_seen": None}
"""What is said of a page that is not kept here."""


def kept_row(versions: Sequence[PageVersion]) -> dict[str, Any]:
    """Of a page the last version that is kept here, and when it was last seen."""
    return {"version": versions[-1].number, "last_seen": _stamp(versions[-1].last_seen)}


def cited_row(link: DocumentLink, kept: Mapping[str, Any]) -> dict[str, Any]:
    """A URL that a document cites; `kept` is its row of what is kept here."""
    citation, node = link.citation, link.node
    return {
        "url": shown(citation.mention.raw),
        "section": citation.fragment or None,
        **kept,
        "line": citation.line,
        "standing": node.standing if node else "unknown",
        "state": node.state if node else "unchecked",
        "checked_at": _stamp(node.checked_at) if node else None,
    }


def unfinished_note(unfinished: dict[str, float]) -> dict[str, Any]:
    """That an index is being built, and which share of each source it has."""
    note = "an index is being built: only this share of the source was looked through; ask again later"
    return {"indexed": unfinished, "note": note} if unfinished else {}


def hit_row(
    source: str, hit: SearchHit, versions: Sequence[PageVersion], at: datetime | None
) -> dict[str, Any]:
    """A section that a search found, in the version of its page that says so."""
    seen = [one for one in versions if at is None or one.first_seen <= at]
    return {
        "source": source,
        "url": hit.url,
        "version": seen[-1].number if seen else None,
        "title": harmless(hit.title),
        "section": hit.anchor or None,
        "headings": [harmless(heading) for heading in hit.headings],
        "since": _stamp(hit.since),
        "until": _stamp(hit.until),
        "snippet": harmless(" ".join(hit.snippet.text.split())),
    }


def citation_row(source: str, link: Backlink) -> dict[str, Any]:
    """Where a document cites a page."""
    citation = link.citation
    return {
        "source": source,
        "document": link.document,
        "line": link.line,
        "column": link.column,
        "text": harmless(citation.mention.text),
        "section": citation.fragment or None,
    }


def broken_row(source: str, url: CitedUrl, places: Iterable[Backlink]) -> dict[str, Any]:
    """A dead link, why it counts as dead, and where it stands."""
    return {
        "source": source,
        "url": url.url,
        "standing": url.standing,
        "state": url.state,
        "why": url.state.sentence,
        "status": url.status,
        "checked_at": _stamp(url.checked_at),
        "sections": sorted({link.citation.fragment for link in places} - {""}),
        "cited_at": [f"{link.document}:{link.line}:{link.column}" for link in places],
    }


def _stamp(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment else None
