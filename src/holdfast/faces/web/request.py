"""One request: what was asked, who answers, and the answer as HTML or as JSON.

A view is a function of a `PageRequest` and gives a `ShownPage`: a value, its published schema, a template.
The same address with `.json` gives the value. Every answer has an ETag made of its bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import Response

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, HoldfastError, UsageError
from holdfast.core.base.figures import EVER
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import RunRecord
from holdfast.core.lineage.versions import moment_asked
from holdfast.faces.web.kept_counts import KeptFigures
from holdfast.faces.web.shown import address_at
from holdfast.questions.log.log_forms import FeedEntry, atom_feed, json_feed
from holdfast.questions.rows.question import StoreAnswers, StorePart
from holdfast.questions.rows.table import schema_of

if TYPE_CHECKING:
    from holdfast.faces.web.actions import ActionForms
    from holdfast.questions.reader import Reader
    from holdfast.questions.status import Overview


T = TypeVar("T")
PART: Final = 50
"""How many rows a part of a list has."""
_MOST: Final = 500
_STATUS: Final = {ExitStatus.FINDINGS: 404, ExitStatus.REFUSED: 403}

Sources = tuple[jobs.served_stores.ServedState, ...]


@dataclass(frozen=True, slots=True)
class ShownPage:
    """An answer: the value, what its JSON is called, the template that shows it, and what else that needs."""

    template: str
    schema: str
    value: Any
    title: str
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Redirect:
    """The answer is elsewhere."""

    where: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What was asked, of which store; `others` are served beside it."""

    request: Request
    source: jobs.served_stores.ServedState
    reader: Reader
    figures: KeptFigures
    others: Sources = ()

    def brought(self, run: RunRecord) -> Brought:
        """What a run brought, counted."""
        return self.figures.brought(self.name, run, self.reader.parts.brought)

    def overview(self) -> Overview:
        """The counts of the store."""
        return self.figures.of(self.name)

    @property
    def name(self) -> str:
        """The store's name."""
        return self.source.name

    def text(self, name: str) -> str:
        """A parameter; empty where it was not given."""
        return self.request.query_params.get(name, "")

    def required(self, name: str) -> str:
        """A parameter that must be there."""
        if not (given := self.text(name)):
            raise UsageError(f"this address needs ?{name}=", hint="go back to the list it is from")
        return given

    @property
    def moment(self) -> datetime | None:
        """The end of the day as of which was asked; None: now."""
        return asked_moment(self.text("at"))

    def address(self, *path: str, **query: str | int | None) -> str:
        """An address of this server that keeps to the day as of which was asked."""
        return address_at(self.text("at"), *path, **query)

    def part(self, rows: Sequence[T]) -> tuple[Sequence[T], str | None]:
        """Some rows of a list whose JSON is whole, and after which number there are more."""
        after = self.text("after") or "0"
        if not after.isascii() or not after.isdigit() or len(after) > 9:
            raise UsageError("after is a number here", hint="begin with the list's first part")
        last = int(after) + self.limit
        return rows[int(after) : last], str(last) if last < len(rows) and not self.wants_json else None

    @property
    def wants_json(self) -> bool:
        """Whether a program asks."""
        return is_for_programs(self.request)

    @property
    def limit(self) -> int:
        """How many rows were asked for."""
        return asked_limit(self.request, PART)


def of_today(ask: PageRequest, more: Mapping[str, Any]) -> dict[str, Any]:
    """What else a page needs that knows of today alone: to who looks at another day it says so."""
    if (moment := ask.moment) is None:
        return dict(more)
    today = ask.request.url.remove_query_params("at")
    asked = f"?{today.query}" if today.query else ""
    beside = {"today_address": f"{today.path}{asked}", "json_address": f"{today.path}.json{asked}"}
    return {**more, **beside, "other_day": moment}


def feed_of(ask: PageRequest, name: str, entries: Sequence[FeedEntry]) -> Response:
    """The feed that was asked for: Atom, or JSON."""
    if ask.request.url.path.endswith(".feed"):
        return Response(json_feed(name, entries), media_type="application/feed+json")
    updated = max((entry.at for entry in entries), default=EVER)
    return Response("".join(atom_feed(name, entries, updated)), media_type="application/atom+xml")


def is_for_programs(request: Request) -> bool:
    """Whether JSON is asked for."""
    return request.url.path.endswith(".json") or request.url.path.startswith("/api/")


def asked_limit(request: Request, otherwise: int) -> int:
    """How many rows were asked for."""
    given = request.query_params.get("limit", "")
    if not given:
        return otherwise
    if not given.isascii() or not given.isdigit() or len(given) > 9 or not 1 <= int(given) <= _MOST:
        raise UsageError(f"limit is a number from 1 to {_MOST}")
    return int(given)


def asked_moment(text: str) -> datetime | None:
    """The end of a day that was asked for; None where none was."""
    return moment_asked(text) if text else None


def row_page(ask: PageRequest, template: str, row: str, found: Any, /, title: str, **more: Any) -> ShownPage:
    """A page that shows what a row answers of one store; its JSON is the row's."""
    following = getattr(found, "next", None)
    rest = f"{ask.name}:{following}" if following else None
    answer = StoreAnswers(row, (StorePart(ask.name, found),), rest)
    return ShownPage(template, row, answer, title, {"value": found, "next_part": following, **more})


View = Callable[[PageRequest], ShownPage | Redirect | Response]


class Responder:
    """Where requests are taken and answers are handed out."""

    def __init__(self, sources: Sources, templates: Environment, actions: ActionForms | None = None) -> None:
        """`actions` does what forms ask for, and has their secrets; None: nothing can be changed."""
        self.sources = sources
        self.figures = KeptFigures(sources)
        self.actions = actions
        self._templates = templates
        self._by_name = {source.name: source for source in sources}

    def source(self, name: str) -> jobs.served_stores.ServedState:
        """A store by its name."""
        if name not in self._by_name:
            raise UsageError(f"no store is served as {name!r}", hint=f"there are: {', '.join(self._by_name)}")
        return self._by_name[name]

    def endpoint(self, view: View) -> Callable[[Request], Response]:
        """A view as Starlette calls it: in a thread, with a reader of its own."""

        def answer(request: Request) -> Response:
            as_json = is_for_programs(request)
            try:
                source = self.source(request.path_params["state"])
                with source.open() as reader:
                    others = tuple(other for other in self.sources if other is not source)
                    found = view(PageRequest(request, source, reader, self.figures, others))
                    return self.respond(request, found, as_json=as_json)
            except HoldfastError as error:
                return self.say_error(request, error, as_json=as_json)

        return answer

    def respond(self, request: Request, found: ShownPage | Redirect | Response, *, as_json: bool) -> Response:
        """The answer in the form that was asked for."""
        if isinstance(found, Redirect):
            return Response(status_code=302, headers={"location": found.where})
        if isinstance(found, Response):
            return found
        if as_json:
            document = schema_of(found.schema).encode(found.value)
            answer = with_etag(request, json_body(document), "application/json")
        else:
            answer = with_etag(request, self.page(request, found), "text/html; charset=utf-8")
        if following := found.more.get("next_part"):
            where = request.url.include_query_params(after=following)
            answer.headers["link"] = f'<{where.path}?{where.query}>; rel="next"'
        return answer

    def page(self, request: Request, found: ShownPage, **more: Any) -> bytes:
        """A page as HTML."""
        state = request.path_params.get("state")
        context = {
            "title": found.title,
            "value": found.value,
            "state": state or (self.sources[0].name if len(self.sources) == 1 else None),
            "sources": self.sources,
            "now": datetime.now(UTC),
            "here": request.url.path,
            "json_address": _beside(request, ".json"),
            "actions": self.actions,
            "as_of": request.query_params.get("at", ""),
            "address": partial(address_at, request.query_params.get("at", "")),
            "address_here": _beside(request, ""),
            "next_part": None,
            "feed": None,
            "other_day": None,
            **found.more,
            **more,
        }
        return self._templates.get_template(found.template).render(context).encode("utf-8", "replace")

    def say_error(
        self, request: Request, error: HoldfastError, *, as_json: bool, wrong_call: int = 404
    ) -> Response:
        """What went wrong, in words."""
        status = wrong_call if error.exit_status is ExitStatus.USAGE else _STATUS.get(error.exit_status, 500)
        if as_json:
            return Response(
                json_body(schema_of("error").encode(error)), status, media_type="application/json"
            )
        shown = ShownPage("error.html", "error", error, "Not found" if status == 404 else "This did not work")
        return Response(self.page(request, shown, json_address=None), status, media_type="text/html")


def _beside(request: Request, ending: str) -> str:
    path = request.url.path
    query = request.url.query
    return (f"{path.rstrip('/') or '/index'}{ending}") + (f"?{query}" if query else "")


def json_body(document: Mapping[str, Any]) -> bytes:
    """A document as it is sent."""
    return (json.dumps(document, ensure_ascii=False, indent=1, default=str) + "\n").encode("utf-8", "replace")


def with_etag(request: Request, body: bytes, media_type: str) -> Response:
    """An answer that is not sent again to whoever has it."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if tag in [
        given.strip().removeprefix("W/") for given in request.headers.get("if-none-match", "").split(",")
    ]:
        return Response(status_code=304, headers={"etag": tag})
    return Response(body, headers={"etag": tag}, media_type=media_type)
