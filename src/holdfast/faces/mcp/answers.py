"""Who answers the tools: each asks the state folders that are served, and hands back plain values.

What the values look like is decided in `formats/agents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag

from holdfast import wiring
from holdfast.core.errors import FailedError, UsageError
from holdfast.core.section import section_kind
from holdfast.core.versions import PageVersion, moment_asked, start_asked
from holdfast.formats.agents import rows
from holdfast.formats.agents.arguments import MOST, limit_asked
from holdfast.formats.agents.page_parts import page_part, whole_page

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

__all__ = ["Answers"]

_LINKS: Final = 500

Plain = dict[str, Any]


class Answers:
    """Who answers for the state folders that are served. Each answer opens its own readers."""

    def __init__(self, sources: Sequence[wiring.serving.ServedState]) -> None:
        self._sources = tuple(sources)

    def sources(self) -> Plain:
        """What is kept here."""
        found = []
        for source in self._sources:
            with source.open() as reader:
                found.append(rows.source_row(reader.parts.overview(source.name)))
        return {"sources": found}

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
            hits += [rows.hit_row(one.name, hit, versions[hit.page_url], moment) for hit in found.hits]
            if found.indexed < 1:
                unfinished[one.name] = round(found.indexed, 4)
        return {"query": query[:400], "hits": hits, **rows.unfinished_note(unfinished)}

    def read(self, url: str, section: str = "", at: str = "", offset: int = 0) -> Plain:
        """A page or a section of it, now or at a date."""
        bare, fragment = urldefrag(url)
        moment = moment_asked(at) if at else None
        page, versions = self._first(
            lambda reader: (reader.page_as_of(bare, moment), _versions(reader, bare)), bare
        )
        return rows.page_head(page, versions) | page_part(page.page, section or fragment, offset)

    def page(self, url: str) -> Plain:
        """A page as it was last seen, whole."""
        bare = urldefrag(url)[0]
        page, versions = self._first(lambda reader: (reader.page_as_of(bare), _versions(reader, bare)), bare)
        return rows.page_head(page, versions) | {"text": whole_page(page.page)}

    def changes(self, since: str = "", source: str = "", limit: int = 30) -> Plain:
        """What came, changed and went in the mirrors, the latest first."""
        after = start_asked(since) if since else None
        wanted = limit_asked(limit)
        found: list[tuple[datetime, Plain]] = []
        for one in self._chosen(source):
            with one.open() as reader:
                for mirror in reader.mirrors():
                    news = reader.mirror_changes(mirror.label, since=after, limit=wanted + 1)
                    found += [(c.at, rows.change_row(one.name, c)) for c in news.changes]
        found.sort(key=lambda row: row[0], reverse=True)
        return {"changes": [row for _, row in found[:wanted]], "more": len(found) > wanted}

    def diff(self, url: str, old: str = "", new: str = "") -> Plain:
        """What changed between two versions of a page, section by section."""
        bare = urldefrag(url)[0]
        found = self._first(lambda reader: reader.compared(bare, old or None, new or None), bare)
        return rows.difference(found)

    def citations(self, target: str) -> Plain:
        """Who cites a URL, or what a document cites."""
        if "://" in target:
            return self._cited_by(urldefrag(target)[0])
        found = self._first(lambda reader: reader.links(target), target)
        cites = found.links[:_LINKS]
        kept = self._kept(link.citation.url for link in cites)
        cited = [rows.cited_row(link, kept[link.citation.url]) for link in cites]
        return {"document": found.document, "cites": cited, "total": len(found.links)}

    def _cited_by(self, url: str) -> Plain:
        cited: list[Plain] = []
        pages: list[str] = []
        for one in self._sources:
            with one.open() as reader:
                found = reader.backlinks(url)
            cited += [rows.citation_row(one.name, link) for link in found.citations]
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
                broken += [rows.broken_row(one.name, url, places)] if places else []
        kept = self._kept(row["url"] for row in broken[:MOST])
        return {"broken": [{**row, **kept[row["url"]]} for row in broken[:MOST]], "total": len(broken)}

    def _kept(self, urls: Iterable[str]) -> dict[str, Plain]:
        """Of pages the last version that is kept here, and when it was last seen."""
        found = dict.fromkeys(urls, rows.NOT_KEPT)
        for source in self._sources:
            with source.open() as reader:
                for url in [url for url, known in found.items() if known is rows.NOT_KEPT]:
                    if versions := _versions(reader, url):
                        found[url] = rows.kept_row(versions)
        return found

    def _chosen(self, name: str) -> Sequence[wiring.serving.ServedState]:
        chosen = [one for one in self._sources if not name or one.name == name]
        if not chosen:
            names = ", ".join(one.name for one in self._sources)
            raise UsageError(f"there is no source {name[:80]!r}", hint=f"there are: {names}")
        return chosen

    def _first(self, question: Callable[[Reader], Any], what: str) -> Any:
        """The answer of the first state folder that has one; else what one says that knows of it."""
        said: UsageError | FailedError | None = None
        is_of_one_that_knows = False
        for source in self._sources:
            with source.open() as reader:
                try:
                    found = question(reader)
                except (UsageError, FailedError) as error:
                    knows = "://" in what and bool(_versions(reader, what))
                    if said is None or (knows and not is_of_one_that_knows):
                        said, is_of_one_that_knows = error, knows
                    continue
            if found is not None:
                return found
        raise said or UsageError(f"nothing is known of {what[:200]}", hint="`sources` says what is kept")


def _versions(reader: Reader, url: str) -> tuple[PageVersion, ...]:
    return reader.history(url).versions
