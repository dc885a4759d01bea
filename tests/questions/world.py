"""A small store in memory: two documents, one mirror with two runs, what was seen of each URL."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from helpers.ledger_cases import memory_ledger
from holdfast.core.base.difference import Drift
from holdfast.core.base.hashing import content_hash, settings_digest, url_key
from holdfast.core.lineage.event_kind import ChangeDetail, EventKind, SectionVerdict
from holdfast.core.lineage.ledger_values import Draft, Finding, PageFacts, capture_record
from holdfast.core.lineage.lineage import Job, Run, RunStatus
from holdfast.core.links.citation import Document, LedgerEvent, document_bid
from holdfast.core.links.citing import cite, new_place
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.page.section import PageSection
from holdfast.core.url.policy import WEB, Recipe
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs.indexing import catch_up
from holdfast.questions.reader import Reader
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.sqlite.search_index import SearchIndex, open_search

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
START = datetime(2026, 5, 1, 9, tzinfo=UTC)
PAGE = "https://example.com/page"


def sections(capture: Capture) -> tuple[PageSection, ...]:
    return distill(capture, RECIPE, DistillOptions(glance=True, outline=True)).structure.outline


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def html(words: str) -> bytes:
    return f"<main><h1>Page</h1><p>Begin.</p><h2 id=limits>Limits</h2><p>{words}</p></main>".encode()


class PlaceOfTests:
    """Nothing stands around a ledger in memory, unless a test says so."""

    def __init__(self) -> None:
        self.missing: frozenset[str] = frozenset()
        self.edited: frozenset[str] = frozenset()
        self.asks = ("", True)

    def has_folder(self, label: str) -> bool:
        return label not in self.missing

    def size(self) -> int | None:
        return 1000

    def is_edited(self, document: Document) -> bool:
        return document.path in self.edited

    def consent(self) -> tuple[str, bool]:
        return self.asks

    def call(self, call: str) -> str:
        return call


class World:
    """The folder, and how things are put into it."""

    def __init__(self) -> None:
        self.ledger, self.archive = memory_ledger(), MemoryArchive()
        self.is_idle = True
        self.index = open_search(None)
        self.place = PlaceOfTests()

    @property
    def reader(self) -> Reader:
        return Reader(
            self.ledger,
            lambda: self.archive,
            WEB,
            DistillOptions(),
            lambda: self.is_idle,
            self.fresh,
            self.place,
        )

    def fresh(self) -> SearchIndex:
        """The search index, up to date."""
        catch_up(self.ledger, self.archive, self.index, sections)
        return self.index

    def begin(
        self,
        run_id: str,
        number: float,
        job: Job = Job.MIRROR,
        owed_to: Collection[str] = (),
        recipe: Recipe = RECIPE,
    ) -> None:
        run = Run(run_id, job, recipe, settings_digest({}), day(number), "docs")
        self.ledger.runs.begin_run(run, owed_to)

    def see(
        self,
        run_id: str,
        url: str,
        number: float,
        body: bytes,
        status: int = 200,
        *,
        is_brought: bool = False,
    ) -> None:
        asked = parse_url(url)
        capture = Capture(asked, asked, status, (("content-type", "text/html"),), body, day(number))
        place = Place(url, url_key(url), url_key(url))
        record = capture_record(run_id, capture, place, self.archive.append(capture, None))
        draft = Draft(content_hash(body), "Page") if status < 400 else None
        is_mirrored = draft and self.ledger.runs.run(run_id).run.job is Job.MIRROR
        facts = PageFacts(f"{url[20:]}/index.md", "Page", "f" * 64, 9, 1, "md_v1") if is_mirrored else None
        self.ledger.commit(run_id, [Finding(record, draft, facts, is_brought=is_brought)], day(number))

    def cite(self, document: str, *urls: str, ignored: bool = False) -> None:
        mentions = [
            Mention(url, "words", LinkKind.ANCHOR, Span(0, 9, line, 3, 3)) for line, url in enumerate(urls, 1)
        ]
        citations = [cite(mention, WEB, ignored=ignored) for mention in mentions]
        file = Document(document, document_bid(document), "d" * 64, 1, 1, START)
        self.ledger.citations.put_documents([(file, citations)])
        known = [new_place(citation) for citation in citations]
        self.ledger.citations.put_places(
            [place for place in known if self.ledger.citations.place(place.place.web_key) is None]
        )

    def judge(self, url: str, state: LinkState, failures: int = 0) -> None:
        key = cite(Mention(url, "", LinkKind.ANCHOR, Span(0, 0, 1, 1, 1)), WEB).place.web_key
        place = self.ledger.citations.place(key)
        self.ledger.citations.put_places([place._replace(state=state, looks=Looks(failures, START, day(9)))])

    def change(self, url: str, number: float, drift: float | None, **sections: SectionVerdict) -> None:
        place = Place(url, url_key(url), url_key(url))
        detail = ChangeDetail(Drift(drift) if drift is not None else None, sections)
        event = LedgerEvent(day(number), EventKind.CHANGED, place, "bid:a", "bid:b", detail)
        self.ledger.citations.put_places([], [event])

    def end(self, run_id: str, number: float) -> None:
        self.ledger.runs.update_run(run_id, RunStatus.RUNNING, day(number))
