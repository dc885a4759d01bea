"""Values for the ledger's contract: small, readable, deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from holdfast.core.base.hashing import ContentHash, UrlKey, content_hash, settings_digest, url_key
from holdfast.core.lineage.ledger_values import (
    Closed,
    Draft,
    EntryState,
    Finding,
    FrontierEntry,
    PageFacts,
    PageLink,
)
from holdfast.core.lineage.lineage import CaptureRecord, Item, Job, RecordRef, Run, Verdict, capture_id
from holdfast.core.page.page import LinkKind
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.jobs.session import Session
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.ledger.removals import MovedCaptures, Rewrite
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase
from holdfast.storage.sqlite.sqlite_ledger import SqlitePlaces, open_in_memory

RECIPE = Recipe.parse("http_snapshot_siteurl_v1_text_v1")
OTHER_RECIPE = Recipe.parse("http_snapshot_siteurl_v1_text_v2")
DIGEST = settings_digest({})
START = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def place(name: str, web: str | None = None) -> Place:
    url = f"https://example.com/{name}"
    return Place(url, url_key(url), url_key(web or url))


def run(run_id: str = "run-1", recipe: Recipe = RECIPE, label: str = "docs", seconds: float = 0) -> Run:
    return Run(run_id, Job.MIRROR, recipe, DIGEST, at(seconds), label)


def content(text: str) -> ContentHash:
    return content_hash(text)


def capture(
    where: Place,
    seconds: float,
    *,
    run_id: str = "run-1",
    status: int = 200,
    ref: RecordRef | None = None,
    payload: str | None = None,
    etag: str | None = None,
) -> CaptureRecord:
    return CaptureRecord(
        capture_id=capture_id(run_id, where.url, at(seconds), status, payload),
        run_id=run_id,
        url=where.url,
        place=where,
        final_url=where.url,
        status=status,
        fetched_at=at(seconds),
        content_type="text/html",
        etag=etag,
        last_modified=None,
        payload_sha256=payload,
        ref=ref,
    )


def link(target: Place, text: str = "a link") -> PageLink:
    return PageLink(target, target.url + "#part", text, LinkKind.ANCHOR)


def facts(path: str, title: str = "Title") -> PageFacts:
    return PageFacts(path, title, "f" * 64, 100, 1, "md_v1", ("soft_404",))


def seen(
    where: Place, seconds: float, text: str, *, run_id: str = "run-1", links: tuple[PageLink, ...] = ()
) -> Finding:
    """A page that said something at a time."""
    draft = Draft(content(text), f"Title of {text}", links)
    return Finding(capture=capture(where, seconds, run_id=run_id), made=draft)


def brought(finding: Finding) -> Finding:
    """The same, of a capture that another store took."""
    return replace(finding, is_brought=True)


def entry(name: str, depth: int = 0, source: int = 0, position: int = 0) -> FrontierEntry:
    where = place(name)
    return FrontierEntry(where, where.url, depth, source, position)


def closed(name: str, state: EntryState = EntryState.PAGE) -> Closed:
    return Closed(place(name).key, state)


def key(name: str) -> UrlKey:
    return place(name).key


class Became(NamedTuple):
    """What became of a finding: the ledger's verdict, and the item that its history has for the capture."""

    verdict: Verdict | None
    item: Item | None


def commit(
    ledger: Ledger, *findings: Finding, run_id: str = "run-1", seconds: float = 0
) -> tuple[Became, ...]:
    verdicts = ledger.commit(run_id, findings, at(seconds))
    recipe = ledger.runs.run(run_id).run.recipe
    return tuple(
        Became(verdict, _item_of(ledger, recipe, finding))
        for verdict, finding in zip(verdicts, findings, strict=True)
    )


def _item_of(ledger: Ledger, recipe: Recipe, finding: Finding) -> Item | None:
    if finding.capture is None or finding.made is None:
        return None
    made, own = finding.made, finding.capture.place
    place = made.place if isinstance(made, Draft) and made.place else own
    seen = ledger.history.of_url(place.web_key, recipe)
    return next(o.item for o in seen if o.item and o.capture.capture_id == finding.capture.capture_id)


def moved_to(refs: Mapping[str, RecordRef | None]) -> Rewrite:
    """An archive that was written anew: these captures are now there, None stands for those that it lost."""

    def rewrite(moves: MovedCaptures) -> None:
        for record in moves.staying():
            if record.capture_id in refs:
                moves.original(record)
                moves.note(record, refs[record.capture_id])

    return rewrite


@cache
def _empty_ledger():
    """Its schema takes fifteen steps, which are the same for all."""
    return open_in_memory(at(0))


def session_of(ledger, archive=None, **parts):
    """A store at work that somebody has in memory: its clock, its observer and what else is given."""
    session = Session(resolve(), Path())
    parts = {"ledger": ledger, "archive": MemoryArchive() if archive is None else archive, **parts}
    for name, part in parts.items():
        setattr(session, name, part)
    return session


def memory_ledger():
    """An empty ledger in memory: a copy of one."""
    db = SqliteDatabase(Path(":memory:"))
    with db._apsw.backup("main", _empty_ledger()._db._apsw, "main") as copy:
        copy.step()
    return Ledger(db, SqlitePlaces(db))
