"""A small state folder in memory: two documents, one mirror with two runs, what was seen of each URL."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from holdfast.adapters.memory.archive import MemoryArchive
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.adapters.sqlite.search.index import open_search
from holdfast.core.bid import document_bid
from holdfast.core.capture import Capture
from holdfast.core.change_detail import ChangeDetail, SectionVerdict
from holdfast.core.citation import Document, LedgerEvent
from holdfast.core.citing import cite, new_place
from holdfast.core.distill_options import DistillOptions
from holdfast.core.drift import Drift
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import content_hash, settings_digest, url_key
from holdfast.core.ledger import Draft, Finding, PageFacts, Place, RunStatus, capture_record
from holdfast.core.lineage import Job, Run
from holdfast.core.link_state import LinkState, Looks
from holdfast.core.page import LinkKind, Mention, Span
from holdfast.core.policy import WEB
from holdfast.core.recipe import Recipe
from holdfast.core.section import PageSection
from holdfast.core.url import parse_url
from holdfast.distill import distill
from holdfast.jobs.indexing import catch_up
from holdfast.ports import SearchIndex
from holdfast.questions.reader import Reader

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
START = datetime(2026, 5, 1, 9, tzinfo=UTC)
PAGE = "https://example.com/page"


def sections(capture: Capture) -> tuple[PageSection, ...]:
    return distill(capture, RECIPE, DistillOptions(glance=True, outline=True)).structure.outline


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def html(words: str) -> bytes:
    return f"<main><h1>Page</h1><p>Begin.</p><h2 id=limits>Limits</h2><p>{words}</p></main>".encode()


class World:
    """The folder, and how things are put into it."""

    def __init__(self) -> None:
        self.ledger, self.archive = MemoryLedger(), MemoryArchive()
        self.is_idle = True
        self.index = open_search(None)

    @property
    def reader(self) -> Reader:
        return Reader(self.ledger, self.archive, WEB, DistillOptions(), lambda: self.is_idle, self.fresh)

    def fresh(self) -> SearchIndex:
        """The search index, up to date."""
        catch_up(self.ledger, self.archive, self.index, sections)
        return self.index

    def begin(self, run_id: str, number: float, job: Job = Job.MIRROR, owed_to: Collection[str] = ()) -> None:
        run = Run(run_id, job, RECIPE, settings_digest({}), day(number), "docs")
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
        facts = PageFacts(f"{url[20:]}/index.md", "Page", "f" * 64, 9, 1, "md_v1") if draft else None
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
