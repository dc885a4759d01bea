"""Manifest and index of a mirror, from its pages: the same bytes after a crawl, a rebuild, and for a check.

Which pages had to yield their name is read off their paths: a path that is not the page's own by the layout
was given because another page had it first (PATH-6).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final, Self

from holdfast.core.base.figures import timestamp
from holdfast.core.base.long_lists import Rows
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import Alias, StoredPage
from holdfast.core.mirror.index import APART, FULL, SHORT, index_row, write_full, write_index, write_short
from holdfast.core.mirror.manifest import AliasEntry, MirrorHead, PageEntry, write_manifest
from holdfast.core.page.page import MOST, site_title
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.layout import LAYOUT_VERSION, Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import Component, Recipe
from holdfast.core.url.redaction import shown

FEW: Final = 2_000
"""Pages that are held in memory while a mirror is described."""

Pages = Callable[[], Iterable[StoredPage]]
"""A mirror's pages in the order of their paths, as often as they are asked for."""


def held(pages: Pages) -> Pages:
    """The same pages: from memory where they are few, since index and manifest go through them six times."""
    few = list(islice(pages(), FEW + 1))
    return _Held(few) if len(few) <= FEW else pages


@dataclass(frozen=True, slots=True)
class MirrorStyle:
    """How a mirror lies on disk: the layout and the options that its files are made with."""

    layout: Layout
    scheme: str
    recipe: Recipe
    policy: Component
    options: Mapping[str, str | bool]

    @classmethod
    def of(cls, layout: Layout, scheme: str, order: Order) -> Self:
        """The style of a mirror that is being made."""
        settings = order.settings
        options: dict[str, str | bool] = {
            "sidecar": settings.files.sidecar,
            "content": settings.files.content,
            "anchors": settings.files.anchors,
            "links": settings.files.convert_links,
            "assets": settings.files.assets,
            "llms_txt": settings.files.llms_txt,
            "prefer_markdown": settings.files.prefer_markdown,
        }
        return cls(layout, scheme, order.standard.recipe, order.standard.policy.component, options)


def manifest_pieces(
    pages: Pages, style: MirrorStyle, crawl: Mapping[str, Any], aliases: Iterable[Alias] = ()
) -> Iterator[bytes]:
    """`_manifest.json` in pieces; `aliases` are all other names that are known, by URL."""
    times = ((page.facts.path, timestamp(page.fetched_at)) for page in pages())
    gone = {page.facts.path: timestamp(page.gone_at) for page in pages() if page.gone_at}
    crawl = {**crawl, "gone": gone} if gone else crawl
    names = NamePlan(style.layout, style.scheme)
    titles = _titles(pages)
    entries = (_entry(page, names, style, titles.of(page)) for page in pages())
    return write_manifest(_head(pages, style), entries, crawl, times, _other_names(pages, aliases))


def index_pieces(pages: Pages, rows: Rows) -> Iterator[bytes]:
    """`_index.md` in pieces; `rows` are where they are sorted."""
    titles = _titles(pages)
    for page in pages():
        rows.add(_row(page, titles.of(page)))
    return write_index(rows)


def llms_files(
    pages: Pages, read: Callable[[str], bytes | None], rows: Callable[[], Rows]
) -> Iterator[tuple[str, Callable[[], Iterable[bytes]]]]:
    """`llms.txt` and `llms-full.txt`: path and what makes the pieces; `rows` are where they are sorted."""
    titles = _titles(pages)
    by_index = rows()
    for page in pages():
        own = (page.place.url, page.facts.path, titles.of(page))
        by_index.add(_row(page, page.facts.title) + APART + json.dumps(own).encode())

    def listed() -> Iterator[tuple[str, str, str]]:
        return (json.loads(row.partition(APART)[2]) for row in by_index)

    yield SHORT, lambda: write_short(listed, titles.of_hosts(), rows())
    yield FULL, lambda: write_full((url, title, read(path) or b"") for url, path, title in listed())


class _Titles:
    """The titles of a mirror's pages, without those of their sites."""

    def __init__(self, pages: Pages) -> None:
        titles: dict[str, list[str]] = {}
        for page in pages():
            known = titles.setdefault(_host(page), [])
            if len(known) < MOST:
                known.append(page.facts.title)
        self._sites = {host: site_title(own) for host, own in titles.items()}

    def of(self, page: StoredPage) -> str:
        """A page's own title: by what its site adds, else by what the page itself says."""
        full = page.facts.title
        short = self._sites[_host(page)].short(full)
        return short if short != full or page.title not in full else page.title

    def of_hosts(self) -> dict[str, str]:
        """What each site is called by its pages; its host where they do not say."""
        return {host: site.name or host for host, site in self._sites.items()}


class _Held:
    """Pages in memory, and their titles, found once for all that describes them."""

    def __init__(self, few: list[StoredPage]) -> None:
        self._few = few

    def __call__(self) -> list[StoredPage]:
        return self._few

    @cached_property
    def titles(self) -> _Titles:
        return _Titles(self)


def _titles(pages: Pages) -> _Titles:
    return pages.titles if isinstance(pages, _Held) else _Titles(pages)


def _host(page: StoredPage) -> str:
    return page.place.url.split("/", 3)[2]


def _other_names(pages: Pages, aliases: Iterable[Alias]) -> Iterator[AliasEntry]:
    """The names that stand for a page of the mirror and are not pages themselves."""
    known = {alias.place.key: alias for alias in aliases}
    if not known:
        return
    wanted = {*known, *(alias.target.key for alias in known.values())}
    there = {page.place.key for page in pages() if page.place.key in wanted}
    for alias in known.values():
        target, seen = alias.target, {alias.place.key}
        while target.key not in there and target.key in known and target.key not in seen:
            seen.add(target.key)
            target = known[target.key].target
        if target.key in there and alias.place.key not in there:
            yield AliasEntry(shown(alias.place.url), shown(target.url), str(alias.reason))


def _row(page: StoredPage, title: str) -> bytes:
    return index_row(page.place.url, page.facts.path, title)


def _head(pages: Pages, style: MirrorStyle) -> MirrorHead:
    version = next((page.facts.markdown_version for page in pages()), "")
    return MirrorHead(
        layout=str(style.layout),
        layout_version=LAYOUT_VERSION,
        scheme=style.scheme,
        normalization_version=str(style.recipe),
        markdown_version=version,
        options=style.options,
    )


def _entry(page: StoredPage, names: NamePlan, style: MirrorStyle, title: str) -> PageEntry:
    facts, url = page.facts, page.place.url
    # Only a path that holds the whole key can be that of a page that had to yield.
    yielded = page.place.key in facts.path and facts.path != names.name(CanonicalUrl(url, style.policy))
    return PageEntry(
        url=shown(url),
        path=facts.path,
        size=facts.size,
        file_sha256=facts.file_sha256,
        content_sha256=page.content_sha256,
        title=title,
        full_title=facts.title,
        warnings=facts.warnings,
        collided=yielded,
    )
