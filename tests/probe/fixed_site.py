"""The site that is mirrored and cited: made by code, the same bytes in every run, in three stages.

1 as it is first seen; 2 pages changed, moved, gone and new; 3 one changed again, one came back.
"""

# ruff: noqa: E501 # a line of a document stands in a line

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PORT = 47811
"""Drawn once: it is part of every URL, so of every key and of every name."""
ORIGIN = f"http://127.0.0.1:{PORT}"

PDF = b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
    "00ffff03000006000557bfabd40000000049454e44ae426082"
)
HOSTILE = "<script>alert(1)</script> \x1b[31m&amp; \u202e| `x` [a](b) # ' \" {{ 7*7 }}"
"""A title of characters that break terminals, Markdown, HTML and templates that do not look."""


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    day: str | None = None

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'


def page(title: str, body: str, *, head: str = "", language: str = "en", **rest: Any) -> Answer:
    text = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f'</head><body><nav><a href="/">Home</a> <a href="/guide/">Guide</a></nav><main><h1 id="top">{title}'
        f"</h1>{body}</main><footer>Made by code.</footer></body></html>"
    )
    return Answer(text.encode(), **rest)


def moved(target: str, status: int = 301) -> Answer:
    return Answer(status=status, headers=(("Location", target),))


TABLE = (
    "<table><thead><tr><th>limit</th><th>value</th></tr></thead><tbody><tr><td>requests</td><td>100 a minute"
    "</td></tr><tr><td>bytes</td><td>{size}</td></tr></tbody></table>"
)
CODE = '<pre><code class="language-python">import holdfast\n\nprint(holdfast.canon({number}))\n</code></pre>'


def _guide(number: int, words: str) -> Answer:
    return page(
        f"Guide {number}",
        f'<p>Guide number {number} tells of {words}.</p><h2 id="use">Use</h2><p>How to use {words}.</p>'
        f'{CODE.format(number=number)}<h2 id="next">Next</h2><p><a href="/guide/{number % 9 + 1}/">on</a>, '
        f'<a href="../../api/#limits">limits</a>.</p>',
        day=f"2026-04-{number:02d}",
    )


def _first() -> dict[str, Answer]:
    words = "anchors ballast capstans davits eyelets fairleads gunwales halyards ironwork".split()
    guides = {f"/guide/{i}/": _guide(i, words[i - 1]) for i in range(1, 10)}
    listed = "".join(f'<li><a href="/guide/{i}/">Guide {i}</a></li>' for i in range(1, 10))
    limits = f'<h2 id="limits">Limits</h2>{TABLE.format(size="64 KiB")}'
    route = '<h2 id="app.Holdfast.route">app.Holdfast.route(rule)</h2><p>Registers a rule.</p>'
    return guides | {
        "/": page(
            "Home",
            f'<p>Where everything begins.</p><ul>{listed}</ul><p><a href="/guide/">All</a> <a href="/api/">API</a> '
            '<a href="/ja/">日本語</a> <a href="/old">old</a> <a href="/twin.html">twin</a> <a href="/paper.pdf">'
            'paper</a> <a href="/hostile/">hostile</a> <a href="/missing/">missing</a> <a href="/hidden/">hidden'
            '</a> <a href="/private/x">private</a> <a href="/going/">going</a> <a href="/noindex/">noindex</a> '
            '<a href="/broken/">broken</a> <a href="/loop">loop</a> <a href="https://elsewhere.invalid/">out</a>'
            '</p><img src="/dot.png" alt="a dot">',
        ),
        "/guide/": page("Guide", f"<p>Nine parts.</p><ol>{listed}</ol>", day="2026-04-01"),
        "/api/": page("API", f"<p>What can be called.</p>{limits}{route}", day="2026-04-10"),
        "/ja/": page(
            "日本語のページ",
            '<p>識別子は変わりません。</p><h2 id="使い方">使い方</h2><p>読む。</p>',
            language="ja",
        ),
        "/hostile/": page(
            HOSTILE.replace("<", "&lt;"), '<p>A title that is not nice.</p><h2 id="q&quot;x">Q</h2>'
        ),
        "/twin.html": page(
            "Guide 1 again",
            "<p>A print version.</p>",
            head=f'<link rel="canonical" href="{ORIGIN}/guide/1/">',
        ),
        "/old": moved("/guide/1/"),
        "/soon": moved("/guide/2/", 302),
        "/loop": moved("/loop"),
        "/away": moved("/"),
        "/going/": page("Going", '<p>Here for now: moorings.</p><h2 id="why">Why</h2><p>It goes.</p>'),
        "/noindex/": page("Hidden", "<p>Not to be kept.</p>", head='<meta name="robots" content="noindex">'),
        "/broken/": Answer(b"the server is unwell", 500, "text/plain"),
        "/gone/": Answer(b"gone for good", 410, "text/plain"),
        "/login": Answer(b"who are you?", 401, "text/plain"),
        "/paper.pdf": Answer(PDF, type="application/pdf"),
        "/dot.png": Answer(PNG, type="image/png"),
        "/plain.txt": Answer(b"Plain words about moorings.\n", type="text/plain; charset=utf-8"),
        "/latin": Answer(
            "<title>Caf\xe9</title><p>Caf\xe9 ol\xe9".encode("latin-1"), type="text/html; charset=iso-8859-1"
        ),
        "/robots.txt": Answer(
            f"User-agent: *\nDisallow: /private/\nSitemap: {ORIGIN}/sitemap.xml\n".encode(), type="text/plain"
        ),
    }


def _second() -> dict[str, Answer]:
    was = _first()
    return was | {
        "/guide/2/": replace(_guide(2, "ballast of another kind"), day="2026-05-10"),
        "/guide/3/": moved("/guide/three/"),
        "/guide/three/": replace(_guide(3, "capstans"), day="2026-05-10"),
        "/guide/7/": Answer(b"not here", 404, "text/plain"),
        "/going/": Answer(b"gone", 410, "text/plain"),
        "/api/": page(
            "API",
            f'<p>What can be called.</p><h2 id="limits">Limits</h2>{TABLE.format(size="32 KiB")}<h2 id="errors">'
            "Errors</h2><p>New: what can go wrong.</p>"
            '<h2 id="app.Holdfast.route">app.Holdfast.route(rule)</h2><p>Registers a rule.</p>',
            day="2026-05-10",
        ),
        "/new/": page("New", "<p>Something new: oakum.</p>", day="2026-05-10"),
        "/": replace(was["/"], body=was["/"].body.replace(b"begins.", b'begins. <a href="/new/">new</a>')),
    }


def _third() -> dict[str, Answer]:
    was = _second()
    return was | {
        "/guide/2/": replace(_guide(2, "ballast of a third kind"), day="2026-05-17"),
        "/guide/7/": replace(_guide(7, "gunwales, back again"), day="2026-05-17"),
        "/broken/": page("Mended", "<p>The server is well.</p>"),
    }


@cache
def stage(number: int) -> dict[str, Answer]:
    """What the site answers, by path; its sitemap is made of what it has."""
    found = (_first, _second, _third)[number - 1]()
    rows = "".join(
        f"<url><loc>{ORIGIN}{path}</loc><lastmod>{each.day}</lastmod></url>"
        for path, each in sorted(found.items())
        if each.day and each.status == 200
    )
    map_of_it = (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    )
    return found | {"/sitemap.xml": Answer(map_of_it.encode(), type="application/xml")}


class FixedSite:
    """The site on loopback; `stage` is set from outside."""

    def __init__(self) -> None:
        self.stage = 1
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                answer = stage(site.stage).get(self.path.partition("?")[0])
                answer = answer or Answer(b"not here", 404, "text/plain")
                is_known = answer.status == 200 and self.headers.get("If-None-Match") == answer.etag
                body = b"" if is_known else answer.body
                self.send_response_only(304 if is_known else answer.status)
                self.send_header("Date", "Mon, 04 May 2026 08:00:00 GMT")
                self.send_header("Content-Type", answer.type)
                if answer.status == 200:
                    self.send_header("ETag", answer.etag)
                for name, value in answer.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET  # noqa: N815 # so the standard calls it

            def log_message(self, *_: object) -> None:
                pass

        class Listening(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """Who asked hung up: some calls do."""

        self._server = Listening(("127.0.0.1", PORT), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> FixedSite:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
