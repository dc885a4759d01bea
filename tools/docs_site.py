"""The documentation as a site: built by zensical into `site/`, and served on loopback from memory.

`make docs-site` builds it, `make demo` mirrors it. A page may change while it is served.
"""

from __future__ import annotations

import hashlib
import mimetypes
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
Site = dict[str, tuple[str, bytes]]
"""Paths to media type and body."""


def build(folder: Path, origin: str) -> Site:
    """The project's documentation as the site at `origin`, made in a folder that is not there yet."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("strict: true\n", "", 1)
    (folder / "mkdocs.yml").write_text(f"site_url: {origin}/\n{settings}", encoding="utf-8")
    program = Path(sys.executable).parent / "zensical"
    ran = subprocess.run([program, "build"], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"zensical: {ran.stdout}{ran.stderr}")
    return dict(_files(folder / "site"))


def _files(folder: Path) -> Iterator[tuple[str, tuple[str, bytes]]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            path = "/" + file.relative_to(folder).as_posix().removesuffix("index.html")
            yield path, (mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes())


class _Server(ThreadingHTTPServer):
    """Whoever asks while all threads are busy waits in the queue: past the standard's five a call is dropped,
    and comes again a second later, and again.
    """

    request_queue_size = 128
    daemon_threads = True


@contextmanager
def served(found: Site) -> Iterator[str]:
    """The site on loopback: its origin."""

    class Handler(BaseHTTPRequestHandler):
        """Answers from memory, many questions on one connection."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            """One page, or none."""
            kind, body = found.get(self.path, ("text/plain", b""))
            etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            same = self.headers.get("If-None-Match") == etag
            self.send_response(304 if same else 200 if self.path in found else 404)
            self.send_header("ETag", etag)
            body = b"" if same else body
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: the mirror speaks."""

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
