"""The addresses. `/s/NAME/…` is a state folder's; each has its JSON beside it, under the same address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from threading import Thread

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from holdfast.core.errors import HoldfastError, UsageError
from holdfast.faces.mcp.mounted import MountedServer
from holdfast.faces.web import actions, api, home, links, pages, runs, searching
from holdfast.faces.web.actions import ActionForms
from holdfast.faces.web.asking import Responder, Sources, View, is_for_programs
from holdfast.faces.web.guard import Access, Guard
from holdfast.faces.web.shown import environment

__all__ = ["VIEWS", "make_app"]

VIEWS: dict[str, View] = {
    "pages": home.pages,
    "page": pages.page,
    "history": pages.history,
    "page-links": pages.page_links,
    "diff": pages.diff,
    "search": searching.search,
    "runs": runs.runs,
    "runs/{run}": runs.run,
    "runs/{run}/read": runs.read,
    "changes": runs.changes,
    "links": links.links,
    "link": links.link,
    "documents": links.documents,
    "document": links.document,
    "graph": links.graph,
}
"""The pages of a state folder."""
_FILES: dict[str, View] = {
    "raw": pages.raw,
    "markdown": pages.markdown,
    "history.atom": pages.history_feed,
    "history.feed": pages.history_feed,
    "changes.atom": runs.changes_feed,
    "changes.feed": runs.changes_feed,
    "runs.atom": runs.runs_feed,
    "runs.feed": runs.runs_feed,
    "links.atom": links.links_feed,
    "links.feed": links.links_feed,
}


def make_app(sources: Sources, access: Access, forms: ActionForms | None = None) -> ASGIApp:
    """The server, guarded; nothing can be changed without `forms`."""
    responder = Responder(sources, environment(), forms)
    responder.figures.prepare()
    Thread(target=_prepare_search, args=(sources,), daemon=True).start()
    routes = [
        *(actions.routes(responder, forms) if forms else ()),
        *_routes(responder),
        *api.routes(responder),
        Mount("/static", StaticFiles(packages=[("holdfast.faces.web", "static")])),
    ]
    if find_spec("mcp") is not None:  # the extra `mcp`
        routes.append(Route("/mcp", MountedServer(sources, forms.runs if forms else None)))
    app = Starlette(
        routes=routes, exception_handlers={404: _not_found(responder), 405: _not_found(responder)}
    )
    return Guard(app, access)


def _prepare_search(sources: Sources) -> None:
    for source in sources:
        with suppress(HoldfastError):  # whoever searches is told
            source.prepare_search()


def _routes(responder: Responder) -> Iterator[BaseRoute]:
    yield Route("/", home.home(responder))
    yield Route("/index.json", home.home(responder))
    yield Route("/help", home.help_page(responder))
    yield Route("/as-of", home.as_of(responder))
    yield Route("/search", searching.everywhere(responder))
    yield Route("/search.json", searching.everywhere(responder))
    yield Route("/metrics", home.metrics(responder))
    yield Route("/web/{date}/{url:path}", pages.web(responder))
    # The longer address first: `runs/{run}.json` would take `runs/x/read.json` for a run otherwise.
    for name, view in sorted(VIEWS.items(), key=lambda pair: -len(pair[0])):
        yield Route(f"/s/{{state}}/{name}.json", responder.endpoint(view))
        yield Route(f"/s/{{state}}/{name}", responder.endpoint(view))
    for name, view in _FILES.items():
        yield Route(f"/s/{{state}}/{name}", responder.endpoint(view))


def _not_found(responder: Responder) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, _error: Exception) -> Response:
        as_json = is_for_programs(request)
        error = UsageError(
            f"there is nothing at {request.url.path}", hint="the first page lists what there is"
        )
        return responder.say_error(request, error, as_json=as_json)

    return answer
