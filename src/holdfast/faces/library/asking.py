"""The library's questions: what is known of citations, pages, runs, mirrors. Nothing is fetched or written.

`state` names the store; without it the nearest `.holdfast` is asked, from the current folder upward.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from holdfast import jobs
from holdfast.core.base.figures import EVER
from holdfast.core.lineage.versions import moment_asked, start_asked
from holdfast.core.page.corpus import ExportRecord, ExportWish, export_unit
from holdfast.core.page.section import section_kind
from holdfast.faces.library.calling import settled

if TYPE_CHECKING:
    from holdfast.faces.library.given_settings import GivenSettings
    from holdfast.questions.link_graph import Graph
    from holdfast.questions.links import Backlinks, Broken, Changed, DocumentLinks, SiteBroken
    from holdfast.questions.log.runs import MirrorPage
    from holdfast.questions.reader import Reader
    from holdfast.questions.search import SearchResults


Moment = datetime | str | None


def _moment(given: Moment) -> datetime | None:
    return moment_asked(given) if isinstance(given, str) else _in_a_zone(given)


def _start(given: Moment) -> datetime | None:
    return start_asked(given) if isinstance(given, str) else _in_a_zone(given)


def _in_a_zone(given: datetime | None) -> datetime | None:
    """A moment without a zone is of UTC, as in a text."""
    return given.replace(tzinfo=UTC) if given is not None and given.tzinfo is None else given


def open_reader(**settings: Unpack[GivenSettings]) -> AbstractContextManager[Reader]:
    """A store, open to be asked any number of questions; to be used with `with`.

    Example:
        with holdfast.open_reader(store="mirror/.holdfast") as reader:
            for page in reader.pages("."):
                print(page.path, page.title)
    """
    return jobs.read_store.open_reader(settled(settings))


def broken(*, suspect: bool = False, eager: bool = False, **settings: Unpack[GivenSettings]) -> Broken:
    """The citations of dead URLs, as the last run of tracking left them.

    With `suspect`, what failed and is not confirmed comes too; `eager` counts every failure as dead.

    Example:
        for url in holdfast.broken(suspect=True).urls:
            for citation in url.citations:
                print(citation.document, citation.line, url.url, url.state.sentence)
    """
    with jobs.read_store.open_reader(settled(settings)) as reader:
        return reader.broken(suspect=suspect, eager=eager)


def site_broken(
    folder: PathLike[str] | str, *, suspect: bool = False, **settings: Unpack[GivenSettings]
) -> SiteBroken:
    """The links within a mirrored site that lead nowhere, as its last run found them.

    Example:
        for target in holdfast.site_broken("mirror").urls:
            print(target.url, target.reason, [page.path for page in target.pages])
    """
    with jobs.read_store.open_mirror(folder, settled(settings)) as mirror:
        return mirror.reader.site_broken(mirror.label, suspect=suspect)


def changed(
    *, since: datetime | str | None = None, min_drift: float = 0.0, **settings: Unpack[GivenSettings]
) -> Changed:
    """The cited URLs that say something else, since a moment, and who cites them.

    Example:
        for change in holdfast.changed(since="2026-01-01", min_drift=0.1).changes:
            print(change.url, change.drift, [c.document for c in change.citations])
    """
    with jobs.read_store.open_reader(settled(settings)) as reader:
        return reader.changed(since=_start(since) or EVER, min_drift=min_drift)


def backlinks(target: str, **settings: Unpack[GivenSettings]) -> Backlinks:
    """Who cites a URL, a host, or what matches a pattern with `*`, `?` or `[…]`.

    Example:
        found = holdfast.backlinks("https://example.com/page")
        print(found.node.state if found.node else "not cited", len(found.citations))
    """
    with jobs.read_store.open_reader(settled(settings)) as reader:
        return reader.backlinks(target)


def links(document: str | PathLike[str], **settings: Unpack[GivenSettings]) -> DocumentLinks:
    """What a document cites, in order, and what became of it.

    Example:
        for link in holdfast.links("notes.md").links:
            print(link.citation.line, link.citation.url, link.node.standing if link.node else None)
    """
    settings_now = settled(settings)
    state, name = jobs.places.document_path(settings_now, Path(document))
    with jobs.read_store.open_reader(settings_now, state) as reader:
        return reader.links(name)


def graph(**settings: Unpack[GivenSettings]) -> Graph:
    """Documents, the URLs they cite, and who cites what.

    Example:
        graph = holdfast.graph()
        print(len(graph.documents), "documents cite", len(graph.urls), "URLs")
    """
    with jobs.read_store.open_reader(settled(settings)) as reader:
        return reader.graph()


def search(
    text: str,
    *,
    site: str | None = None,
    at: datetime | str | None = None,
    kind: str | None = None,
    limit: int = 10,
    **settings: Unpack[GivenSettings],
) -> SearchResults:
    """The sections that say something, the best first: words, `"phrases"` and `beginnings*`.

    `site` is a host, or an address that all pages begin with; with `at` the sections as they were then; with
    `kind` those that are mostly `prose`, `code`, a `table`, or the entry of an `api`.

    Example:
        for hit in holdfast.search("page title", store="mirror/.holdfast").hits:
            print(hit.title, hit.url, hit.snippet.text)
    """
    with jobs.read_store.open_reader(settled(settings)) as reader:
        wanted = section_kind(kind) if kind else None
        return reader.search(text, site=site, at=_moment(at), kind=wanted, limit=limit)


def export(
    folder: str | PathLike[str] | None = None,
    *,
    unit: str = "section",
    since: str | None = None,
    same: bool = False,
    max_tokens: int | None = None,
    after: str | None = None,
    **settings: Unpack[GivenSettings],
) -> Iterator[ExportRecord]:
    """A mirror as records, one after the other: its sections, or its pages; in `holdfast.aio` as a list.

    With `since`, a date or a run, those that are new, changed or gone; with `same` the others too. What has
    more than `max_tokens` comes in parts; `after` goes on after the record of that id.

    Example:
        for record in holdfast.export("mirror"):
            print(record.change, record.id, record.title, len(record.text))
    """
    wish = ExportWish(export_unit(unit), None, same, max_tokens, after)
    with jobs.read_store.open_mirror(folder, settled(settings)) as mirror:
        yield from mirror.reader.export(mirror.label, wish, since)


def pages(
    folder: str | PathLike[str] | None = None, **settings: Unpack[GivenSettings]
) -> Iterator[MirrorPage]:
    """The pages of a mirror, by path, one after the other; in `holdfast.aio` all at once, as a list.

    Example:
        for page in holdfast.pages("mirror"):
            print(page.path, page.url, page.title)
    """
    with jobs.read_store.open_mirror(folder, settled(settings)) as mirror:
        yield from mirror.reader.pages(mirror.label)
