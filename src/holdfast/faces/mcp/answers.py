"""What a tool answers: plain values. Whatever can be cited carries its URL, section, version and date.

1. A long page comes as its outline first: an agent asks for the section it needs, or for the next part.
2. A date without time means the end of that day, in UTC (as everywhere).
3. Texts are as the page has them, without characters that control a screen or turn the direction of writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag

from holdfast import wiring
from holdfast.core.answers.citations import CitedUrl
from holdfast.core.answers.events import Occurrence
from holdfast.core.answers.history import PageAsOf
from holdfast.core.answers.search import SearchHit
from holdfast.core.citation import Backlink
from holdfast.core.errors import FailedError, UsageError
from holdfast.core.fragment import generated_ids
from holdfast.core.page import Page
from holdfast.core.redaction import shown
from holdfast.core.section import section_kind
from holdfast.core.section_moves import SectionMove
from holdfast.core.shown_text import harmless
from holdfast.core.versions import PageVersion, moment_of
from holdfast.formats.text_sections import TextHeading, text_headings

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

__all__ = ["Answers"]

PART: Final = 12_000
"""Characters of text that one answer holds; of a longer page the outline comes first."""
_MOST: Final = 100
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
                one = reader.parts.overview(source.name)
            mirrors = [
                {
                    "label": mirror.label,
                    "pages": mirror.pages,
                    "gone": mirror.gone,
                    "last_run": _stamp(mirror.last_run.run.started_at),
                    "status": mirror.last_run.status,
                    "changed_in_last_run": mirror.brought.changed,
                    "new_in_last_run": mirror.brought.new,
                }
                for mirror in one.mirrors
            ]
            standings = {str(name): number for name, number in one.citations.standings.items()}
            found.append(
                {
                    "source": source.name,
                    "mirrors": mirrors,
                    "documents": one.citations.documents,
                    "links": standings,
                }
            )
        return {"sources": found}

    def search(self, query: str, site: str = "", at: str = "", kind: str = "", limit: int = 10) -> Plain:
        """The sections that say something, the best first."""
        moment = _moment(at) if at else None
        wanted, only = _limit(limit), section_kind(kind) if kind else None
        hits: list[Plain] = []
        unfinished: dict[str, float] = {}
        for one in self._sources:
            with one.open() as reader:
                found = reader.search(query[:400], site=site or None, at=moment, kind=only, limit=wanted)
                versions = {hit.page_url: _versions(reader, hit.page_url) for hit in found.hits}
            hits += [_hit(one.name, hit, versions[hit.page_url], moment) for hit in found.hits]
            if found.indexed < 1:
                unfinished[one.name] = round(found.indexed, 4)
        return {"query": query[:400], "hits": hits, **_building(unfinished)}

    def read(self, url: str, section: str = "", at: str = "", offset: int = 0) -> Plain:
        """A page or a section of it, now or at a date."""
        bare, fragment = urldefrag(url)
        wanted = section or fragment
        moment = _moment(at) if at else None
        found = self._first(lambda reader: (reader.page_as_of(bare, moment), _versions(reader, bare)), bare)
        page, versions = found
        version = _version_at(versions, page)
        answer = {
            "url": page.record.place.url,
            "title": harmless(page.page.title),
            "version": version.number if version else None,
            "versions": len(versions),
            "fetched_at": _stamp(page.record.fetched_at),
            "content_sha256": page.page.content_sha256,
        }
        return answer | _text(page.page, wanted, offset)

    def changes(self, since: str = "", source: str = "", limit: int = 30) -> Plain:
        """What came, changed and went in the mirrors, the latest first."""
        after = _since(since) if since else None
        wanted = _limit(limit)
        rows: list[tuple[datetime, Plain]] = []
        for one in self._chosen(source):
            with one.open() as reader:
                for mirror in reader.mirrors():
                    found = reader.mirror_changes(mirror.label, since=after, limit=wanted)
                    rows += [(c.at, _change(one.name, c)) for c in found.changes]
        rows.sort(key=lambda row: row[0], reverse=True)
        return {"changes": [row for _, row in rows[:wanted]], "more": len(rows) > wanted}

    def diff(self, url: str, old: str = "", new: str = "") -> Plain:
        """What changed between two versions of a page, section by section."""
        bare = urldefrag(url)[0]
        found = self._first(lambda reader: reader.compared(bare, old or None, new or None), bare)
        difference = found.diff
        sections = [
            {
                "section": " › ".join(map(harmless, section.headings)),
                "anchor": section.anchor,
                "change": section.change,
                "lines": _lines(section.rows),
            }
            for section in found.sections
            if section.change is not None
        ]
        return {
            "url": difference.url,
            "old": _version(difference.old),
            "new": _version(difference.new),
            "added": difference.added,
            "removed": difference.removed,
            "sections": sections,
        }

    def citations(self, target: str) -> Plain:
        """Who cites a URL, or what a document cites."""
        if "://" in target:
            bare = urldefrag(target)[0]
            cited: list[Plain] = []
            pages: list[str] = []
            for one in self._sources:
                with one.open() as reader:
                    found = reader.backlinks(bare)
                cited += [_citation(one.name, link) for link in found.citations]
                pages += found.pages
            return {
                "url": bare,
                **self._kept([bare])[bare],
                "cited_by": cited[:_MOST],
                "linked_from": pages[:_MOST],
            }
        found_links = self._first(lambda reader: reader.links(target), target)
        cites = found_links.links[:_LINKS]
        kept = self._kept(link.citation.url for link in cites)
        rows = [
            {
                "url": shown(link.citation.mention.raw),
                "section": link.citation.fragment or None,
                **kept[link.citation.url],
                "line": link.citation.line,
                "standing": link.node.standing if link.node else "unknown",
                "state": link.node.state if link.node else "unchecked",
                "checked_at": _stamp(link.node.checked_at) if link.node else None,
            }
            for link in cites
        ]
        return {"document": found_links.document, "cites": rows, "total": len(found_links.links)}

    def broken(self, path: str = "", *, suspect: bool = False) -> Plain:
        """The citations of dead URLs, all or in the documents whose path begins so."""
        rows: list[Plain] = []
        for one in self._sources:
            with one.open() as reader:
                found = reader.broken(suspect=suspect)
            for url in found.urls:
                places = [link for link in url.citations if link.document.startswith(path)]
                rows += [_broken(one.name, url, places)] if places else []
        kept = self._kept(row["url"] for row in rows[:_MOST])
        return {"broken": [{**row, **kept[row["url"]]} for row in rows[:_MOST]], "total": len(rows)}

    def _kept(self, urls: Iterable[str]) -> dict[str, Plain]:
        """Of pages the last version that is kept here, and when it was last seen."""
        found: dict[str, Plain] = {url: {"version": None, "last_seen": None} for url in urls}
        for source in self._sources:
            with source.open() as reader:
                for url in [url for url, known in found.items() if known["version"] is None]:
                    if versions := _versions(reader, url):
                        last = versions[-1]
                        found[url] = {"version": last.number, "last_seen": _stamp(last.last_seen)}
        return found

    def _chosen(self, name: str) -> Sequence[wiring.serving.ServedState]:
        chosen = [one for one in self._sources if not name or one.name == name]
        if not chosen:
            names = ", ".join(one.name for one in self._sources)
            raise UsageError(f"there is no source {name[:80]!r}", hint=f"there are: {names}")
        return chosen

    def _first(self, question: Callable[[Reader], Any], what: str) -> Any:
        """The answer of the first state folder that has one."""
        said: UsageError | FailedError | None = None
        for source in self._sources:
            with source.open() as reader:
                try:
                    found = question(reader)
                except (UsageError, FailedError) as error:
                    said = error
                    continue
            if found is not None:
                return found
        raise said or UsageError(f"nothing is known of {what[:200]}", hint="`sources` says what is kept")


def _versions(reader: Reader, url: str) -> tuple[PageVersion, ...]:
    return reader.history(url).versions


def _version_at(versions: Iterable[PageVersion], page: PageAsOf) -> PageVersion | None:
    """The version that a copy shows."""
    seen = [one for one in versions if one.first_seen <= page.record.fetched_at]
    return seen[-1] if seen else None


def _text(page: Page, section: str, offset: int) -> Plain:
    """The text that was asked for; the outline, where it is long and no part was named."""
    text = page.markdown or page.text
    lines = text.split("\n")
    headings = text_headings(lines)
    anchors = _anchors(page, headings)
    if section:
        start, end, heading = _section(lines, headings, anchors, section)
        text = "\n".join(lines[start:end])
        extra: Plain = {"section": harmless(heading.text), "anchor": anchors[heading.line][0]}
    else:
        extra = {}
        if len(text) > PART and offset == 0:
            outline = [
                {"level": h.level, "heading": harmless(h.text), "section": anchors[h.line][0]}
                for h in headings
            ]
            extra = {"outline": outline, "note": "a long page: read a `section`, or go on at `next_offset`"}
    if not 0 <= offset <= len(text):
        raise UsageError(f"offset is a number from 0 to {len(text)}")
    part = text[offset : offset + PART]
    following = offset + PART if offset + PART < len(text) else None
    shown = "\n".join(harmless(line) for line in part.split("\n"))
    return {**extra, "text": shown, "next_offset": following}


def _anchors(page: Page, headings: Sequence[TextHeading]) -> dict[int, list[str]]:
    """The names by which each heading can be asked for: the page's own first, then what generators make."""
    own = {heading.text: heading.anchor for heading in page.structure.headings if heading.anchor}
    made = generated_ids(heading.text for heading in headings)
    return {
        heading.line: [*([own[heading.text]] if heading.text in own else []), *names, heading.text]
        for heading, names in zip(headings, made, strict=True)
    }


def _section(
    lines: Sequence[str], headings: Sequence[TextHeading], anchors: dict[int, list[str]], wanted: str
) -> tuple[int, int, TextHeading]:
    for number, heading in enumerate(headings):
        if wanted in anchors[heading.line]:
            later = (h.line for h in headings[number + 1 :] if h.level <= heading.level)
            return heading.line, next(later, len(lines)), heading
    names = ", ".join(anchors[heading.line][0] for heading in headings[:40])
    raise UsageError(f"the page has no section {wanted[:80]!r}", hint=f"it has: {names}")


def _building(unfinished: dict[str, float]) -> Plain:
    """That an index is being built, and which share of each source it has."""
    note = "an index is being built: only this share of the source was looked through; ask again later"
    return {"indexed": unfinished, "note": note} if unfinished else {}


def _hit(source: str, hit: SearchHit, versions: Sequence[PageVersion], at: datetime | None) -> Plain:
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


def _change(source: str, change: Occurrence) -> Plain:
    return {
        "source": source,
        "kind": change.kind,
        "url": change.url,
        "title": harmless(change.title),
        "version": change.version,
        "sections": [move.section.anchor or " › ".join(move.section.path) for move in _moved(change)],
        "seen_at": _stamp(change.at),
        "run": change.run_id[:12],
        "reason": change.reason or None,
    }


def _moved(change: Occurrence) -> tuple[SectionMove, ...]:
    return change.page.moved if change.page else ()


def _version(version: PageVersion) -> Plain:
    return {
        "version": version.number,
        "first_seen": _stamp(version.first_seen),
        "last_seen": _stamp(version.last_seen),
        "title": harmless(version.item.title),
    }


def _lines(rows: Iterable[Any]) -> list[str]:
    lines = []
    for row in rows:
        if row.is_changed:
            for mark, side in (("-", row.old), ("+", row.new)):
                if side is not None:
                    lines.append(mark + harmless("".join(piece.text for piece in side)))
    return lines


def _citation(source: str, link: Backlink) -> Plain:
    citation = link.citation
    return {
        "source": source,
        "document": link.document,
        "line": link.line,
        "column": link.column,
        "text": harmless(citation.mention.text),
        "section": citation.fragment or None,
    }


def _broken(source: str, url: CitedUrl, places: Iterable[Backlink]) -> Plain:
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


def _moment(text: str) -> datetime:
    moment = moment_of(text)
    if moment is None:
        raise UsageError(f"{text[:80]!r} is not a date", hint="such as 2026-05-04 or 2026-05-04T12:00")
    return moment


def _since(text: str) -> datetime:
    moment = _moment(text)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) if len(text) == 10 else moment


def _limit(number: int) -> int:
    if not 1 <= number <= _MOST:
        raise UsageError(f"limit is a number from 1 to {_MOST}")
    return number
