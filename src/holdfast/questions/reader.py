"""A store, open to be asked: every question, bound to one ledger and one archive.

1. Faces hold a `Reader` and nothing below it: what they show is what a question answered.
2. It reads; nothing can be written through it. One reader is for one thread.
3. A URL may be written in any way that the `web` policy calls equal (ID-12). A date is read by `moment`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast import questions
from holdfast.core.base.figures import EVER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime
    from types import CodeType

    from holdfast.core.base.hashing import UrlKey
    from holdfast.core.findings.cited_findings import KnownUrl
    from holdfast.core.lineage.lineage import RunRecord
    from holdfast.core.links.citation import Backlink
    from holdfast.core.page.corpus import ExportRecord, ExportWish
    from holdfast.core.page.distill_options import DistillOptions
    from holdfast.core.page.section import SectionKind
    from holdfast.core.url.policy import Policy
    from holdfast.questions.browse import PartReader
    from holdfast.questions.fixes import ProposedFixes
    from holdfast.questions.kept_here import StorePlace
    from holdfast.questions.link_graph import Graph
    from holdfast.questions.links import Backlinks, Broken, Changed, CitationCounts, DocumentLinks, SiteBroken
    from holdfast.questions.log.runs import MirrorPage
    from holdfast.questions.search import SearchResults
    from holdfast.questions.status import PageLinksOut
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.sqlite.search_index import SearchIndex
    from holdfast.storage.store_ports import Archive


V = TypeVar("V")


class Reader:
    """What can be asked of a store."""

    def __init__(
        self,
        ledger: Ledger,
        archive: Callable[[], Archive],
        policy: Policy,
        options: DistillOptions,
        is_idle: Callable[[], bool],
        index: Callable[[], SearchIndex],
        place: StorePlace,
    ) -> None:
        """`archive` gives the archive, which few questions need; `policy` is the `web` one with the user's
        overrides; `is_idle`: nobody writes just now; `index` gives the search index, up to date; `place` says
        what stands around the ledger.
        """
        self._ledger = ledger
        self._archive = self._open_archive = archive
        self._policy = policy
        self._options = options
        self._is_idle = is_idle
        self._index = index
        self._place = place

    def ask(self, question: Callable[..., V], /, **values: Any) -> V:
        """What a row, or any function of an open store, answers. What stands before `/` in it is what this
        store has: `ledger`, `archive`, `policy`, `options`, `place`; `is_idle`, `index`, `open_archive` are
        called.
        """
        code: CodeType = getattr(question, "ask", question).__code__
        names = code.co_varnames[: code.co_posonlyargcount]
        held = (self._archive() if name == "archive" else getattr(self, f"_{name}") for name in names)
        return question(*held, **values)

    # citations

    def broken(self, *, suspect: bool = False, eager: bool = False) -> Broken:
        """The cited URLs that are dead; with `suspect` those that failed and are not confirmed, too."""
        return questions.links.broken(self._ledger, suspect=suspect, eager=eager)

    def site_broken(self, label: str, *, suspect: bool = False) -> SiteBroken:
        """The links within a mirrored site that lead nowhere."""
        return questions.links.site_broken(self._ledger, label, suspect=suspect)

    def changed(self, *, since: datetime = EVER, min_drift: float = 0.0) -> Changed:
        """The cited URLs that say something else."""
        return questions.links.changed(self._ledger, since=since, min_drift=min_drift)

    def backlinks(self, target: str) -> Backlinks:
        """Who cites a URL, a host, or what matches a pattern."""
        return questions.links.backlinks(self._ledger, target, self._policy)

    def citing(self, target: str) -> Iterator[Backlink]:
        """The same citations, one after the other."""
        return questions.links.citing(self._ledger, target, self._policy)

    def links(self, document: str) -> DocumentLinks:
        """What a document cites; `document` is its path from the root."""
        return questions.links.links(self._ledger, document)

    def documents(self) -> tuple[str, ...]:
        """The paths of the documents that were checked."""
        return questions.links.documents(self._ledger)

    def known(self, keys: Collection[UrlKey], *, news_since: datetime = EVER) -> dict[UrlKey, KnownUrl]:
        """What is known of URLs, by their `web` keys; a change counts as news from a moment on."""
        return questions.known_urls.known_urls(self._ledger, keys, self._policy, news_since)

    def citation_counts(self) -> CitationCounts:
        """How many documents there are, and how their links stand."""
        return questions.links.citation_counts(self._ledger)

    def graph(self) -> Graph:
        """Documents, the URLs they cite, and who cites what."""
        return questions.link_graph.graph(self._ledger)

    def proposed_fixes(self, url: str) -> ProposedFixes:
        """What `fix` would write for the citations of a URL, by what is known."""
        return questions.fixes.proposed_fixes(self._ledger, self._archive(), url, self._policy)

    # pages and their history

    def search(
        self,
        text: str,
        *,
        site: str | None = None,
        at: datetime | None = None,
        kind: SectionKind | None = None,
        limit: int = 10,
    ) -> SearchResults:
        """The sections that say something, the best first; with `at` as they were then."""
        index = self._index()
        share = questions.search.indexed_share(index, self._ledger.sections.mark())
        found = questions.search.search(index, text, site=site, at=at, kind=kind, limit=limit)
        return replace(found, indexed=share)

    def links_out(self, url: str) -> PageLinksOut:
        """Where a page points to, as it was last seen."""
        return questions.browse.links_out(self._ledger, self.ask(questions.log.page_log.history, url=url))

    @property
    def parts(self) -> PartReader:
        """Lists, a part at a time, for browsing."""
        return questions.browse.PartReader(self._ledger, self._policy, self._is_idle)

    # runs and mirrors

    def run(self, name: str) -> RunRecord:
        """A run by its id or the beginning of it."""
        return questions.log.mirror_log.require_run(self._ledger, name)

    def pages(self, label: str) -> Iterator[MirrorPage]:
        """The pages of a mirror, by path, one after the other."""
        return questions.log.runs.mirror_pages(self._ledger, label)

    def export(self, label: str, wish: ExportWish, since: str | None = None) -> Iterator[ExportRecord]:
        """A mirror as records, one after the other; `since` is a date or a run."""
        if since is not None:
            wish = replace(wish, since=questions.export.moment_named(self._ledger, since))
        return questions.export.export(self._ledger, self._archive(), label, wish, self._options)
