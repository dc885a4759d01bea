"""A site on loopback that changes between requests: bodies, ETags, Last-Modified and `lastmod` by script.

    with LivingSite() as site:
        site.put("/a", "A", lastmod="2026-01-01")
        ...
        site.put("/a", "A, changed", lastmod="2026-02-01")

It remembers what it was asked, and whether the question was conditional. The sitemap lists the pages in the
order in which they were put; `unlist` takes one off the list and leaves the page.
"""

from __future__ import annotations

import hashlib
import html
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Resource:
    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200
    etag: str | None = None
    lastmod: str | None = None
    listed: bool = True
    headers: tuple[tuple[str, str], ...] = ()
    markdown: bytes | None = None


@dataclass
class Asked:
    path: str
    conditional: bool
    status: int
    accept: str = ""


class Listening(ThreadingHTTPServer):
    """Calls that come at once are queued, on a busy machine too: the standard's queue of five drops them."""

    request_queue_size = 128
    daemon_threads = True


@dataclass
class LivingSite:
    has_sitemap: bool = True
    etags: bool = True
    resources: dict[str, Resource] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    sitemap_status: int = 200
    sitemap_tail: str = "</urlset>"

    def __enter__(self):
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                site._answer(self)

            def log_message(self, *_):
                pass

        self._server = Listening(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def put(self, path, text="", *, lastmod=None, links=(), head="", body=None, **facts):
        """A page, or with `body` anything; its ETag is that of its bytes."""
        if body is None:
            items = "".join(
                f'<li><a href="{html.escape(link)}">{html.escape(link)}</a></li>' for link in links
            )
            body = (
                f"<!doctype html><html><head><title>{html.escape(path)}</title>{head}</head><body><main>"
                f"<h1>{html.escape(path)}</h1><p>{text}</p><ul>{items}</ul></main></body></html>"
            ).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"' if self.etags else None
        self.resources[path] = Resource(body, etag=etag, lastmod=lastmod, **facts)

    def change(self, path, **facts):
        self.resources[path] = replace(self.resources[path], **facts)

    def drop(self, path):
        del self.resources[path]

    def unlist(self, path):
        self.change(path, listed=False)

    def redirect(self, path, location):
        self.resources[path] = Resource(b"", status=301, headers=(("Location", location),))

    def forget_requests(self):
        self.asked.clear()

    @property
    def pages_asked(self):
        """Requests that are neither robots.txt nor a sitemap: (path, conditional, status)."""
        own = ("/robots.txt", "/sitemap", "/wp-sitemap")
        asked = [(a.path, a.conditional, a.status) for a in self.asked if not a.path.startswith(own)]
        return sorted(asked)  # requests under way together arrive in any order

    def _sitemap(self):
        rows = []
        for path, resource in self.resources.items():
            if resource.listed:
                date = f"<lastmod>{resource.lastmod}</lastmod>" if resource.lastmod else ""
                rows.append(f"<url><loc>{self.origin}{html.escape(path)}</loc>{date}</url>")
        head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        body = (head + "".join(rows) + self.sitemap_tail).encode()
        return Resource(body, "application/xml", self.sitemap_status)

    def _answer(self, request):
        path = request.path
        resource = self.resources.get(path)
        if path == "/sitemap.xml" and self.has_sitemap:
            resource = self._sitemap()
        conditional = "If-None-Match" in request.headers or "If-Modified-Since" in request.headers
        accept = request.headers.get("Accept", "")
        if resource is None:
            resource = Resource(b"<h1>Not found</h1>", status=404)
        if resource.markdown is not None and "text/markdown" in accept:
            resource = replace(resource, body=resource.markdown, type="text/markdown; charset=utf-8")
        same = resource.etag and request.headers.get("If-None-Match") == resource.etag
        status = 304 if same else resource.status
        self.asked.append(Asked(path, conditional, status, accept))
        body = b"" if same else resource.body
        request.send_response(status)
        if resource.etag:
            request.send_header("ETag", resource.etag)
        for name, value in resource.headers:
            request.send_header(name, value)
        if status != 304:
            request.send_header("Content-Type", resource.type)
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
