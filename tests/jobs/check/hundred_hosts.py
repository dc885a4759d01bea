"""A web of about a hundred hosts by script: every way to answer, or not to, that a link checker meets.

Each case is a host of its own on loopback (127.0.1.n), with what Holdfast must say of it: its state, whether
it may count as dead, and words that its report must have. Only what says "there is no such page" twice may be
dead.
"""

from __future__ import annotations

import asyncio
import gzip
import threading
from contextlib import contextmanager
from typing import NamedTuple

from helpers.faults.server import CLOSE, RESET, FaultServer, Pause, response

HTML = "Content-Type: text/html; charset=utf-8"
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nhalf"
ZIPPED = "Content-Encoding: gzip"
PAGE = b"<html><head><title>T</title></head><body><main><h1 id=here>T</h1><p>%s</p></main></body></html>"
WORDS = b"These are the words of a page that somebody cites, and there are enough of them to be read. " * 4


class Case(NamedTuple):
    """What a host answers, the state of its link, and what the report says of it."""

    name: str
    script: object
    state: str
    words: str = ""
    is_dead: bool = False
    fragment: str = ""


def said(status, *fields, body=b""):
    return (response(body, status, *fields),)


def page(text=WORDS, *fields, status="200 OK"):
    return said(status, HTML, *fields, body=PAGE % text)


def to(location, status="301 Moved"):
    return said(status, f"Location: {location}")


_REFUSED = (
    400, 405, 406, 409, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 431, 451,
)  # fmt: skip
_FAILED = (500, 501, 502, 503, 505, 506, 507, 508, 510, 511, 520, 525, 530)
_STATUSES = [
    *((code, "ok", "") for code in (200, 201, 203, 206)),
    (202, "bot_blocked", "programs"),
    *((code, "auth_required", str(code)) for code in (401, 402, 403, 407)),
    *((code, "refused", str(code)) for code in _REFUSED),
    *((code, "server_error", str(code)) for code in _FAILED),
    (408, "timeout", ""),
    (504, "timeout", ""),
    (999, "bot_blocked", "programs"),
]

CASES = [
    Case("missing", said("404 Not Found"), "not_found", "404", is_dead=True),
    Case("gone", said("410 Gone"), "gone", "410", is_dead=True),
    Case("moved-to-missing", to("/none"), "not_found", "404", is_dead=True),
    *(Case(f"status-{code}", page(status=f"{code} Some"), state, words) for code, state, words in _STATUSES),
    Case("missing-once", [said("404 Not Found"), page()], "ok"),
    Case("gone-once", [said("410 Gone"), page()], "ok"),
    Case("failing-once", [said("500 Oh"), page()], "ok"),
    Case("reset-once", [(RESET,), (RESET,), page()], "ok"),
    Case("permanent", to("/fine"), "moved_permanent"),
    Case("permanent-308", to("/fine", "308 Permanent Redirect"), "moved_permanent"),
    *(Case(f"temporary-{code}", to("/fine", f"{code} Found"), "moved_temporary") for code in (302, 303, 307)),
    Case("chain", to("/hop"), "moved_temporary"),
    Case("loop", to("/loop-itself"), "server_error", "redirect loop"),
    Case("endless", to("/endless/1"), "server_error", "too many redirects"),
    Case("nowhere", said("301 Moved"), "server_error", "leads nowhere"),
    Case("to-mail", to("mailto:a@b.c"), "unsupported", ""),
    Case("to-secure", to("https://127.0.1.250:1/"), "connect_error", "refused"),
    Case("nothing", (b"HTTP/1.1 204 No Content\r\n\r\n",), "ok"),
    Case("slow", (Pause(0.8), *page()), "ok"),
    Case("bearer", said("401 Unauthorized", "WWW-Authenticate: Bearer"), "auth_required", "login"),
    Case("ratelimit-header", said("403 Forbidden", "Retry-After: 60"), "rate_limited", "fewer"),
    Case("to-login", to("/login"), "moved_permanent", "login"),
    Case("soft-missing", page(b"Page not found. The page you requested could not be found."), "ok", ""),
    Case("challenge", page(b"/cdn-cgi/challenge-platform/", status="403 F"), "bot_blocked"),
    Case("challenge-503", page(b"/cdn-cgi/challenge-platform/", status="503 S"), "bot_blocked"),
    Case("challenge-header", page(WORDS, "cf-mitigated: challenge"), "bot_blocked", "cf-mitigated"),
    Case("waf", page(WORDS, "x-amzn-waf-action: captcha", status="405 M"), "bot_blocked", "waf"),
    Case("limited", said("429 Too Many", "Retry-After: 3600"), "rate_limited", "fewer"),
    Case("limited-403", said("403 Forbidden", "X-RateLimit-Remaining: 0"), "rate_limited", "fewer"),
    Case("busy", said("503 Busy", "Retry-After: 3600"), "server_error", ""),
    Case("section", page(), "ok", fragment="here"),
    Case("no-section", page(), "ok", "section", fragment="not-here"),
    Case("line-number", page(), "ok", fragment="L12"),
    Case("route", page(), "ok", fragment="/a/b"),
    Case("user-content", page(), "ok", fragment="user-content-here"),
    Case("text-fragment", page(), "ok", fragment=":~:text=somebody%20cites"),
    Case("no-text", page(), "ok", "words", fragment=":~:text=nobody%20ever%20wrote"),
    Case("zipped", said("200 OK", HTML, ZIPPED, body=gzip.compress(PAGE % WORDS)), "ok"),
    Case("bad-zip", said("200 OK", HTML, ZIPPED, body=b"junk"), "server_error", "decompressed"),
    Case("cut", (HALF, CLOSE), "server_error", "broke off"),
    Case("garbage", (b"\x00\x01\x02 this is not HTTP\r\n\r\n", CLOSE), "server_error", "not HTTP"),
    Case("reset", (RESET,), "connect_error", "broke"),
    Case("hangs-up", (CLOSE,), "connect_error", "broke"),
    Case("silent", (Pause(30),), "timeout", "in time"),
    Case("falls-silent", (HALF, Pause(30)), "timeout", "silent"),
    Case("no-length", (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE % WORDS, CLOSE), "ok"),
    Case("chunked", (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n0\r\n\r\n",), "ok"),
    Case("early-hints", (b"HTTP/1.1 103 Early Hints\r\n\r\n" + response(b"ok"),), "ok"),
    Case("empty", said("200 OK"), "ok"),
    Case("pdf", said("200 OK", "Content-Type: application/pdf", body=b"%PDF-1.4"), "ok"),
    Case("image", said("200 OK", "Content-Type: image/png", body=b"\x89PNG"), "ok"),
    Case("odd-charset", said("200 OK", "Content-Type: text/html; charset=odd", body=PAGE % WORDS), "ok"),
    Case("cookie-wall", to("/cookie", "302 Found\r\nSet-Cookie: seen=1"), "moved_temporary"),
    Case("header-flood", said("200 OK", f"X: {'a' * 90_000}"), "too_large", "header"),
]  # fmt: skip

COMMON = {
    "/fine": page(),
    "/hop": to("/fine", "302 Found"),
    "/none": said("404 Not Found"),
    "/loop-itself": to("/loop-itself"),
    "/login": page(b"<form>Log in <input name=u> <input type=password name=p></form>"),
    "/cookie": page(),
    **{f"/endless/{n}": to(f"/endless/{n + 1}") for n in range(1, 40)},
}


@contextmanager
def hundred_hosts():
    """The web, while the block runs; yields the URL of each case."""
    scripts = {**COMMON, **{f"/{case.name}": case.script for case in CASES}}
    urls, ready, held = {}, threading.Event(), []

    async def serve():
        done = asyncio.Event()
        async with FaultServer(scripts) as server:
            hosts = [f"127.0.1.{n}" for n in range(1, len(CASES) + 1)]
            others = await asyncio.start_server(server._serve, hosts, server.port, limit=1 << 20)
            for host, case in zip(hosts, CASES, strict=True):
                fragment = f"#{case.fragment}" if case.fragment else ""
                urls[case.name] = f"http://{host}:{server.port}/{case.name}{fragment}"
            held.extend((asyncio.get_running_loop(), done))
            ready.set()
            await done.wait()
            others.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    loop, done = held
    try:
        yield urls
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
