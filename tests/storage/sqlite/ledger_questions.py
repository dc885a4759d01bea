"""A ledger of any size, and the questions whose cost must not grow out of hand, in steps of SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import apsw

from helpers.ledger_cases import OTHER_RECIPE, RECIPE, at, capture, content, entry, facts, link, place, run
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Draft, EntryState, Finding, PageLink
from holdfast.core.lineage.lineage import RecordRef, RunTally
from holdfast.core.links.citation import CitedOrder, LedgerEvent, PlacesWanted
from holdfast.core.links.link_state import LinkState
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.url import Place
from holdfast.jobs.held_pages import finished_urls, holdings
from holdfast.jobs.upkeep.check_store import ledger_faults
from holdfast.questions.kept_here import StoreStatus, status
from holdfast.questions.log.mirror_log import changes_of_run, happened
from holdfast.storage.ledger.laws import altered_links
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from questions.world import PlaceOfTests
from storage.ledger.test_citations import cites, document, known

BATCH, CITED_BY_ONE, HOSTS = 500, 50, 10
Ask = Callable[[Ledger], Iterable[object] | object]


@lru_cache(100_000)
def page(number: int) -> Place:
    return place(str(number))


@lru_cache(HOSTS)
def elsewhere(number: int) -> Place:
    url = f"https://host{number}.example/"
    return place("x")._replace(url=url, key=content(url), web_key=content(url))


A, B = page(7), page(8)
PAYLOAD = "ab" * 32


def item_of(asked: Ledger) -> str:
    return asked.history.current_item(RECIPE, A.key).item_id


def status_of(asked: Ledger, target: CommandTarget) -> StoreStatus:
    return status(asked, lambda: True, PlaceOfTests(), target)


CONSTANT: dict[str, Ask] = {
    "status of a mirror": lambda asked: status_of(asked, CommandTarget(TargetKind.MIRROR, "docs")),
    "runs.run": lambda asked: asked.runs.run("run-1"),
    "frontier.take_entries": lambda asked: asked.frontier.take_entries("run-1", 5),
    "frontier.count_entries": lambda asked: asked.frontier.count_entries("run-1"),
    "frontier.entry": lambda asked: asked.frontier.entry("run-1", A.key),
    "frontier.alternates": lambda asked: asked.frontier.alternates("run-1", A.key),
    "frontier.reopen_entries": lambda asked: asked.frontier.reopen_entries("run-1", keys=[A.key]),
    "pages.page": lambda asked: asked.pages.page("docs", A.key),
    "pages.count": lambda asked: asked.pages.count("docs"),
    "pages.pages_of": lambda asked: asked.pages.pages_of("docs", [A.key, B.key]),
    "pages.targets_of": lambda asked: asked.pages.targets_of("docs", [place("also/7").key]),
    "pages.mirrored": lambda asked: asked.pages.mirrored(A.web_key),
    "pages.pages_linking_to": lambda asked: list(asked.pages.pages_linking_to(A.web_key)),
    "pages.absences": lambda asked: asked.pages.absences("docs", A.key),
    "pages.mark_gone": lambda asked: asked.pages.mark_gone("docs", [A.key], None),
    "history.count_brought": lambda asked: asked.history.count_brought("run-1"),
    "history.current_item": lambda asked: asked.history.current_item(RECIPE, A.key),
    "history.items": lambda asked: asked.history.items(asked.history.current_item(RECIPE, A.key).item_id),
    "history.of_url": lambda asked: list(asked.history.of_url(A.web_key)),
    "history.relations": lambda asked: asked.history.relations(
        asked.history.current_item(RECIPE, A.key).item_id
    ),
    "history.links_of": lambda asked: asked.history.links_of(RECIPE, A.key),
    "history.images_of": lambda asked: asked.history.images_of(A.key),
    "history.last_capture": lambda asked: asked.history.last_capture("docs", A.key),
    "history.last_shown": lambda asked: asked.history.last_shown("docs", [item_of(asked)]),
    "sections.of_items": lambda asked: asked.sections.of_items([item_of(asked)]),
    "archived.ends": lambda asked: asked.archived.ends(),
    "archived.originals_of": lambda asked: asked.archived.originals_of([content("7")]),
    "archived.last_of": lambda asked: asked.archived.last_of({A.key: A.url}),
    "citations.of_document": lambda asked: asked.citations.of_document("d1.md"),
    "citations.place": lambda asked: asked.citations.place(A.web_key),
    **{
        f"citations.places_part, {order}": lambda asked, o=order: asked.citations.places_part(
            PlacesWanted((LinkState.OK, LinkState.GONE), o), 20
        )
        for order in CitedOrder
    },
    "citations.places_part of all": lambda asked: asked.citations.places_part(PlacesWanted(), 20),
    "citations.backlinks": lambda asked: asked.citations.backlinks(A.web_key),
    "citations.backlinks_of_host": lambda asked: list(asked.citations.backlinks_of_host("host3.example")),
    "citations.events": lambda asked: list(asked.citations.events(at(1_000_000))),
    "forgetting.places_at": lambda asked: asked.forgetting.places_at(A.web_key),
    "forgetting.places_on": lambda asked: list(asked.forgetting.places_on("host3.example")),
}
"""Questions about one thing: as many steps in any ledger."""

LINEAR: dict[str, Ask] = {
    "frontier.entries": lambda asked: asked.frontier.entries("run-1"),
    "pages.by_path": lambda asked: asked.pages.by_path("docs"),
    "pages.left_between": lambda asked: asked.pages.left_between("docs", at(0), at(9)),
    "pages.paths": lambda asked: asked.pages.paths("docs"),
    "pages.pages_without": lambda asked: asked.pages.pages_without("docs", "run-1", [EntryState.PAGE]),
    "pages.aliases": lambda asked: asked.pages.aliases("docs"),
    "history.brought_by": lambda asked: asked.history.brought_by("run-1"),
    "history.of_run": lambda asked: asked.history.of_run("run-1"),
    "archived.captures": lambda asked: asked.archived.captures(),
    "citations.documents": lambda asked: asked.citations.documents(),
    "citations.places": lambda asked: asked.citations.places(),
    "citations.count_states": lambda asked: asked.citations.count_states(),
    "citations.uncharted": lambda asked: asked.citations.uncharted(),
    "citations.places of states": lambda asked: asked.citations.places([LinkState.OK, LinkState.GONE]),
    "citations.backlinks_like": lambda asked: asked.citations.backlinks_like("*"),
    "citations.backlinks_like on a host": lambda asked: asked.citations.backlinks_like(f"{A.url[:-1]}*"),
    "citations.backlinks_of_host": lambda asked: asked.citations.backlinks_of_host(A.host),
    "forgetting.places_on": lambda asked: asked.forgetting.places_on("example.com"),
    "forgetting.unneeded_captures": lambda asked: asked.forgetting.unneeded_captures(),
    "verify, rebuild: holdings": lambda asked: holdings(asked, "docs"),
    "diff --run": lambda asked: changes_of_run(asked, asked.runs.run("run-1")),
    "changes": lambda asked: happened(asked, asked=lambda run: run.run.label == "docs"),
}
"""Questions about everything: as many steps for each thing in any ledger."""

STREAMED = (
    "frontier.entries",
    "pages.by_path",
    "pages.paths",
    "pages.pages_without",
    "pages.aliases",
    "history.brought_by",
    "history.of_run",
    "archived.captures",
    "citations.documents",
    "citations.places",
    "citations.places of states",
    "citations.uncharted",
    "citations.backlinks_like",
    "forgetting.places_on",
    "verify, rebuild: holdings",
)
"""Those of them that are answered row by row, the first one at once."""

JOBS: dict[str, Ask] = {
    "status of all": lambda asked: status_of(asked, CommandTarget(TargetKind.NONE)),
    "runs.seal_of": lambda asked: asked.runs.seal_of("run-1"),
    "runs.end_run": lambda asked: asked.runs.end_run("run-1", at(9), RunTally.of({})),
    "check": lambda asked: altered_links(asked._db),
    "verify: ledger_faults": ledger_faults,
    "rebuild: finished_urls": lambda asked: finished_urls(asked, "docs"),
}
"""What goes over everything and answers at the end: as many steps for each thing."""


def make(path: Path, pages: int, links: int = 2) -> Ledger:
    """A ledger with one run of that many pages, each cited once, with so many links each."""
    ledger = open_ledger(path, at(0))
    ledger._db.execute("PRAGMA synchronous = OFF")
    ledger.runs.begin_run(run())
    ledger.runs.begin_run(run("run-2", OTHER_RECIPE, seconds=1))
    for first in range(0, pages, BATCH):
        numbers = range(first, min(first + BATCH, pages))
        ledger.frontier.add_entries("run-1", [entry(str(n), 0, 0, n) for n in numbers])
        ledger.commit("run-1", [finding(n, links) for n in numbers], at(0))
        for some in range(first, first + len(numbers), CITED_BY_ONE):
            cited = [cites(page(n)) for n in range(some, min(some + CITED_BY_ONE, pages))]
            ledger.citations.put_documents([(document(f"d{some // CITED_BY_ONE}.md"), cited)])
        ledger.citations.put_places([known(page(n)) for n in numbers if n % 2])
        ledger.citations.put_places((), [LedgerEvent(at(n), EventKind.CHANGED, page(n)) for n in numbers])
    for n in range(HOSTS):
        ledger.citations.put_documents([(document(f"host{n}.md"), [cites(elsewhere(n))])])
        ledger.commit("run-1", [Finding(capture(elsewhere(n), n))], at(0))
    return ledger


def finding(number: int, links: int = 2) -> Finding:
    """A page with a link to the next, one to another host, and more to pages around it and further away."""
    where = page(number)
    others = [_link_to(number // step + step) for step in range(2, links)]
    pointing = (_link_to(number + 1), link(elsewhere(number % HOSTS)), *others)
    record = capture(where, number, ref=RecordRef("f.warc.gz", number * 10, 10), payload=content(str(number)))
    draft = Draft(content(f"text {number}"), "T", pointing)
    alias = Alias(place(f"also/{number}"), where, AliasReason.REDIRECT)
    return Finding(record, draft, facts(f"{number}.md"), (alias,))


@lru_cache(100_000)
def _link_to(number: int) -> PageLink:
    return link(page(number))


def answer(ledger: Ledger, ask: Ask) -> object:
    """What a question is answered with, whole."""
    told = ask(ledger)
    return list(told) if isinstance(told, Iterable) else told


def first_row(ledger: Ledger, ask: Ask) -> None:
    """Ask, and read no further than the first row."""
    rows = iter(ask(ledger))
    next(rows, None)
    rows.close()


def steps(ledger: Ledger, ask: Ask, told: Callable[[Ledger, Ask], object] = answer) -> int:
    """How many steps of SQLite's machine a question takes, with all statements that it is made of."""
    counted = 0

    def count(event: dict) -> None:
        nonlocal counted
        counted += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    db = ledger._db._apsw
    db.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
    try:
        told(ledger, ask)
    finally:
        db.trace_v2(0)
    return counted
