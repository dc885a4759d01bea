"""The rows of an agent's answers. Whatever can be cited carries its URL, section, version and date.

Texts are as the page has them, without characters that control a screen or turn the direction of writing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from holdfast.core.answers.browsing import Overview
from holdfast.core.answers.citations import CitedUrl, DocumentLink
from holdfast.core.answers.comparing import ComparedRow, Comparison
from holdfast.core.answers.events import Occurrence
from holdfast.core.answers.history import PageAsOf
from holdfast.core.answers.search import SearchHit
from holdfast.core.citation import Backlink
from holdfast.core.redaction import shown
from holdfast.core.section_moves import SectionMove
from holdfast.core.shown_text import harmless
from holdfast.core.versions import PageVersion

__all__ = [
    "NOT_KEPT",
    "broken_row",
    "change_row",
    "citation_row",
    "cited_row",
    "difference",
    "hit_row",
    "kept_row",
    "page_head",
    "source_row",
    "unfinished_note",
]


NOT_KEPT: Final[dict[str, Any]] = {"version": None, "last_seen": None}
"""What is said of a page that is not kept here."""


def source_row(overview: Overview) -> dict[str, Any]:
    """What a state folder holds."""
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
        for mirror in overview.mirrors
    ]
    citations = overview.citations
    return {
        "source": overview.name,
        "mirrors": mirrors,
        "documents": citations.documents,
        "links": {str(name): number for name, number in citations.standings.items()},
    }


def page_head(page: PageAsOf, versions: Sequence[PageVersion]) -> dict[str, Any]:
    """Which page a text is of, and in which of its versions."""
    of_its_run = [one for one in versions if page.record.run_id in one.runs]
    seen = of_its_run or [one for one in versions if one.first_seen <= page.record.fetched_at]
    return {
        "url": page.record.place.url,
        "title": harmless(page.page.title),
        "version": seen[-1].number if seen else None,
        "versions": len(versions),
        "fetched_at": _stamp(page.record.fetched_at),
        "content_sha256": page.page.content_sha256,
    }


def kept_row(versions: Sequence[PageVersion]) -> dict[str, Any]:
    """Of a page the last version that is kept here, and when it was last seen."""
    return {"version": versions[-1].number, "last_seen": _stamp(versions[-1].last_seen)}


def difference(found: Comparison) -> dict[str, Any]:
    """What changed between two versions, section by section."""
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
        "url": found.diff.url,
        "old": _version(found.diff.old),
        "new": _version(found.diff.new),
        "added": found.diff.added,
        "removed": found.diff.removed,
        "sections": sections,
    }


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


def change_row(source: str, change: Occurrence) -> dict[str, Any]:
    """A page that came, changed or went."""
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


def _version(version: PageVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "first_seen": _stamp(version.first_seen),
        "last_seen": _stamp(version.last_seen),
        "title": harmless(version.item.title),
    }


def _lines(rows: Iterable[ComparedRow]) -> list[str]:
    lines = []
    for row in rows:
        if row.is_changed:
            for mark, side in (("-", row.old), ("+", row.new)):
                if side is not None:
                    lines.append(mark + harmless("".join(piece.text for piece in side)))
    return lines


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
