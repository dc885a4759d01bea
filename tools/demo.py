"""`make demo`: what Holdfast does, on a documentation site that everybody here has: its own.

The documentation is built as a site, served on loopback, and mirrored; then one page changes, and the mirror
is updated, compared and verified. The folder is left for a look.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from docs_site import Site, build, served

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "demo-output"
SPELLINGS = (
    "HTTPS://Docs.Example.com:443/api//users/../users/create/?utm_source=mail#top",
    "https://docs.example.com/api/users/create",
)


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


def living(origin: str, found: Site) -> None:
    """One page of the site changes; the mirror follows, says what changed, and answers for every byte."""
    path = "/concepts/identity/"
    kind, body = found[path]
    found[path] = (
        kind,
        body.replace(b"</article>", b"<p>This sentence was added this morning.</p></article>"),
    )
    print("\n4. One page changes. An update asks each page whether it did, and fetches the one that did.")
    show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet", "--update")
    print("\n5. What changed, from ledger and archive: nothing is fetched.")
    show("diff", origin + path, "--store", f"{OUTPUT.name}/.holdfast")
    print("\n6. Folder, sidecars, manifest, ledger and archive agree, byte for byte.")
    show("verify", OUTPUT.name)


def main() -> None:
    """Show the main job."""
    began = time.monotonic()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    print("1. Many spellings, one place: the canonical URL, its key, and the rules that made it.")
    show("url", "canon", "--explain", *SPELLINGS)
    found: Site = {}
    with served(found) as origin, tempfile.TemporaryDirectory() as folder:
        found |= build(Path(folder) / "site", origin)
        pages = sum(path.endswith("/") for path in found)
        print(f"\n2. A site of {pages} pages, served at {origin}, becomes a folder of Markdown.")
        show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet")
        print("\n3. Started again, it asks for no page: what is done is done.")
        show("mirror", f"{origin}/", "-o", OUTPUT.name, "--content-rate-limit", "0", "--quiet")
        living(origin, found)
    rows = list(tree(OUTPUT))
    print(f"\n7. The folder {OUTPUT.name}/:\n" + "\n".join(rows[:24]) + ("\n  …" if len(rows) > 24 else ""))
    manifest = json.loads((OUTPUT / "_manifest.json").read_text(encoding="utf-8"))
    page = next(entry for entry in manifest["pages"] if entry["url"].endswith("/concepts/identity"))
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
