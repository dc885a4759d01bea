"""What a page says about itself: title, language, canonical link, robots, refresh; and its linkable
places.
"""

from __future__ import annotations

import re

from holdfast.core.page.html.page_links import Resolver
from holdfast.core.page.html.tokens import Tag
from holdfast.core.page.html.tree import Element, ParsedPage, elements
from holdfast.core.page.page import PageHead
from holdfast.core.url.url import Refused, Url, parse_url

_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)[\"']?\s*", re.IGNORECASE)


def base_of(document: ParsedPage, page: Url) -> Url:
    """The URL that relative references are relative to."""
    for tag in map(document.tags.__getitem__, document.collected):
        if tag.name == "base" and "href" in tag.attrs:
            return based(tag.attrs["href"], page)
    return page


def based(reference: str, page: Url) -> Url:
    """The URL that a `<base href>` names; the page's own where it names none."""
    base = parse_url(reference.strip(), page)
    return page if isinstance(base, Refused) else base


def read_head(document: ParsedPage, resolver: Resolver) -> PageHead:
    """Read it from the elements collected while the tree was built."""
    tags = [document.tags[at] for at in document.collected]
    metas = [tag for tag in tags if tag.name == "meta"]
    links = [tag for tag in tags if tag.name == "link"]
    root = [tag for tag in tags if tag.name == "html"]
    robots = _robots(metas)
    language = root[0].attrs.get("lang", "").strip() if root else ""
    return PageHead(
        full_title=_title(document),
        language=language or None,
        canonical_link=_linked(links, "canonical", "", resolver),
        noindex="noindex" in robots or "none" in robots,
        nofollow="nofollow" in robots or "none" in robots,
        refresh=_refresh(metas, resolver),
        markdown_alternate=_linked(links, "alternate", "text/markdown", resolver),
    )


def _title(document: ParsedPage) -> str:
    for name in ("title", "h1"):
        for at in document.collected:
            if document.names[at] == name and (text := document.text_at(at)):
                return text
    return ""


def _robots(metas: list[Tag]) -> set[str]:
    contents = (
        meta.attrs.get("content", "") for meta in metas if meta.attrs.get("name", "").lower() == "robots"
    )
    return {word.strip().lower() for content in contents for word in content.split(",")}


def _linked(links: list[Tag], relation: str, media: str, resolver: Resolver) -> Url | None:
    for link in links:
        if relation in link.attrs.get("rel", "").lower().split() and "href" in link.attrs:
            if media and link.attrs.get("type", "").lower() != media:
                continue
            return resolver.url(link.attrs["href"])
    return None


def _refresh(metas: list[Tag], resolver: Resolver) -> Url | None:
    for meta in metas:
        if meta.attrs.get("http-equiv", "").lower() == "refresh":
            target = refresh_in(meta.attrs.get("content", ""))
            return resolver.url(target) if target is not None else None
    return None


def refresh_in(content: str) -> str | None:
    """The reference in the content of a refresh."""
    match = _REFRESH.fullmatch(content)
    return match[1] if match else None


def anchors_of(document: ParsedPage) -> frozenset[str]:
    """Every id, and every name of a link."""
    anchors = {attrs["id"] for attrs in document.attributes if "id" in attrs}
    tags = (document.tags[at] for at in document.collected)
    anchors |= {tag.attrs["name"] for tag in tags if tag.name == "a" and "name" in tag.attrs}
    return frozenset(anchors)


def anchor_of(heading: Element) -> str | None:
    """A heading's own id, or that of an anchor in it."""
    if "id" in heading.attrs:
        return heading.attrs["id"]
    for inner in elements(heading):
        if found := inner.attrs.get("id") or (inner.attrs.get("name") if inner.tag == "a" else None):
            return found
    return None
