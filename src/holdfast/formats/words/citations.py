"""Citations in words: where a document cites, and what became of the URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.answers.citations import Backlinks, Broken, Changed, CitedUrl, DocumentLink, DocumentLinks
from holdfast.core.answers.events import Occurrence
from holdfast.core.answers.site_links import SiteBroken
from holdfast.core.citation import Backlink, Citation
from holdfast.core.link_state import Standing
from holdfast.core.redaction import shown
from holdfast.formats.http_date import timestamp
from holdfast.formats.words.paint import Paint

__all__ = [
    "backlink_line",
    "backlink_lines",
    "broken_lines",
    "changed_lines",
    "link_lines",
    "site_broken_lines",
    "target_lines",
]

_COLOURS: Final = {
    Standing.ALIVE: "green",
    Standing.SUSPECT: "yellow",
    Standing.DEAD: "red",
    Standing.UNKNOWN: "dim",
}


def broken_lines(found: Broken, paint: Paint) -> Iterator[str]:
    """One line a citation: where, what became of it, what it says."""
    for cited in found.urls:
        moved = f" -> {cited.final_url}" if cited.final_url else ""
        for backlink in cited.citations:
            place = _where(backlink.document, backlink.citation)
            yield f"{place}: {_url_words(cited, paint)}: {cited.url}{moved} ({cited.state.sentence})"


def site_broken_lines(found: SiteBroken) -> Iterator[str]:
    """One line a link of a mirrored page to what its site does not have."""
    for target in found.urls:
        for page in target.pages:
            words = f" [{page.text}]" if page.text else ""
            yield f"{page.path}: {target.url} ({target.reason}){words}"


def link_lines(found: DocumentLinks, paint: Paint) -> Iterator[str]:
    """What a document cites, one line a link."""
    return (_link_line(found.document, link, paint) for link in found.links)


def target_lines(found: Backlinks, paint: Paint) -> Iterator[str]:
    """What is known of a cited URL."""
    words = _url_words(found.node, paint) if found.node else "not cited by any document"
    yield f"{shown(found.target)}: {words}"
    yield from (f"  mirrored as {name}" for name in found.mirrored_as)


def backlink_lines(found: Backlinks) -> Iterator[str]:
    """Who cites a URL: documents, then pages of mirrors."""
    yield from map(backlink_line, found.citations)
    yield from (f"{page} (a mirrored page)" for page in dict.fromkeys(found.pages))


def backlink_line(backlink: Backlink) -> str:
    """Where something is cited, and the URL as it is written there."""
    return f"{_where(backlink.document, backlink.citation)}  {shown(backlink.citation.mention.raw)}"


def changed_lines(found: Changed) -> Iterator[str]:
    """One line for each citation of a URL that says something else now."""
    for change in found.changes:
        for backlink in change.citations:
            place = _where(backlink.document, backlink.citation)
            words = _change_words(change, backlink.citation.fragment)
            yield f"{place}: {timestamp(change.at)} {change.url}{words}"


def _where(document: str, citation: Citation) -> str:
    """The place of a citation, as editors and terminals make it a link."""
    span = citation.mention.span
    return f"{document}:{span.line}:{span.column}"


def _url_words(cited: CitedUrl, paint: Paint) -> str:
    """A cited URL's state in a few words, with the status that it rests on."""
    status = f" {cited.status}" if cited.status else ""
    words = f"{cited.standing} {cited.state}{status}"
    if cited.standing in (Standing.ALIVE, Standing.UNKNOWN):
        words = f"{cited.state}{status}"
    return paint(words, _COLOURS[cited.standing])


def _link_line(path: str, link: DocumentLink, paint: Paint) -> str:
    mention = link.citation.mention
    words = _url_words(link.node, paint) if link.node else "unchecked"
    notes = [f'"{shown(mention.text)}"'] if mention.text else []
    notes += [link.citation.finding] if link.citation.finding else []
    notes += ["ignored"] if link.citation.ignored else []
    notes += [f"mirrored as {name}" for name in link.mirrored_as]
    return "  ".join([_where(path, link.citation), words, shown(mention.raw), *notes])


def _change_words(change: Occurrence, fragment: str) -> str:
    """What changed: the cited section, how much of the page, the revisions."""
    sections, drift = change.sections, change.drift
    words = f"#{fragment} section {sections[fragment]}" if fragment in sections else ""
    if drift is not None:
        words += f" drift {drift.amount:g}{', new title' if drift.title_changed else ''}"
    return f"{words} ({change.old} -> {change.new})"
