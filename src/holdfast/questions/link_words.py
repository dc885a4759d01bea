"""Who cites what, and what became of it: JSON and words.

The words say where a document cites, and what became of the URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import timestamp
from holdfast.core.base.json_shape import (
    BOOLEAN,
    DRIFT,
    INTEGER,
    SECONDS,
    TEXT,
    Schema,
    array,
    at,
    described,
    inside,
    mapping,
    one_of,
    optional,
    record,
    sometimes,
)
from holdfast.core.events.happenings import Occurrence
from holdfast.core.lineage.event_kind import SectionVerdict
from holdfast.core.links.citation import Backlink, Citation
from holdfast.core.links.link_shapes import BACKLINK, CITATION, NODE, SHOWN
from holdfast.core.links.link_state import Standing
from holdfast.core.url.redaction import shown

if TYPE_CHECKING:
    from holdfast.questions.links import (
        Backlinks,
        Broken,
        Changed,
        CitedUrl,
        DocumentLink,
        DocumentLinks,
        SiteBroken,
    )
    from holdfast.questions.rows.question import Paint

CITED_URL: Final = record(NODE, citations=array(BACKLINK))

BROKEN: Final = Schema("broken", "What `holdfast broken --json` prints.", record(urls=array(CITED_URL)))

SITE_BROKEN: Final = Schema(
    "site-broken",
    "What `holdfast broken --mirror DIR --json` prints: addresses of the site that could not be had, and the "
    "pages of the mirror that link to them.",
    record(
        label=TEXT,
        urls=array(
            record(
                url=TEXT,
                reason=TEXT,
                is_dead=BOOLEAN,
                pages=array(record(url=TEXT, path=TEXT, text=TEXT)),
            )
        ),
        suspects=INTEGER,
    ),
)

BACKLINKS: Final = Schema(
    "backlinks",
    "What `holdfast backlinks --json` prints; `node`, `mirrored_as` and `pages` are there when a URL was "
    "asked for.",
    record(
        target=SHOWN,
        node=sometimes("node", optional(NODE), when=lambda found: found.is_url),
        mirrored_as=sometimes("mirrored_as", array(TEXT), when=lambda found: found.is_url),
        backlinks=at("citations", array(BACKLINK)),
        pages=sometimes("pages", array(TEXT), when=lambda found: found.is_url),
    ),
)

LINKS: Final = Schema(
    "links",
    "What `holdfast links --json` prints.",
    record(
        document=TEXT,
        links=array(
            record(
                **inside("citation", CITATION),
                node=optional(NODE),
                mirrored_as=array(TEXT),
            )
        ),
    ),
)

CHANGED: Final = Schema(
    "changed",
    "What `holdfast changed --json` prints.",
    record(
        changes=array(
            record(
                at=at("at", SECONDS),
                url=SHOWN,
                old=optional(TEXT),
                new=optional(TEXT),
                drift=described(
                    optional(DRIFT),
                    "How much of the page is different; null where it has no text, or a copy is gone.",
                ),
                sections=described(
                    mapping(one_of(SectionVerdict)),
                    "What the change means for each section that is cited, by fragment.",
                ),
                citations=array(BACKLINK),
            )
        )
    ),
)


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
