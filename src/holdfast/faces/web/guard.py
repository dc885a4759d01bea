"""Who may ask, and the headers of every answer (SEC-5).

1. `Host` is an IP literal, `localhost` or the name that was given by `--bind`: a name that somebody pointed
   at this machine (DNS rebinding) is refused. On loopback it must be loopback.
2. `Origin`, where a browser sends one, is this server's own. A request that another site's page makes in the
   background (`Sec-Fetch-Site: cross-site`, not a navigation) is refused. What changes anything must name its
   origin and carry a form's secret (`faces.web.actions`).
3. On an address beyond loopback, and wherever something can be changed, a token is asked for: in the address
   once, then in a cookie; or as a bearer. It is compared in constant time.
4. Nothing of the outside may run, load or frame: the policy says so again, whatever a template does.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.base.values import dataclass

COOKIE: Final = "holdfast_token"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # `no-referrer` would hide the origin of our own forms, too
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "private, no-cache",
}
"""Of every answer, unless it has its own."""
RAW_HEADERS: Final = {
    "content-security-policy": (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    ),
    "x-frame-options": "SAMEORIGIN",
}
"""Of a response from the archive: a document without origin, scripts, forms and requests."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """Why a request is not answered."""

    status: int
    why: str


@dataclass(frozen=True, slots=True)
class Access:
    """What the server was started with: the address it is bound to, the token, if there is one."""

    host: str = "127.0.0.1"
    token: str | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can ask."""
        return _is_loopback(self.host)


def judge(access: Access, method: str, headers: Mapping[str, str]) -> RefusedRequest | None:
    """Whether a request comes from somebody who may ask; the token is looked at elsewhere."""
    host = headers.get("host", "")
    if not _is_own_host(access, host):
        return RefusedRequest(421, "this server does not answer to that name")
    origin = headers.get("origin")
    if origin is not None and not _is_own_origin(origin, host):
        return RefusedRequest(403, "a page of another site asked")
    fetch = headers.get("sec-fetch-site")
    if fetch in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
        return RefusedRequest(403, "a page of another site asked")
    if method not in _SAFE and fetch in ("cross-site", "same-site"):
        return RefusedRequest(403, "a page of another site asked")
    return None


def _is_own_host(access: Access, given: str) -> bool:
    try:
        name = urlsplit(f"//{given}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name == access.host.lower():
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback if access.is_loopback else True


def _is_own_origin(origin: str, host: str) -> bool:
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """The first to see a request, the last to see its answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let pass and add the headers."""
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        refusal = judge(self._access, scope["method"], headers)
        if refusal is not None:
            await _say(send, refusal)
        elif self._access.token is None or self._has_token(headers):
            await self._app(scope, receive, _with_headers(send))
        else:
            await self._ask_for_token(scope, send)

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        return self._is_token(given) or (cookie is not None and self._is_token(cookie.value))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), (self._access.token or "").encode())

    async def _ask_for_token(self, scope: Scope, send: Send) -> None:
        """The token in the address opens the door once and is taken out of it."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), "")
        if not self._is_token(given):
            await _say(send, RefusedRequest(401, "this needs the token that was printed at the start"))
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # One slash: `//host/` would be another site.
        where = "/" + quote(scope["path"].lstrip("/"), safe="/:@!$&'()*+,;=~") + (f"?{rest}" if rest else "")
        cookie = f"{COOKIE}={given}; Path=/; HttpOnly; SameSite=Lax"
        await _answer(send, 303, b"", {"location": where, "set-cookie": cookie})


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name. One that comes twice is none: whoever sends two hosts means to fool somebody."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        found[name] = "\0" if name in found and name in ("host", "origin") else value.decode("latin-1")
    return found


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return guarded


async def _say(send: Send, refusal: RefusedRequest) -> None:
    await _answer(send, refusal.status, f"{refusal.why}\n".encode(), {"content-type": "text/plain"})


async def _answer(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    every = {**HEADERS, **headers, "content-length": str(len(body))}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in every.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
