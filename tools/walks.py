"""How far a command walks through the package, traced: files, functions, and changes of file.

    python tools/walks.py [SOURCES]     with our sources, or those of another checkout (`…/src`)

1. One URL: a mirror of one page, from the start of its flight to the line that acknowledges it.
2. One document: `check` with consent, from the first call inside the job to the last.
3. A question: `broken --json`, whole.

Every call of a function with a name is counted, in all threads, but not in worker processes. The site is on
loopback. The figures are reported and asked of nobody.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Final

OURS: Final = Path(__file__).parents[1] / "src"
FLAGS: Final = "--allow-private --content-rate-limit 0"
PAGE: Final = b"<title>A page</title><main><h1>A page</h1><p>Words enough to be read.</main>"

Call = tuple[str, str]
"""A file of the package, and a function of it."""


def _is_flight(call: Call) -> bool:
    return call[0] == "jobs/mirror/crawl.py" and call[1] in ("Crawl._start", "Crawl._acknowledged")


def _is_job(call: Call) -> bool:
    return call[0].startswith(("jobs/check/", "jobs/track/"))


WALKS: Final[tuple[tuple[str, str, Callable[[Call], bool]], ...]] = (
    ("one URL", f"mirror {{site}} -o mirror --discover links --processes 1 {FLAGS}", _is_flight),
    ("one document", f"check note.md --fetch-urls {FLAGS}", _is_job),
    ("a question", "broken --json", lambda _: True),
)
"""What a walk is called, its command, and the calls of which the first and the last bound it."""


class _Site(BaseHTTPRequestHandler):
    """One page, and nothing else."""

    def do_GET(self) -> None:
        """Answer."""
        body = PAGE if self.path == "/" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def trace(sources: Path, words: list[str], out: Path) -> None:
    """Run a command of these sources in this process, and write down its calls."""
    inside, calls = f"{sources.resolve() / 'holdfast'}/", list[Call]()
    from holdfast.faces.cli.main import main as command  # noqa: PLC0415 - of the sources that were named

    def called(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_named = (
            code.co_flags & inspect.CO_OPTIMIZED and "<" not in code.co_name
        )  # no class body, no lambda
        if event == "call" and is_named and code.co_filename.startswith(inside):
            calls.append((code.co_filename.removeprefix(inside), code.co_qualname))

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        command(words)
    finally:
        sys.setprofile(None)
        out.write_text(json.dumps(calls))


def walk(sources: Path, folder: Path, words: str, bounds: Callable[[Call], bool]) -> list[Call]:
    """The calls of a command, run in a folder by a process of its own, from bound to bound."""
    out = folder / "calls.json"
    command = [sys.executable, __file__, "--trace", str(sources), str(out), *words.split()]
    places = {"PYTHONPATH": str(sources), "XDG_STATE_HOME": str(folder / "home")}
    subprocess.run(command, cwd=folder, env=os.environ | places, capture_output=True, check=False)
    calls = [(file, name) for file, name in json.loads(out.read_text())]
    ends = [number for number, call in enumerate(calls) if bounds(call)]
    return calls[ends[0] : ends[-1] + 1]


def main() -> None:
    """Print a table, a row for each walk."""
    sources = Path(*sys.argv[1:]).resolve() if sys.argv[1:] else OURS
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{site.server_port}/"
    print("| walk | files | functions | changes of file |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "note.md").write_text(f"[a page]({address}) [no page]({address}none)\n")
        for name, words, bounds in WALKS:
            calls = walk(sources, folder, words.format(site=address), bounds)
            files = [file for file, _ in calls]
            changes = sum(one != other for one, other in pairwise(files))
            print(f"| {name} | {len(set(files))} | {len(set(calls))} | {changes:,} |")
    site.shutdown()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        trace(Path(sys.argv[2]), sys.argv[4:], Path(sys.argv[3]))
    else:
        main()
