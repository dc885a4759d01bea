"""The addresses, and the server's socket and its life.

1. `/s/NAME/…` is a store's; each has its JSON beside it, under the same address.
2. The socket is bound before anything is promised, and ended by Ctrl-C.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from importlib.util import find_spec
from threading import Thread

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from holdfast import jobs
from holdfast.core.base.errors import FailedError, HoldfastError, UsageError
from holdfast.faces.mcp.mounted import MountedServer
from holdfast.faces.web import actions, api, home, link_pages, page_pages, run_pages
from holdfast.faces.web import run_pages as runs
from holdfast.faces.web.actions import ActionForms
from holdfast.faces.web.guard import Access as Access  # noqa: PLC0414 - whoever starts the server says who may ask
from holdfast.faces.web.guard import Guard
from holdfast.faces.web.request import Responder, Sources, View, is_for_programs
from holdfast.faces.web.shown import environment

VIEWS: dict[str, View] = {
    "pages": home.pages,
    "page": page_pages.page,
    "history": page_pages.history,
    "page-links": page_pages.page_links,
    "diff": page_pages.diff,
    "search": run_pages.search,
    "runs": runs.runs,
    "runs/{run}": runs.run,
    "runs/{run}/read": runs.read,
    "changes": runs.changes,
    "links": link_pages.links,
    "link": link_pages.link,
    "documents": link_pages.documents,
    "document": link_pages.document,
    "graph": link_pages.graph,
}
"""The pages of a store."""
_FILES: dict[str, View] = {
    "raw": page_pages.raw,
    "markdown": page_pages.markdown,
    "history.atom": page_pages.history_feed,
    "history.feed": page_pages.history_feed,
    "changes.atom": runs.changes_feed,
    "changes.feed": runs.changes_feed,
    "runs.atom": runs.runs_feed,
    "runs.feed": runs.runs_feed,
    "links.atom": link_pages.links_feed,
    "links.feed": link_pages.links_feed,
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
    yield Route("/search", run_pages.everywhere(responder))
    yield Route("/search.json", run_pages.everywhere(responder))
    yield Route("/metrics", home.metrics(responder))
    yield Route("/web/{date}/{url:path}", page_pages.web(responder))
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


def listen(host: str, port: int) -> socket.socket:
    """A socket that others can connect to."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        is_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
        hint = "--port 0 takes a free one" if is_port else "--bind names an address of this machine"
        why = (error.strerror or str(error)).partition(" (while")[0]  # what Python adds is said already
        raise FailedError(f"{host}:{port} cannot be used: {why}", hint=hint) from error


class _Announced(uvicorn.Server):
    """A server that says when it answers. From then on Ctrl-C is noted; before, while modules are imported,
    Python may lose it.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets=sockets)
        self._announce()


def serve(
    sources: Sources,
    access: Access,
    bound: socket.socket,
    announce: Callable[[], None],
    runs: jobs.sync.acting.RunStarter | None = None,
) -> None:
    """Answer until somebody says to stop; `runs` are those that may be started here, and end with it."""
    config = uvicorn.Config(
        make_app(sources, access, ActionForms(runs) if runs is not None else None),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=15,
        lifespan="off",
        ws="none",
    )
    with closing(runs) if runs is not None else nullcontext(), suppress(KeyboardInterrupt):
        jobs.running.run(_Announced(config, announce).serve(sockets=[bound]))
