"""The first page: what is kept here, and what is new; the pages of a mirror; the metrics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from holdfast import jobs
from holdfast.core.base.errors import HoldfastError, UsageError
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import Job, RunRecord
from holdfast.core.links.link_state import FAILING
from holdfast.faces.web.request import (
    PageRequest,
    Redirect,
    Responder,
    ShownPage,
    asked_moment,
    is_for_programs,
)
from holdfast.faces.web.shown import DATED, OF_TODAY, address
from holdfast.questions.rows.table import question_named

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader
    from holdfast.questions.status import MirrorOverview, Overview


_BARS = 30
_COLUMNS: Final[dict[str, Callable[[MirrorOverview], Any]]] = {
    "pages": lambda mirror: mirror.pages,
    "new": lambda mirror: mirror.brought.new,
    "changed": lambda mirror: mirror.brought.changed,
    "gone": lambda mirror: mirror.gone,
    "failed": lambda mirror: mirror.last_run.tally.counts.get("failed", 0),
    "size": lambda mirror: mirror.size,
    "last run": lambda mirror: mirror.last_run.run.started_at,
}
"""What mirrors can be sorted by; without any they are by name."""
_OF_A_DAY = frozenset({"at", "asked", "version", "after", "gone"})
"""What an address says of a day, or of a place in a list of that day."""


def _overviews(responder: Responder) -> list[Overview]:
    return [responder.figures.of(source.name) for source in responder.sources]


def home(responder: Responder) -> Callable[[Request], Response]:
    """Mirrors and documents of every store."""

    def answer(request: Request) -> Response:
        as_json = is_for_programs(request)
        try:
            moment = asked_moment(request.query_params.get("at", ""))
            if as_json:
                return responder.respond(request, _status(responder, moment), as_json=True)
            found = _overviews(responder) if moment is None else _overviews_at(responder, moment)
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=as_json)
        order = request.query_params.get("sort", "")
        folders = {source.name: source.root.name for source in responder.sources}
        more = {"dead_bars": dead_bars, "folders": folders, "moment": moment}
        more |= {"columns": tuple(_COLUMNS), "order": order}
        more |= {"json_address": None} if moment else {}
        shown = ShownPage("home.html", "status", in_order(found, order), "Holdfast", more)
        return responder.respond(request, shown, as_json=False)

    return answer


def _status(responder: Responder, moment: datetime | None) -> ShownPage:
    if moment is not None:
        raise UsageError("`status` is of now", hint="holdfast log --until DATE")
    asked = jobs.row_runner.asked_served(responder.sources)
    found = jobs.row_runner.run_row(question_named("status"), {}, asked)
    return ShownPage("", "status", found, "Holdfast")


def _overviews_at(responder: Responder, moment: datetime) -> list[Overview]:
    found = []
    for source in responder.sources:
        with source.open() as reader:
            count = partial(_brought, responder, source.name, reader)
            found.append(reader.parts.overview_at(source.name, moment, count=count))
    return found


def _brought(responder: Responder, name: str, reader: Reader, run: RunRecord) -> Brought:
    return responder.figures.brought(name, run, reader.parts.brought)


def as_of(responder: Responder) -> Callable[[Request], Response]:
    """The page that somebody looks at, as of another day; the first page, where that has no past."""
    names = {source.name for source in responder.sources}

    def answer(request: Request) -> Response:
        day, page = (request.query_params.get(name, "").strip() for name in ("at", "page"))
        try:
            moment = asked_moment(day)
            day = day if moment is not None and moment < datetime.now(UTC) else ""
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=False)
        return responder.respond(request, Redirect(_as_of(page, day, names)), as_json=False)

    return answer


def _as_of(page: str, day: str, names: Collection[str]) -> str:
    """An address of this server on another day."""
    path, _, query = page.partition("?")
    match path.split("/"):
        case ["", "s", name, view] if name in names and view in DATED | OF_TODAY:
            kept = {key: value for key, value in parse_qsl(query) if key not in _OF_A_DAY}
            return address("s", name, view, **{**kept, "at": day})
    return address("", at=day)


def help_page(responder: Responder) -> Callable[[Request], Response]:
    """The keys, and where everything is."""

    def answer(request: Request) -> Response:
        return responder.respond(
            request,
            ShownPage("help.html", "status", (), "Keys and addresses", {"json_address": None}),
            as_json=False,
        )

    return answer


def in_order(found: Sequence[Overview], order: str) -> list[Overview]:
    """The same with the mirrors in the order of a column, the largest first; by name without one."""
    key = _COLUMNS.get(order)
    if key is None:
        return list(found)
    return [replace(one, mirrors=tuple(sorted(one.mirrors, key=key, reverse=True))) for one in found]


def dead_bars(overview: Overview) -> list[int]:
    """Links that failed, track by track, the latest last."""
    runs = [run for run in overview.runs if run.run.job is Job.TRACK]
    return [counted(run, *FAILING) for run in reversed(runs[:_BARS])]


def counted(run: RunRecord, *names: str) -> int:
    """The sum of some of a run's counts."""
    return sum(run.tally.counts.get(name, 0) for name in names)


def pages(ask: PageRequest) -> ShownPage:
    """The pages of a mirror."""
    mirrors = ask.overview().mirrors
    label = ask.text("label") or (mirrors[0].label if mirrors else ".")
    after, moment, gone = ask.text("after"), ask.moment, ask.text("gone") == "1"
    if moment is not None:
        part = ask.reader.parts.pages_at(label, moment, after, ask.limit)
    else:
        part = ask.reader.parts.pages(label, after, ask.limit, only_gone=gone)
    more = {
        "next_part": part.next,
        "mirrors": mirrors,
        "label": label,
        "folder": ask.source.root.name,
        "gone": gone and moment is None,
        "moment": moment,
    }
    which = "Gone pages" if more["gone"] else "Pages"
    return ShownPage("pages.html", "page-list", part, f"{which} of {_label(label, ask)}", more)


def _label(label: str, ask: PageRequest) -> str:
    return ask.source.root.name if label == "." else label


def metrics(responder: Responder) -> Callable[[Request], Response]:
    """Counts as Prometheus reads them."""

    def answer(request: Request) -> Response:
        try:
            text = _metrics(_overviews(responder), datetime.now(UTC))
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=True)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    return answer


_METRICS = {
    "holdfast_pages": "Pages of a mirror.",
    "holdfast_pages_gone": "Pages of a mirror that are gone from the site.",
    "holdfast_bytes": "Bytes of a mirror's pages.",
    "holdfast_links": "Cited URLs by what their state means.",
    "holdfast_links_in_state": "Cited URLs by their state.",
    "holdfast_documents": "Documents that were checked.",
    "holdfast_last_run_seconds": "Seconds since the last run of a job began.",
}


def _metrics(found: Sequence[Overview], now: datetime) -> str:
    rows: dict[str, list[str]] = {name: [] for name in _METRICS}

    def put(name: str, value: float, **labels: str) -> None:
        pairs = ",".join(f'{key}="{_quoted(text)}"' for key, text in labels.items())
        rows[name].append(f"{name}{{{pairs}}} {value:g}")

    for one in found:
        put("holdfast_documents", one.citations.documents, state=one.name)
        for standing, number in one.citations.standings.items():
            put("holdfast_links", number, state=one.name, standing=standing)
        for link_state, number in one.citations.states.items():
            put("holdfast_links_in_state", number, state=one.name, link_state=link_state)
        for mirror in one.mirrors:
            put("holdfast_pages", mirror.pages, state=one.name, mirror=mirror.label)
            put("holdfast_pages_gone", mirror.gone, state=one.name, mirror=mirror.label)
            put("holdfast_bytes", mirror.size, state=one.name, mirror=mirror.label)
        latest = {(run.run.job, run.run.label): run for run in reversed(one.runs)}
        for (job, label), run in latest.items():
            age = (now - run.run.started_at).total_seconds()
            put("holdfast_last_run_seconds", round(age), state=one.name, job=job, label=label)
    lines = []
    for name, about in _METRICS.items():
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", *rows[name]]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
