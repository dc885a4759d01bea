"""From a capture to all that the crawl needs of it: pure, and what worker processes run.

1. Everything that costs time happens here, once, off the event loop: parsing, Markdown, hashing, and the
   canonical forms of all links under both policies.
2. What goes back is flat: texts and tuples of texts, since it has to cross a process boundary.
3. Nothing here knows what else was crawled; scope is decided here, depth and traps are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.capture import Capture
from holdfast.core.distill_options import DistillOptions
from holdfast.core.hashing import ContentHash, UrlKey, url_key
from holdfast.core.meta_robots import meta_robots
from holdfast.core.page import Link, LinkKind, Page, PageKind
from holdfast.core.place import Place
from holdfast.core.refusal import Refused
from holdfast.core.scope import Scope
from holdfast.core.url import Url, parse_url
from holdfast.formats.link_header import linked
from holdfast.formats.sidecar import Sidecar, front_matter
from holdfast.jobs.mirror.standard import Standard

if TYPE_CHECKING:
    from holdfast.core.ledger import PageLink

__all__ = [
    "Harvest",
    "HarvestRules",
    "LinkRow",
    "Pointer",
    "Step",
    "harvest",
    "place_of",
    "replaced",
    "stored_steps",
    "with_markdown",
]

_NO_CONTENT = ContentHash("")
_FOLLOWED = (LinkKind.ANCHOR, LinkKind.FRAME)

Step = tuple[str, UrlKey, UrlKey, str]
"""A link to follow: canonical URL, its key, its `web` key, the address as it would be fetched."""

LinkRow = tuple[str, UrlKey, UrlKey, str, str, str, bool]
"""A link to keep: canonical URL, key, `web` key, address with fragment, text, kind, nofollow (the link's own
wish, or its page's: so a page that is not read again is still obeyed).
"""


@dataclass(frozen=True, slots=True)
class HarvestRules:
    """What a worker has to know, the same for every page of a run; without `keep_links` none is kept."""

    standard: Standard
    scope: Scope
    follow: bool
    obey_meta_robots: bool
    front_matter: bool
    options: DistillOptions
    keep_links: bool = True


@dataclass(frozen=True, slots=True)
class Pointer:
    """A page's canonical link or refresh: where it points, and why it is not admitted, if it is not."""

    place: Place
    href: str
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Harvest:
    """What a capture has come to. `skip` says why there is no page; then the page's fields are empty.
    `alternate` is the address of the page's own Markdown, where it names one that is admitted.
    """

    place: Place
    hops: tuple[Place, ...]
    skip: str | None = None
    file: bytes = b""
    file_sha256: str = ""
    title: str = ""
    text: str = ""
    content_sha256: ContentHash = _NO_CONTENT
    markdown_version: str = ""
    warnings: tuple[str, ...] = ()
    links: tuple[LinkRow, ...] = ()
    steps: tuple[Step, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    canonical: Pointer | None = None
    refresh: Pointer | None = None
    alternate: str | None = None


def place_of(url: Url, standard: Standard) -> Place | None:
    """A URL's place in the ledger; None where a policy refuses it."""
    return _places(standard)(url.href)


@lru_cache(maxsize=8)
def _places(standard: Standard) -> Callable[[str], Place | None]:
    """The places of addresses. They are remembered: what one page of a site links to, the next does too."""
    canonical, canonical_web = canonical_text(standard.policy), canonical_text(standard.web)

    @lru_cache(maxsize=2_000)
    def place(href: str) -> Place | None:
        text, web = canonical(href), canonical_web(href)
        if isinstance(text, Refused) or isinstance(web, Refused):
            return None
        return Place(text, url_key(text), url_key(web))

    return place


def harvest(capture: Capture, rules: HarvestRules) -> Harvest:
    """Everything the crawl needs of a response."""
    from holdfast.distill import distill  # noqa: PLC0415 # lazy: the parsers, which only workers need

    place = place_of(capture.page, rules.standard)
    if place is None:
        raise ValueError(f"{capture.page} was fetched but has no identity")
    hops = _hops(capture, place, rules)
    page = distill(capture, rules.standard.recipe, rules.options)
    if page.kind is PageKind.OTHER:
        return Harvest(place, hops, skip=_why_no_page(capture, page))
    wishes = meta_robots(capture.headers)
    obeyed = rules.obey_meta_robots
    nofollow = page.nofollow or wishes.nofollow
    alternate = _alternate(capture, page)
    own = (Link(alternate, "", LinkKind.ALTERNATE),) if alternate else ()
    links, steps, refused = _links((*own, *page.links) if rules.keep_links else (), rules, nofollow=nofollow)
    if obeyed and (page.noindex or wishes.noindex):
        return Harvest(place, hops, skip="noindex", steps=steps, refused=refused)
    file = _file(capture, page, place, rules)
    return Harvest(
        place=place,
        hops=hops,
        file=file,
        file_sha256=hashlib.sha256(file).hexdigest(),
        title=page.title,
        text=page.text,
        content_sha256=page.content_sha256,
        markdown_version=page.markdown_version,
        warnings=tuple(map(str, page.warnings)),
        links=links,
        steps=steps,
        refused=refused,
        canonical=_pointer(page.canonical_link, rules),
        refresh=_pointer(page.refresh, rules),
        alternate=alternate.href if alternate and rules.scope.refusal(alternate) is None else None,
    )


def with_markdown(page: Harvest, markdown: Harvest) -> Harvest:
    """A page whose content is its own Markdown; where it lies and where it leads to is the page's."""
    return replace(
        page,
        file=markdown.file,
        file_sha256=markdown.file_sha256,
        title=markdown.title,
        text=markdown.text,
        content_sha256=markdown.content_sha256,
        markdown_version=markdown.markdown_version,
        warnings=markdown.warnings,
    )


def _hops(capture: Capture, place: Place, rules: HarvestRules) -> tuple[Place, ...]:
    """The other names by which a page was reached; what leads to its Markdown is no name of the page."""
    if capture.alternate_of is not None:
        return ()
    walked = (
        place_of(url, rules.standard) for url in (capture.requested, *(hop.url for hop in capture.hops))
    )
    return tuple(dict.fromkeys(hop for hop in walked if hop and hop.key != place.key))


def _alternate(capture: Capture, page: Page) -> Url | None:
    """A page's own Markdown, as its head or its response names it; the page itself is none."""
    if page.kind is not PageKind.PAGE:
        return None
    found = page.markdown_alternate
    if found is None and (reference := linked(capture.headers, "alternate", "text/markdown")):
        url = parse_url(reference, capture.final)
        found = url if isinstance(url, Url) else None
    return found if found and found.href != capture.final.href else None


def _why_no_page(capture: Capture, page: Page) -> str:
    """Its type; or, where the type alone would have made it a page, what was wrong with it."""
    if page.warnings:
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
        title=page.title,
        normalization_version=str(page.recipe),
        markdown_version=page.markdown_version,
        fetched_at="",
        status_code=capture.status,
        etag=None,
        last_modified=None,
    )


def _links(
    links: tuple[Link, ...], rules: HarvestRules, *, nofollow: bool
) -> tuple[tuple[LinkRow, ...], tuple[Step, ...], tuple[tuple[str, str], ...]]:
    rows: dict[tuple[str, str], LinkRow] = {}
    steps: dict[str, Step] = {}
    refused: dict[str, str] = {}
    for link, place in _placed(links, rules):
        address, href = str(link.target), link.target.href
        shy = nofollow or link.nofollow
        row = (place.url, place.key, place.web_key, address, link.text, str(link.kind), shy)
        rows.setdefault((address, link.kind), row)
        follow = rules.follow and not (shy and rules.obey_meta_robots)
        if follow and link.kind in _FOLLOWED and href not in steps and href not in refused:
            if (reason := rules.scope.refusal(link.target)) is None:
                steps[href] = (place.url, place.key, place.web_key, href)
            else:
                refused[href] = str(reason)
    return tuple(rows.values()), tuple(steps.values()), tuple(refused.items())


def stored_steps(links: Iterable[PageLink], rules: HarvestRules) -> Iterator[Step]:
    """The links of a page that the ledger keeps, as far as they may be followed."""
    for link in links:
        url = parse_url(link.href)
        shy = link.nofollow and rules.obey_meta_robots
        if isinstance(url, Url) and link.kind in _FOLLOWED and not shy and rules.scope.refusal(url) is None:
            yield link.target.url, link.target.key, link.target.web_key, url.href


def replaced(links: Iterable[PageLink], standard: Standard) -> Iterator[PageLink]:
    """Links that the ledger keeps, with their places by another standard."""
    for link in links:
        url = parse_url(link.href)
        if isinstance(url, Url) and (place := place_of(url, standard)) is not None:
            yield link._replace(target=place)


def _placed(links: tuple[Link, ...], rules: HarvestRules) -> Iterator[tuple[Link, Place]]:
    place_at = _places(rules.standard)
    for link in links:
        if (place := place_at(link.target.href)) is not None:
            yield link, place


def _pointer(target: Url | None, rules: HarvestRules) -> Pointer | None:
    if target is None or (place := place_of(target, rules.standard)) is None:
        return None
    refusal = rules.scope.refusal(target)
    return Pointer(place, target.href, None if refusal is None else str(refusal))
