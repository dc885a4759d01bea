"""`/api/v1/…`: every question, as the JSON that is published; and the OpenAPI document made of it.

A row that only reads has the address of its name, and every parameter of its function; the log of a run has
its own, too. `store` names one store where several are served. A parameter that is wrong or that it does not
have is 400; what nobody keeps is 404.
Until each question is a row, the others stand in `QUESTIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter as Signed
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from holdfast import __version__, jobs
from holdfast.core.base.errors import HoldfastError, UsageError
from holdfast.core.base.figures import EVER
from holdfast.core.lineage.versions import start_asked
from holdfast.core.links.citation import CitedOrder
from holdfast.core.page.corpus import ExportUnit, ExportWish, export_unit
from holdfast.faces.web import home, link_pages, page_pages, run_pages
from holdfast.faces.web.request import PageRequest, Responder, ShownPage, View, json_body, with_etag
from holdfast.questions.rows.parameters import MOST_ROWS, STORE, TARGET, Parameter
from holdfast.questions.rows.parameters import ROWS as ROWS_KIND
from holdfast.questions.rows.question import QuestionRow
from holdfast.questions.rows.table import JOBS, ROWS, question_named, schema_of


def _plain(schema: str, ask_for: Callable[[PageRequest], Any]) -> View:
    return lambda ask: ShownPage("", schema, ask_for(ask), schema)


def _since(ask: PageRequest) -> Any:
    return start_asked(text) if (text := ask.text("since")) else EVER


def _graph(ask: PageRequest) -> ShownPage:
    """The neighbourhood of a node, or everything."""
    return link_pages.graph(ask) if ask.text("node") else ShownPage("", "graph", ask.reader.graph(), "graph")


def _label(ask: PageRequest) -> str:
    """The mirror that was named, or the first there is."""
    known = ask.overview().mirrors
    return ask.text("label") or (known[0].label if known else ".")


def _export(ask: PageRequest) -> Response:
    """A mirror as records, one a line. What is sent begins before all is read, with a reader of its own."""
    label, source = _label(ask), ask.source
    wish = ExportWish(
        unit=export_unit(ask.text("unit") or ExportUnit.SECTION), after=ask.text("after") or None
    )
    since = ask.text("since") or None
    next(ask.reader.export(label, wish, since), None)  # what is wrong is said before anything is sent

    def lines() -> Iterator[bytes]:
        with source.open() as reader:
            yield from jobs.write_export.record_lines(reader.export(label, wish, since))

    return StreamingResponse(lines(), media_type="application/jsonl")


class ApiQuestion(NamedTuple):
    """A question of the API: its schema, who answers, what it is about, and its parameters."""

    schema: str
    view: View
    about: str
    asks: Mapping[str, str] = {}


class WholeQuestion(NamedTuple):
    """A question to all stores at once."""

    schema: str
    endpoint: Callable[[Responder], Callable[[Request], Response]]
    about: str
    asks: Mapping[str, str] = {}


_URL: Final = {"url": "a page, in any spelling of its address"}
_PART: Final = {
    "after": "where the part begins: `next` of the part before, and its header `Link`",
    "limit": "how many rows, at most 500",
}
_SEARCHED: Final = {
    "q": "words",
    "site": "a host, or an address",
    "at": "a date: as it was then",
    "kind": "prose, code, table or api",
    "limit": "how many, at most 500",
}

QUESTIONS: Final[dict[str, ApiQuestion]] = {
    "pages": ApiQuestion("page-list", home.pages, "The pages of a mirror.", {"label": "the mirror", **_PART}),
    "search": ApiQuestion("search", run_pages.search, "Where something is said.", _SEARCHED),
    "page-links": ApiQuestion("page-links", page_pages.page_links, "Where a page points to.", _URL),
    "broken": ApiQuestion(
        "broken",
        _plain("broken", lambda ask: ask.reader.broken(suspect=bool(ask.text("suspect")))),
        "Cited URLs that are dead.",
        {"suspect": "1: those that failed and are not confirmed, too"},
    ),
    "changed": ApiQuestion(
        "changed",
        _plain("changed", lambda ask: ask.reader.changed(since=_since(ask))),
        "Cited URLs that say something else.",
        {"since": "a date"},
    ),
    "cited": ApiQuestion(
        "cited",
        link_pages.links,
        "Cited URLs by state, host, document and age.",
        {
            "state": "a state",
            "standing": "a standing",
            "host": "a host",
            "document": "a path",
            "days": "those that fail for so many days at least",
            "sort": f"one of {', '.join(CitedOrder)}",
            **_PART,
        },
    ),
    "backlinks": ApiQuestion(
        "backlinks",
        _plain("backlinks", lambda ask: ask.reader.backlinks(ask.required("target"))),
        "Who cites a URL, a host, or what matches a pattern.",
        {"target": "a URL, a host, or a pattern with *"},
    ),
    "links": ApiQuestion("links", link_pages.document, "What a document cites.", {"path": "the document"}),
    "fixes": ApiQuestion(
        "proposed-fixes",
        _plain("proposed-fixes", lambda ask: ask.reader.proposed_fixes(ask.required("url"))),
        "What `fix` would write for the citations of a URL.",
        _URL,
    ),
    "graph": ApiQuestion(
        "graph",
        _graph,
        "Documents and what they cite: around one of them, or all.",
        {"node": "a path or a URL; without it everything"},
    ),
    "documents": ApiQuestion("documents", link_pages.documents, "The documents that are checked.", _PART),
    "site-broken": ApiQuestion(
        "site-broken",
        _plain(
            "site-broken", lambda ask: ask.reader.site_broken(_label(ask), suspect=bool(ask.text("suspect")))
        ),
        "Links within a mirrored site that lead nowhere.",
        {"label": "the mirror", "suspect": "1: those that failed and may come back, too"},
    ),
    "export": ApiQuestion(
        "export",
        _export,
        "A mirror as records for search engines and models, one JSON a line.",
        {
            "label": "the mirror",
            "unit": f"one of {', '.join(ExportUnit)}",
            "since": "a date or a run: what differs",
            "after": "the id of the last record that came",
        },
    ),
}
"""Every question, by its address under `/api/v1/NAME/`."""
_OF_ALL: Final = {
    "search": WholeQuestion(
        "search-everywhere", run_pages.everywhere, "Where something is said, in all stores.", _SEARCHED
    ),
}


_ASKED: Final = tuple(name for name in ROWS if name not in JOBS)
"""The rows that only read: the API does nothing."""
_STORE: Final = Parameter(
    "store",
    "one of the stores that are served",
    STORE,
    "",
    is_flag=True,
    may_be_none=False,
    hidden=frozenset(),
)


_OF_A_RUN: Final = "runs/{run}"
"""The log of a run has an address of its own: the run stands in the path."""


def _row_parameters(question: QuestionRow[..., Any], address: str = "") -> list[Parameter]:
    named = (TARGET,) if address == _OF_A_RUN else ()
    own = (one for one in question.parameters if "api" not in one.hidden and one.kind not in named)
    return [*own, _STORE]


def _row_endpoint(responder: Responder, name: str, address: str = "") -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        try:
            question = question_named(name)
            given = _row_given(question, request, address)
            if address == _OF_A_RUN:
                given["target"] = f"run:{request.path_params['run']}"
            wanted = given.pop(_STORE.name, None)
            sources = [each for each in responder.sources if wanted in (None, each.name)]
            if not sources:
                names = ", ".join(each.name for each in responder.sources)
                raise UsageError(f"there is no store {wanted[:80]!r}", hint=f"there are: {names}")
            found = jobs.row_runner.run_row(question, given, jobs.row_runner.asked_served(sources))
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=True, wrong_call=400)
        made = with_etag(request, json_body(question.schema().encode(found)), "application/json")
        if found.next is not None:
            where = request.url.include_query_params(**{"from": found.next})
            made.headers["link"] = f'<{where.path}?{where.query}>; rel="next"'
        return made

    return answer


def _row_given(question: QuestionRow[..., Any], request: Request, address: str) -> dict[str, Any]:
    known = {one.called: one for one in _row_parameters(question, address)}
    given: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        if name not in known:
            raise UsageError(f"there is no parameter {name[:40]!r}", hint=f"there are: {', '.join(known)}")
        if known[name].name in given:
            raise UsageError(f"{name} is there twice")
        given[known[name].name] = known[name].kind.read(text)
        if known[name].kind is ROWS_KIND and not 1 <= given[known[name].name] <= MOST_ROWS:
            raise UsageError(f"{name} is a number from 1 to {MOST_ROWS}")
    missing = [name for name, one in known.items() if one.is_required and one.name not in given]
    if missing:
        raise UsageError(f"this address needs ?{missing[0]}=")
    return given


def routes(responder: Responder) -> Iterator[BaseRoute]:
    """The addresses of the API."""
    for name, question in _OF_ALL.items():
        yield Route(f"/api/v1/{name}", question.endpoint(responder))
    for name in _ASKED:
        yield Route(f"/api/v1/{name}", _row_endpoint(responder, name))
    yield Route(f"/api/v1/{_OF_A_RUN}", _row_endpoint(responder, "log", _OF_A_RUN))
    yield Route("/api/v1/openapi.json", lambda request: with_etag(request, _document(), "application/json"))
    for name, asked in sorted(QUESTIONS.items(), key=lambda pair: -len(pair[0])):
        yield Route(f"/api/v1/{{state}}/{name}", responder.endpoint(asked.view))


def _document() -> bytes:
    return (json.dumps(openapi(), ensure_ascii=False, indent=1) + "\n").encode()


def openapi() -> dict[str, Any]:
    """The API in words for programs (OpenAPI 3.1); the schemas are those that are published."""
    asked: tuple[ApiQuestion | WholeQuestion, ...] = (*_OF_ALL.values(), *QUESTIONS.values())
    names = sorted({question.schema for question in asked} | {"error", *_ASKED})
    paths: dict[str, Any] = {f"/api/v1/{name}": _row_path(question_named(name)) for name in _ASKED}
    paths[f"/api/v1/{_OF_A_RUN}"] = _row_path(question_named("log"), _OF_A_RUN)
    paths |= {f"/api/v1/{name}": _path(question, ()) for name, question in _OF_ALL.items()}
    for name, question in QUESTIONS.items():
        paths[f"/api/v1/{{state}}/{name}"] = _path(question, ("state",))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holdfast",
            "version": __version__,
            "description": "Read only; every answer has an ETag; a list that goes on names its next part in "
            "the header `Link`.",
        },
        "paths": paths,
        "components": {"schemas": {name: _schema(name) for name in names}},
    }


def _schema(name: str) -> dict[str, Any]:
    made = schema_of(name).json_schema()
    return {key: value for key, value in made.items() if key != "$schema"}


def _row_path(question: QuestionRow[..., Any], address: str = "") -> dict[str, Any]:
    parameters = [_parameter("run", "path", "the run's id, or its beginning")] if address else []
    parameters += [
        {
            "name": one.called,
            "in": "query",
            "required": one.is_required or (one.kind is TARGET and one.default is Signed.empty),
            "description": one.words,
            "schema": dict(one.kind.schema),
        }
        for one in _row_parameters(question, address)
    ]
    responses = {
        "200": _response(question.sentence, question.name),
        "304": {"description": "Whoever asked has it (If-None-Match)."},
        "400": _response("A parameter is wrong or missing.", "error"),
        "404": _response("Nothing is kept of it.", "error"),
    }
    return {"get": {"summary": question.sentence, "parameters": parameters, "responses": responses}}


def _path(question: ApiQuestion | WholeQuestion, parts: tuple[str, ...]) -> dict[str, Any]:
    parameters = [_parameter(name, "path", f"the {name}") for name in parts]
    parameters += [_parameter(name, "query", about) for name, about in question.asks.items()]
    return {
        "get": {
            "summary": question.about,
            "parameters": parameters,
            "responses": {
                "200": _response(question.about, question.schema),
                "304": {"description": "Whoever asked has it (If-None-Match)."},
                "404": _response("It is not known here.", "error"),
            },
        }
    }


def _parameter(name: str, where: str, about: str) -> dict[str, Any]:
    required = where == "path" or name in ("url", "name", "target", "path", "run")
    return {
        "name": name,
        "in": where,
        "required": required,
        "description": about,
        "schema": {"type": "string"},
    }


def _response(about: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": about, "content": content}
