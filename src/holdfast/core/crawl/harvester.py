"""From a capture to all that the crawl needs of it: pure, and what worker processes run.

1. Everything that costs time happens here, once, off the event loop: parsing, Markdown, hashing, and the
   canonical forms of all links under both policies.
2. What goes back is flat: texts and tuples of texts, since it has to cross a process boundary.
3. Nothing here knows what else was crawled; scope is decided here, depth and traps are not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from holdfast.core.base.hashing import rows_digest
from holdfast.core.crawl.harvest import FOLLOWED, Harvest, HarvestRules, LinkRow, PageContent, Pointer, Step
from holdfast.core.crawl.mirror_spec import Standard, place_of, places, why_no_place
from holdfast.core.page.distill_options import distill, page_gist
from holdfast.core.page.html.signals import (
    PageSigns,
    is_search_index,
    menu_addresses,
    openapi_title,
    search_index_addresses,
)
from holdfast.core.page.page import Link, LinkKind, Page, PageKind, PageWarning
from holdfast.core.page.section import KeptSection, PageSection, SectionPlace, kept_sections
from holdfast.core.page.sidecar import LastFetch, PageWords, Sidecar, front_matter, write_outline
from holdfast.core.url.redaction import shown
from holdfast.core.url.scope import Look, noise_by_look
from holdfast.core.url.url import Place, Refused, Url, parse_url
from holdfast.core.web.capture import Capture
from holdfast.core.web.headers import BodyKind, body_kind, linked
from holdfast.core.web.robots import meta_robots

_OWN_FOLDER: Final = re.compile(r"/(?:search|assets|_static|static|js)/[^/]*$")
_MENUS: Final = ("/menudata.js", "/navtreedata.js")
_KINDS: Final = {kind: str(kind) for kind in LinkKind}
"""The words for kinds of links, each once: what is there before need not be sent again."""
_PageParts = tuple[str, str, int | None, str, str | None]
"""An address without its fragment."""


def harvest(capture: Capture, rules: HarvestRules) -> Harvest:
    """Everything the crawl needs of a response."""
    place = place_of(capture.page, rules.standard)
    if place is None:
        raise ValueError(f"{capture.page} was fetched but has no identity")
    hops = _hops(capture, place, rules)
    page = distill(capture, rules.standard.recipe, rules.options)
    if page.kind is PageKind.OTHER:
        return _no_page(Harvest(place, hops, skip=_why_no_page(capture, page)), capture, rules)
    wishes = meta_robots(capture.headers)
    obeyed = rules.meta_robots
    nofollow = page.head.nofollow or wishes.nofollow
    alternate = _alternate(capture, page)
    own = (Link(alternate, "", LinkKind.ALTERNATE),) if alternate else ()
    signs = PageSigns(capture.body if page.kind is PageKind.PAGE else b"")
    links, steps, refused = _links((*own, *page.links) if rules.keep_links else (), rules, nofollow=nofollow)
    steps = (*steps, *_menu_steps(page, signs, capture, rules))
    if obeyed and (page.head.noindex or wishes.noindex):
        return Harvest(place, hops, skip="noindex", steps=steps, refused=refused)
    if (noise := _noise(capture, page, signs)) and not rules.scope.keeps_noise(capture.page):
        return Harvest(place, hops, skip=noise, steps=steps, refused=refused)
    file = _file(capture, page, place, rules)
    sections = kept_sections(page.structure.outline)
    return Harvest(
        place=place,
        hops=hops,
        content=PageContent(
            file=file,
            file_sha256=hashlib.sha256(file).hexdigest(),
            title=page.title,
            text=page.text,
            content_sha256=page.content_sha256,
            markdown_version=page.markdown_version,
            warnings=tuple(map(str, page.warnings)),
            gist=page_gist(page, capture.page) if rules.follow else "",
            sections=sections,
            outline=_outline(page.structure.outline, sections, rules),
            full_title=page.head.full_title,
            language=page.head.language,
        ),
        links=links,
        steps=steps,
        refused=refused,
        canonical=_pointer(page.head.canonical_link, rules),
        refresh=_pointer(page.head.refresh, rules),
        alternate=alternate.href if alternate and rules.scope.refusal(alternate) is None else None,
        hint=_hint(capture, page, signs),
        links_digest=rows_digest(links),
    )


def _no_page(made: Harvest, capture: Capture, rules: HarvestRules) -> Harvest:
    """Something that is not a page: what it is, and, of a menu in JavaScript, where it leads."""
    if title := openapi_title(capture.body):
        return replace(made, skip=title, hint=f"{shown(capture.page.href)} is an {title}")
    path = capture.page.path
    if not rules.follow or not (path.endswith(_MENUS) or is_search_index(path)):
        return made
    named = menu_addresses(capture.body) if path.endswith(_MENUS) else _indexed(capture)
    steps = tuple(_addressed(named, capture, rules))
    words = f"the site's menus are JavaScript: {len(steps)} pages were read from {shown(capture.page.href)}"
    return replace(made, steps=steps, hint=words)


def _indexed(capture: Capture) -> tuple[str, ...]:
    """The pages that a search index names. They are relative to the site's root: to where the index lies, or,
    in a folder of its own (`search/`, `assets/`), to what is above that.
    """
    above = "../" if _OWN_FOLDER.search(capture.page.path) else "./"
    found = search_index_addresses(capture.body)
    return tuple(name if name.startswith(("/", "http:", "https:")) else above + name for name in found)


def _menus(page: Page, signs: PageSigns) -> tuple[str, ...]:
    """What names the pages of a site whose menus are JavaScript; of an empty shell also its search index."""
    if PageWarning.EMPTY_SHELL not in page.warnings:
        return signs.menus
    return (*signs.menus, *(address for address in signs.data if is_search_index(address)))


def _menu_steps(page: Page, signs: PageSigns, capture: Capture, rules: HarvestRules) -> tuple[Step, ...]:
    """The scripts that hold a page's menu are asked for like links."""
    return tuple(_addressed(_menus(page, signs), capture, rules)) if rules.follow else ()


def _addressed(addresses: Iterable[str], capture: Capture, rules: HarvestRules) -> Iterator[Step]:
    """Addresses relative to a page as links to follow, each once, as far as they are admitted."""
    place_at, seen = places(rules.standard), set[str]()
    for address in addresses:
        url = parse_url(address, capture.final)
        if isinstance(url, Refused) or url.href in seen or rules.scope.refusal(url) is not None:
            continue
        seen.add(url.href)
        if (place := place_at(url.href)) is not None:
            yield place.url, place.key, place.web_key, url.href


def _noise(capture: Capture, page: Page, signs: PageSigns) -> str | None:
    """What a page is that a generator made for its own use."""

    def look() -> Look:
        linked = sum(len(link.text.split()) for link in page.links if link.kind is LinkKind.ANCHOR)
        generator = page.head.generator or signs.generator
        return Look(generator, len(page.text.split()), linked, signs.has_search)

    found = noise_by_look(capture.page, look)
    return None if found is None else str(found)


def _hint(capture: Capture, page: Page, signs: PageSigns) -> str:
    """Where the content of a page is that shows none without JavaScript."""
    if PageWarning.EMPTY_SHELL not in page.warnings or not signs.data:
        return ""
    found = (parse_url(address, capture.final) for address in signs.data)
    where = ", ".join(shown(url.href) for url in found if isinstance(url, Url))
    return (
        f"{shown(capture.page.href)} is an empty JavaScript shell; its content is in {where}" if where else ""
    )


def _hops(capture: Capture, place: Place, rules: HarvestRules) -> tuple[Place, ...]:
    """The other names by which a page was reached; what leads to its Markdown is not a name of the page."""
    if capture.alternate_of is not None:
        return ()
    walked = (
        place_of(url, rules.standard) for url in (capture.requested, *(hop.url for hop in capture.hops))
    )
    return tuple(dict.fromkeys(hop for hop in walked if hop and hop.key != place.key))


def _alternate(capture: Capture, page: Page) -> Url | None:
    """A page's own Markdown, as its head or its response names it; the page itself does not count."""
    if page.kind is not PageKind.PAGE:
        return None
    found = page.head.markdown_alternate
    if found is None and (reference := linked(capture.headers, "alternate", "text/markdown")):
        url = parse_url(reference, capture.final)
        found = url if isinstance(url, Url) else None
    return found if found and found.href != capture.final.href else None


def _outline(outline: Sequence[PageSection], sections: Iterable[KeptSection], rules: HarvestRules) -> bytes:
    """The sections for the sidecar of a page whose Markdown is written."""
    if rules.front_matter or rules.options.glance:
        return b"[]"
    places = [SectionPlace(section.level, section.spans) for section in outline]
    return write_outline(zip(sections, places, strict=True))


def _why_no_page(capture: Capture, page: Page) -> str:
    """Its type; or, where that would have made it a page, what was wrong with it."""
    if page.warnings and body_kind(capture.content_type, capture.body) is not BodyKind.DATA:
        return ", ".join(map(str, page.warnings))
    return capture.content_type or "no content type"


def _file(capture: Capture, page: Page, place: Place, rules: HarvestRules) -> bytes:
    text = page.markdown if page.markdown.endswith("\n") or not page.markdown else page.markdown + "\n"
    if rules.front_matter:
        text = front_matter(_steady_facts(capture, page, place)) + text
    return text.encode("utf-8", "replace")


def _steady_facts(capture: Capture, page: Page, place: Place) -> Sidecar:
    return Sidecar(
        url_hash=place.key,
        content_hash=page.content_sha256,
        source_url=capture.page.href,
        canonical_url=place.url,
        crawl_depth=0,
        normalization_version=str(page.recipe),
        markdown_version=page.markdown_version,
        page=PageWords(page.title, page.head.full_title, page.head.language),
        fetch=LastFetch("", capture.status),
    )


def _links(
    links: tuple[Link, ...], rules: HarvestRules, *, nofollow: bool
) -> tuple[tuple[LinkRow, ...], tuple[Step, ...], tuple[tuple[str, str], ...]]:
    rows: dict[tuple[str, str], LinkRow] = {}
    steps: dict[str, Step] = {}
    refused: dict[str, str] = {}
    page_at = _pages(rules.standard)
    known: dict[_PageParts, tuple[str, Place | None]] = {}  # many links lead to places of one page
    for target, text, kind, is_shy in links:
        if (page := target[:-1]) not in known:
            known[page] = page_at(page)
        href, place = known[page]
        shy = nofollow or is_shy
        if place is None:
            if rules.follow and kind in FOLLOWED and rules.scope.refusal(target) is None:
                refused[href] = why_no_place(href, rules.standard)
            continue
        address = f"{href}#{target.fragment}" if target.fragment else href
        if (address, kind) not in rows:
            rows[address, kind] = (*place, address, text, _KINDS[kind], shy)
        follow = rules.follow and not (shy and rules.meta_robots)
        if follow and kind in FOLLOWED and href not in steps and href not in refused:
            if (reason := rules.scope.refusal(target)) is None:
                steps[href] = (*place, href)
            else:
                refused[href] = str(reason)
    return tuple(rows.values()), tuple(steps.values()), tuple(refused.items())


@lru_cache(maxsize=8)
def _pages(standard: Standard) -> Callable[[_PageParts], tuple[str, Place | None]]:
    """The address of a page that is linked, and its place, by its parts. They are remembered: the pages of a
    site link to one another.
    """
    place_at = places(standard)

    @lru_cache(maxsize=4_000)
    def page_at(parts: _PageParts) -> tuple[str, Place | None]:
        href = Url(*parts).href
        return href, place_at(href)

    return page_at


def _pointer(target: Url | None, rules: HarvestRules) -> Pointer | None:
    if target is None or (place := place_of(target, rules.standard)) is None:
        return None
    refusal = rules.scope.refusal(target)
    return Pointer(place, target.href, None if refusal is None else str(refusal))
