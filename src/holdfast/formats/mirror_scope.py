"""Which URLs an order names, and the scope that they span."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.core.crawl.order import Order, is_list_name
from holdfast.core.scope import Root, Scope
from holdfast.core.url import Url, parse_url
from holdfast.formats.sitemap import Listed, Nested, read_sitemap

__all__ = ["named_urls", "names_something", "scope_of"]


def named_urls(order: Order) -> Iterator[tuple[Url, bool]]:
    """The URLs that the user named, on the command line or in a file of URLs, and whether each is one of a
    list: their origins may be private (SEC-1), and they span the scope.
    """
    for source in order.sources:
        if source.url is not None:
            yield source.url, is_list_name(source.url)
        for entry in read_sitemap(source.listing) if source.listing else ():
            url = parse_url(entry.url) if isinstance(entry, Listed) else None
            if isinstance(url, Url):
                yield url, True


def names_something(listing: bytes) -> bool:
    """Whether a file of URLs, a sitemap or a feed names any, or another list."""
    return any(isinstance(entry, Listed | Nested) for entry in read_sitemap(listing))


def scope_of(order: Order) -> Scope:
    """The scope of an order: the folders of its pages, the hosts of its lists, what the settings add."""
    roots = {Root.of(url, whole_host=is_listed): None for url, is_listed in named_urls(order)}
    settings = order.settings
    return Scope(
        roots=tuple(roots),
        allow_host=settings.scope.allow_host,
        include=settings.scope.include,
        exclude=settings.scope.exclude,
        max_depth=settings.scope.max_depth,
        keep_noise=settings.scope.keep_noise,
    )
