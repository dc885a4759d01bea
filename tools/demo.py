"""`make demo`: what Holdfast does, on a documentation site that everybody here has: its own.

The project's `docs/` become HTML, are served on loopback, and are mirrored; then one page changes, and the
mirror is updated, compared and verified. The folder is left for a look.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "demo-output"
SPELLINGS = (
    "HTTPS://Docs.Example.com:443/api//users/../users/create/?utm_source=mail#top",
    "https://docs.example.com/api/users/create",
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="canonical" href="{url}"></head><body><nav><a href="/">Holdfast</a></nav>
<main>{body}</main><footer>Served by tools/demo.py</footer></body></html>"""


def site(origin: str) -> dict[str, tuple[str, bytes]]:
    """The project's documentation as a site: paths to media type and body."""
    markdown = MarkdownIt("commonmark").enable("table")
    pages = {"/": ROOT / "README.md"}
    for file in sorted((ROOT / "docs").rglob("*.md")):
        pages[f"/{file.relative_to(ROOT).with_suffix('.html').as_posix()}"] = file
    found = {}
    for path, file in pages.items():
        text = file.read_text(encoding="utf-8")
        title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), file.stem)
        body = re.sub(r'(href="[^":]+)\.md(["#])', r"\1.html\2", markdown.render(text))
        page = PAGE.format(title=html.escape(title), url=origin + path, body=body)
        found[path] = ("text/html; charset=utf-8", page.encode())
    rows = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in found)
    listing = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    found["/sitemap.xml"] = ("application/xml", listing.encode())
    return found


@contextmanager
def served() -> Iterator[tuple[str, dict[str, tuple[str, bytes]]]]:
    """The site on loopback: its origin, and its pages, which may change while it is served."""
    found: dict[str, tuple[str, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        """Answers from memory."""

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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    origin = f"http://127.0.0.1:{server.server_port}"
    found.update(site(origin))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield origin, found
    finally:
        server.shutdown()


def show(*words: str) -> None:
    """Run a command as a person would, and show it."""
    print(f"\n$ holdfast {' '.join(words)}", flush=True)
    subprocess.run([sys.executable, "-m", "holdfast", *words], check=False, cwd=ROOT)


def tree(folder: Path, indent: str = "  ") -> Iterator[str]:
    """The files of a folder, as a person would draw them."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        yield f"{indent}{entry.name}{'/' if entry.is_dir() else ''}"
        if entry.is_dir():
            yield from tree(entry, indent + "  ")


def excerpt(text: str, lines: int) -> str:
    """The first lines of a text."""
    kept = [f"  {line[:110]}" for line in text.splitlines()[:lines]]
    return "\n".join([*kept, "  …"])


def living(origin: str, found: dict[str, tuple[str, bytes]]) -> None:
    """One page of the site changes; the mirror follows, says what changed, and answers for every byte."""
    path = "/docs/concepts/identity.html"
    kind, body = found[path]
    found[path] = (kind, body.replace(b"</main>", b"<p>This sentence was added this morning.</p></main>"))
    print("\n4. One page changes. An update asks each page whether it did, and fetches the one that did.")
    show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet", "--update")
    print("\n5. What changed, from ledger and archive: nothing is fetched.")
    show("diff", origin + path, "--state", f"{OUTPUT.name}/.holdfast")
    print("\n6. Folder, sidecars, manifest, ledger and archive agree, byte for byte.")
    show("verify", OUTPUT.name)


def main() -> None:
    """Show the main job."""
    began = time.monotonic()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    print("1. Many spellings, one place: the canonical URL, its key, and the rules that made it.")
    show("canon", "--explain", *SPELLINGS)
    with served() as (origin, found):
        print(f"\n2. A site of {len(found) - 1} pages, served at {origin}, becomes a folder of Markdown.")
        show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet")
        print("\n3. Started again, it asks for no page: what is done is done.")
        show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet")
        living(origin, found)
    rows = list(tree(OUTPUT))
    print(f"\n7. The folder {OUTPUT.name}/:\n" + "\n".join(rows[:24]) + ("\n  …" if len(rows) > 24 else ""))
    manifest = json.loads((OUTPUT / "_manifest.json").read_text(encoding="utf-8"))
    page = next(entry for entry in manifest["pages"] if entry["url"].endswith("/concepts/identity.html"))
    print(
        f"\n8. One page, {page['path']}:\n{excerpt((OUTPUT / page['path']).read_text(encoding='utf-8'), 14)}"
    )
    print("\n9. What _manifest.json says of it:\n" + excerpt(json.dumps(page, indent=2), 9))
    print(
        f"\n10. The table of contents, _index.md:\n{excerpt((OUTPUT / '_index.md').read_text('utf-8'), 14)}"
    )
    print(f"\n{time.monotonic() - began:.0f} s. Look at it: .venv/bin/holdfast serve {OUTPUT.name}")


if __name__ == "__main__":
    main()
