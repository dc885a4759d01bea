"""What a page says about itself: title, language, canonical link, robots, refresh."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.core.refusal import Refused
from holdfast.core.url import Url, parse_url
from holdfast.formats.html.links import Resolver
from holdfast.formats.html.tokens import Tag
from holdfast.formats.html.tree import ParsedPage

__all__ = ["Head", "base_of", "based", "read_head", "refresh_in"]

_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)[\"']?\s*", re.IGNORECASE)


class Head(NamedTuple):
    """The page's own word on itself."""

    title: str
    language: str | None
    canonical: Url | None
    noindex: bool
    nofollow: bool
    refresh: Url | None
    markdown_alternate: Url | None


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


def read_head(document: ParsedPage, resolver: Resolver) -> Head:
    """Read it from the elements collected while the tree was built."""
    tags = [document.tags[at] for at in document.collected]
    metas = [tag for tag in tags if tag.name == "meta"]
    links = [tag for tag in tags if tag.name == "link"]
    root = [tag for tag in tags if tag.name == "html"]
    robots = _robots(metas)
    language = root[0].attrs.get("lang", "").strip() if root else ""
    return Head(
        title=_title(document),
        language=language or None,
        canonical=_linked(links, "canonical", "", resolver),
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
