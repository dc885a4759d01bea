"""A walk through everything the SQLite ledger can be asked or told, to see every statement that it has."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from unittest import mock

import apsw

from helpers.ledger_cases import (
    OTHER_RECIPE,
    RECIPE,
    at,
    brought,
    capture,
    closed,
    content,
    entry,
    facts,
    link,
    moved_to,
    place,
    run,
    seen,
)
from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.chapters import RUN, digest_of, parts_of, tables_in
from holdfast.core.lineage.event_kind import EventKind, EventName, Notice
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Confirmed, Draft, EntryState, Finding
from holdfast.core.lineage.lineage import Job, RecordRef, RunStatus, RunTally
from holdfast.core.links.citation import CitedOrder, LedgerEvent, PlacesWanted
from holdfast.core.links.link_state import LinkState
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.section import KeptSection
from holdfast.storage.ledger import citation_table, database
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.ledger.removals import MovedCaptures
from holdfast.storage.ledger.restoring import There
from holdfast.storage.sqlite import sqlite_file
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger
from storage.ledger.test_citations import cites, document, known

ADAPTERS = (Path(database.__file__).parent, Path(sqlite_file.__file__).parent)
SCHEMA_ONLY = {"sqlite_file.py", "sqlite_export.py", "search_index.py", "search_finding.py"}
MAKING = {"applied", "migrate", "_missing", "_copied", "copy_ledger"}
"""Functions that make a schema, or copy a file: they ask no ledger."""
VERBS = {"row", "rows", "stream", "rows_for", "number", "execute", "execute_many", "change", "append"}
A, B, C = place("a"), place("b"), place("c")
PAYLOAD = "ab" * 32
READS = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "CREATE TEMP TABLE")


def call_sites() -> dict[tuple[str, int], int]:
    """Where the adapter asks its database, by file and line: the last line of each call."""
    sites = {}
    for file in (file for folder in ADAPTERS for file in folder.glob("*.py")):
        if file.name in SCHEMA_ONLY:
            continue
        whole = ast.parse(file.read_text(encoding="utf-8"))
        making = [each for each in whole.body if getattr(each, "name", "") in MAKING]
        left_out = {id(node) for each in making for node in ast.walk(each)}
        for node in (node for node in ast.walk(whole) if id(node) not in left_out):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in VERBS
            ):
                owner = ast.unparse(node.func.value)
                if owner.endswith("db"):
                    sites[file.name, node.lineno] = node.end_lineno or node.lineno
    return sites


class Tour:
    """What was seen on the way: statements with their plans, and the lines that asked."""

    def __init__(self) -> None:
        self.plans: dict[str, tuple[str, ...]] = {}
        self.lines: set[tuple[str, int]] = set()
        self.misnumbered: list[str] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note every statement of every connection, and who asked for it."""
        before = {verb: getattr(SqliteDatabase, verb) for verb in VERBS}
        made = SqliteDatabase.__init__

        def opened(db: SqliteDatabase, *args: object, **options: object) -> None:
            made(db, *args, **options)
            db._apsw.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: self._note(db._apsw, event))

        def noted(verb: str) -> object:
            def ask(db: SqliteDatabase, *args: object) -> object:
                frame = sys._getframe(1)
                self.lines.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
                return before[verb](db, *args)

            return ask

        for verb in VERBS:
            setattr(SqliteDatabase, verb, noted(verb))
        SqliteDatabase.__init__ = opened
        try:
            yield
        finally:
            SqliteDatabase.__init__ = made
            for verb, method in before.items():
                setattr(SqliteDatabase, verb, method)

    def _note(self, db: apsw.Connection, event: dict) -> None:
        sql = " ".join(event["sql"].split()).rstrip(";")
        if event["trigger"] or sql in self.plans or not sql.startswith(READS):
            return
        self.plans[sql] = ()
        named = list(dict.fromkeys(re.findall(r"\$(\d+)", sql)))
        if "?" not in sql and named != [str(n + 1) for n in range(len(named))]:
            self.misnumbered.append(sql)
        asked = db.execute("EXPLAIN QUERY PLAN " + event["sql"], (None,) * (sql.count("?") + len(named)))
        depth = {0: 0}
        lines = []
        for number, parent, _, words in asked:
            depth[number] = depth.get(parent, 0) + 1
            lines.append("  " * (depth[number] - 1) + words)
        self.plans[sql] = tuple(lines)


def walk(folder: Path) -> Tour:
    """Do everything once."""
    tour, path = Tour(), folder / "ledger.db"
    with tour.watching():
        ledger = open_ledger(path, at(0))
        fill(ledger)
        _chapters(ledger, folder)
        _forgetting(ledger)
        ledger.close()
        list(check_file(path))
    return tour


def fill(ledger: Ledger) -> None:
    """Rows of every kind, each asked for in every way."""
    _runs_and_frontier(ledger)
    _pages(ledger)
    _history(ledger)
    _citations(ledger)
    _outbox(ledger)
    _joins(ledger)


def _runs_and_frontier(ledger: Ledger) -> None:
    runs, frontier = ledger.runs, ledger.frontier
    runs.begin_run(run())
    runs.begin_run(run("run-2", OTHER_RECIPE, seconds=1))
    runs.update_run("run-1", RunStatus.RUNNING, at(1))
    runs.run("run")
    list(runs.latest_first(label="docs", job=Job.MIRROR))
    runs.labels(Job.MIRROR)
    frontier.add_entries("run-1", [entry("a"), entry("b"), replace(entry("a"), fetch_url="https://x/")])
    frontier.take_entries("run-1", 1)
    frontier.close_entries("run-1", [closed("a")])
    frontier.reopen_entries("run-1", [EntryState.PAGE], [B.key])
    frontier.count_asked("run-1")
    frontier.choose_entries("run-1", 1)
    list(frontier.entries("run-1"))
    list(frontier.entries("run-1", [EntryState.READY]))
    frontier.entry("run-1", A.key)
    frontier.count_entries("run-1")
    frontier.alternates("run-1", A.key)


def _pages(ledger: Ledger) -> None:
    one = replace(seen(A, 1, "one", links=(link(B), link(C))), page=facts("a.md"))
    archived = capture(B, 2, ref=RecordRef("f", 0, 9), payload=PAYLOAD)
    parts = (KeptSection("x", ("T", "X"), "a.x", "api", section_hash("x")),)
    two = Finding(
        archived,
        Draft(content("one"), "T", sections=parts),
        facts("b.md"),
        (Alias(C, A, AliasReason.REDIRECT),),
    )
    ledger.commit("run-1", [one, two, Finding(discovered=(entry("d"),), closed=(closed("d"),))], at(3))
    ledger.commit("run-1", [one, two], at(3))
    ledger.commit("run-1", [Finding(closed=(closed("d"),)), Finding(discovered=(entry("d"),))], at(3))
    again = Finding(capture(A, 4, status=304), Confirmed())
    ledger.commit(
        "run-1", [again, replace(again, capture=capture(A, 5, status=304), page=facts("a.md"))], at(5)
    )
    ledger.commit("run-1", [replace(seen(B, 6, "two"), page=facts("b.md"))], at(6))
    with suppress(LedgerError):
        ledger.commit("run-1", [replace(seen(C, 7, "three"), page=facts("a.md"))], at(7))
    try:
        ledger.commit(
            "run-1", [Finding(capture(C, 8), Draft(content("4"), "T", reprocessed_from="0" * 64))], at(8)
        )
    except LedgerError:
        pages = ledger.pages
    pages.page("docs", A.key)
    pages.pages_of("docs", [A.key])
    list(pages.by_path("docs"))
    list(pages.by_path("docs", "a.md"))
    list(pages.by_path("docs", only_gone=True))
    pages.count("docs")
    list(pages.left_between("docs", at(0), at(9)))
    list(pages.left_between("docs", at(0)))
    pages.absences("docs", A.key)
    list(pages.paths("docs"))
    list(pages.pages_without("docs", "run-1", [EntryState.PAGE]))
    pages.mirrored(A.web_key)
    pages.addresses_of(content("one"))
    list(pages.pages_linking_to(B.web_key))
    list(pages.aliases("docs"))
    pages.targets_of("docs", [A.key, C.key])
    pages.names_of(A.web_key)
    pages.mark_gone("docs", [A.key], at(8))
    pages.drop_pages("docs", [B.key], at(8))


def _history(ledger: Ledger) -> None:
    history, archived = ledger.history, ledger.archived
    current = history.current_item(RECIPE, A.key)
    history.items(current.item_id)
    list(history.of_url(A.web_key))
    list(history.of_url(A.web_key, RECIPE))
    list(history.of_run("run-1"))
    list(history.brought_by("run-1", current.capture_id))
    list(history.brought_by("run-1", backward=True))
    history.count_brought("run-1")
    ledger.commit("run-1", [brought(seen(A, -9, "seen before all else"))], at(8))
    history.count_brought("run-1")
    history.relations(current.item_id)
    history.links_of(RECIPE, A.key)
    history.images_of(A.key)
    history.last_capture("docs", A.key)
    history.last_shown("docs", [current.item_id])
    sections = ledger.sections
    sections.of_item(current.item_id)
    sections.of_items([current.item_id])
    sections.unread("run-1")
    sections.fill({current.item_id: (KeptSection("", ("T",), None, "prose", section_hash("")),)})
    sections.mark()
    list(sections.seen_after(0, 9))
    list(archived.captures())
    archived.ends()
    archived.originals_of([PAYLOAD])
    archived.last_of({B.key: B.url})
    archived.store_id()
    archived.spare_files()
    archived.lost()
    archived.lose([], at(0))
    archived.lose_beyond({}, at(0))
    ledger.runs.end_run("run-1", at(9), RunTally.of({}))
    ledger.runs.seal_of("run-1")


def _outbox(ledger: Ledger) -> None:
    outbox, name = ledger.outbox, EventName("run-1", "e" * 64)
    notice = Notice("n" * 64, "team", at(1), 1, at(1))
    ledger.runs.begin_run(run(), ["team"])
    outbox.owed("team")
    outbox.told("team")
    outbox.gather(notice, [name], "team", ["run-1"])
    outbox.targets()
    outbox.unsent()
    outbox.events_of("n" * 64)
    outbox.failed("n" * 64, "no answer", at(2))
    outbox.acknowledge("n" * 64, at(3))
    outbox.sent(5)
    outbox.drop("team")
    ledger.runs.update_run("run-1", RunStatus.FAILED, at(4), trouble="no space")
    ledger.runs.end_run("run-1", at(9), RunTally.of({}))


def _citations(ledger: Ledger) -> None:
    citations = ledger.citations
    citations.put_documents([(document("a.md"), [cites(A), cites(C)])])
    citations.put_places([known(A)], [LedgerEvent(at(1), EventKind.CHANGED, A)])
    list(citations.documents())
    citations.count_states()
    for order in CitedOrder:
        after = "0 https://a" if order.has_time else "https://a"
        citations.places_part(PlacesWanted((), order), 5)
        citations.places_part(PlacesWanted((LinkState.OK, LinkState.GONE), order, at(5), after), 5)
    citations.of_document("a.md")
    citations.place(A.web_key)
    list(citations.places())
    list(citations.places([LinkState.OK, LinkState.GONE]))
    list(citations.places(cited=False))
    list(citations.uncharted())
    citations.backlinks(A.web_key)
    list(citations.backlinks_like("*"))
    for few in (0, 9):
        with mock.patch.object(citation_table, "_FEW", few):
            list(citations.backlinks_of_host("example.com"))
            list(citations.backlinks_like("https://example.com/*"))
    list(citations.events(at(0)))
    list(citations.events(at(0), [EventKind.CHANGED]))
    citations.drop_documents(["a.md"])


def _joins(ledger: Ledger) -> None:
    """Keys made anew, the same as before: what follows is asked by them."""
    joins = ledger.joins
    joins.has_key(A.web_key)
    joins.key_of(A.key)
    joins.count()
    joins.addresses(A.key)
    joins.aim(joins.version())
    for group in joins.unkeyed():
        joins.note({each.key: UrlKey("ab" * 32) for each in group})
    joins.switch("web@2")
    joins.aim("back")
    for group in joins.unkeyed():
        joins.note({each.key: each.key for each in group})
    joins.switch("web@1")


def _chapters(ledger: Ledger, folder: Path) -> None:
    """Every chapter written down, put back into another ledger, and compared."""
    chapters = ledger.chapters
    ledger.citations.put_documents([(document("b.md"), [cites(A)])])
    text = {
        name: b"".join(part.text for part in parts_of(name, chapters.lines(name))) for name in chapters.due()
    }
    for name in text:
        chapters.digest(name)
        list(chapters.refusals(name))
        chapters.note(name, digest_of(chapters.lines(name)), {"f": 9})
    assert list(chapters.altered()) == []
    copy = open_ledger(folder / "copy.db", at(0))
    order = sorted(text, key=lambda name: not name.startswith(RUN))
    copy.restore([tables_in(text[name]) for name in order], "a store", lambda _: There.DAMAGED, at(9))
    copy.chapters.settle({"f": 9}, {"another"})
    ledger.archived.expect_spare(["g"])
    moved = {c.capture_id: RecordRef("g", 0, 9) for c in copy.archived.captures()}
    empty = open_ledger(folder / "empty.db", at(0))
    for other in (ledger, empty):
        other.join(copy, moved, lambda name: f"below/{name}", at(9), ["g"])
    empty.close()
    copy.close()


def _forgetting(ledger: Ledger) -> None:
    forgetting = ledger.forgetting
    forgetting.places_at(A.web_key)
    list(forgetting.places_on("example.com"))
    list(forgetting.unneeded_captures())
    [left] = [o.capture.capture_id for o in ledger.history.of_url(B.web_key) if o.capture.ref]
    confirmed = capture(B, 99, status=304)

    def rewrite(moves: MovedCaptures) -> None:
        moved_to({left: RecordRef("g", 0, 9)})(moves)
        moves.original(confirmed)

    forgetting.purge([A.key], ["0" * 64], rewrite, at(10), [("docs", "a.md")])
    list(forgetting.tombstones())
    forgetting.removals()
    forgetting.removed("docs")
    ledger.archived.spare_files_are_gone()
