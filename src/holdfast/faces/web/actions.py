"""Actions, where `--allow-actions` was given: start a run, follow it, stop it, ignore a link with a reason.

1. What changes something is a POST of a form that carries a secret of its own (`ActionForms.secret`), from a
   page of this server: `Origin` must be there and be ours. Without the flag there are no such addresses.
2. Everything works without JavaScript: a form, a redirect, a page that refreshes itself. With it the lines of
   a run come as they are said (server-sent events).
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from datetime import date
from typing import Final
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from holdfast import jobs
from holdfast.core.base.errors import HoldfastError, RefusedError, UsageError
from holdfast.core.base.shown_text import harmless
from holdfast.faces.web.request import PageRequest, Redirect, Responder, ShownPage, View
from holdfast.faces.web.shown import address
from holdfast.jobs.sync.acting import ActionList, StartableRun, StartedRun

_FORM: Final = "application/x-www-form-urlencoded"
_MOST: Final = 16_384
"""Bytes of a form."""
_LOOK: Final = 0.25
_STILL_HERE: Final = 15.0
_FOLLOWERS: Final = 32

Form = Mapping[str, str]
FormAction = Callable[[PageRequest, Form], Redirect]


class ActionForms:
    """Who does what was asked for, and the secret that its forms carry."""

    def __init__(self, runs: jobs.sync.acting.RunStarter) -> None:
        self.runs = runs
        self.followers = 0
        self._key = secrets.token_bytes(32)

    def secret(self, where: str) -> str:
        """What a form that is sent to an address carries: it opens that address and no other."""
        return hmac.new(self._key, where.encode(), "sha256").hexdigest()

    def check(self, request: Request, form: Form) -> None:
        """Refuse what no form of ours sent."""
        if request.headers.get("origin") is None:
            raise RefusedError("what changes something has to come from a page of this server")
        given = form.get("secret", "").encode()
        if not hmac.compare_digest(given, self.secret(request.url.path).encode()):
            raise RefusedError("this form is not of this server", hint="go back, load the page again")


def routes(responder: Responder, forms: ActionForms) -> Iterator[BaseRoute]:
    """The addresses of actions."""
    shown: dict[str, View] = {
        "actions": lambda ask: _list(forms, ask),
        "actions/{number:int}": lambda ask: _one(forms, ask),
    }
    for name, view in shown.items():
        yield Route(f"/s/{{state}}/{name}.json", responder.endpoint(view))
        yield Route(f"/s/{{state}}/{name}", responder.endpoint(view))
    yield Route("/s/{state}/actions/{number:int}/events", _events(responder, forms))
    changing: dict[str, FormAction] = {
        "actions/start": lambda ask, form: _start(forms, ask, form),
        "actions/{number:int}/stop": lambda ask, _: _stop(forms, ask),
        "ignore": _ignore,
    }
    for name, action in changing.items():
        yield Route(f"/s/{{state}}/{name}", _doing(responder, forms, action), methods=["POST"])


def _doing(
    responder: Responder, forms: ActionForms, action: FormAction
) -> Callable[[Request], Awaitable[Response]]:
    """An action as Starlette calls it: the form is read and checked, the action is done in a thread."""

    def do(request: Request, body: bytes) -> Response:
        try:
            form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
            forms.check(request, form)
            source = responder.source(request.path_params["state"])
            with source.open() as reader:
                done = action(PageRequest(request, source, reader, responder.figures), form)
            return Response(status_code=303, headers={"location": done.where})
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=False)

    async def answer(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MOST:
                return Response("a form is shorter", 413, media_type="text/plain")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            return Response("a form is sent as a form", 415, media_type="text/plain")
        return await run_in_threadpool(do, request, body)

    return answer


def _list(forms: ActionForms, ask: PageRequest) -> ShownPage:
    found = ActionList(_startable(ask), forms.runs.runs(ask.source))
    return ShownPage("actions.html", "actions", found, "Start a run")


def _startable(ask: PageRequest) -> tuple[StartableRun, ...]:
    labels = [mirror.label for mirror in ask.overview().mirrors]
    return jobs.sync.acting.startable_runs(ask.source, labels, ask.reader.documents())


def _number(ask: PageRequest) -> int:
    return int(ask.request.path_params["number"])


def _one(forms: ActionForms, ask: PageRequest) -> ShownPage:
    found = forms.runs.run(ask.source, _number(ask))
    return ShownPage("action.html", "action", found, f"{found.about}: {found.state}")


def _start(forms: ActionForms, ask: PageRequest, form: Form) -> Redirect:
    wanted = form.get("run", "")
    for run in _startable(ask):
        if run.name == wanted:
            number = forms.runs.start(ask.source, run, consent=form.get("consent") == "yes")
            return Redirect(address("s", ask.name, "actions", str(number)))
    raise UsageError("there is no such run to start", hint="the list of runs says what can be started")


def _stop(forms: ActionForms, ask: PageRequest) -> Redirect:
    number = _number(ask)
    forms.runs.stop(ask.source, number)
    return Redirect(address("s", ask.name, "actions", str(number)))


def _ignore(ask: PageRequest, form: Form) -> Redirect:
    url, until = form.get("url", ""), form.get("until", "")
    reason = " ".join(form.get("reason", "").split())
    if not ask.reader.backlinks(url).citations:
        raise UsageError("no document that is checked here cites it")
    if not reason:
        raise UsageError("an ignore needs a reason", hint="go back, and say why this link does not count")
    try:
        last_day = date.fromisoformat(until) if until else None
    except ValueError:
        raise UsageError(f"{until[:40]!r} is not a date", hint="such as 2027-01-31") from None
    jobs.sync.acting.ignore_url(ask.source, url, harmless(reason)[:500], last_day)
    return Redirect(address("s", ask.name, "link", url=url))


def _events(responder: Responder, forms: ActionForms) -> Callable[[Request], Awaitable[Response]]:
    """What a run says, as it says it."""

    async def answer(request: Request) -> Response:
        try:
            source = responder.source(request.path_params["state"])
            number = request.path_params["number"]
            forms.runs.run(source, number)
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=True)
        if forms.followers >= _FOLLOWERS:
            return Response("too many follow runs already", 503, media_type="text/plain")
        seen = request.headers.get("last-event-id", "")
        first = int(seen) + 1 if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0
        told = _told(forms, lambda: forms.runs.run(source, number), first)
        return StreamingResponse(told, media_type="text/event-stream")

    return answer


async def _told(forms: ActionForms, look: Callable[[], StartedRun], first: int) -> AsyncIterator[str]:
    """Lines from one on, how far it is, and how it ended; a sign of life where it says nothing."""
    forms.followers += 1
    waited, progress = 0.0, None
    try:
        while True:
            run = look()
            said = run.said
            for number, line in enumerate(said.lines, said.first):
                if number >= first:
                    yield f"id: {number}\ndata: {harmless(line)}\n\n"
                    first, waited = number + 1, 0.0
            if said.progress != progress and said.progress is not None:
                progress = said.progress
                yield f"event: progress\ndata: {json.dumps(progress)}\n\n"
            if run.status is not None:
                yield f"event: end\ndata: {run.state}\n\n"
                return
            if waited >= _STILL_HERE:
                waited = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(_LOOK)
            waited += _LOOK
    finally:
        forms.followers -= 1
