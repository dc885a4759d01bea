"""`make real-sites`: all of Debian's python3.11-doc and postgresql-doc-15, by sitemap and by links."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sites.command import mirror
from sites.completeness import check_mirror, linked_pages, listed_pages
from sites.debian import FOLDERS, doc_folder
from sites.static import serve_folder


def main() -> int:
    for package in FOLDERS:
        folder = doc_folder(package)
        if folder is None:
            print(f"{package}: cannot be downloaded here, skipped")
            continue
        for way in ("sitemap", "links"):
            with serve_folder(folder) as origin, tempfile.TemporaryDirectory() as work:
                began = time.monotonic()
                source = f"{origin}/pages.xml" if way == "sitemap" else f"{origin}/index.html"
                done = mirror(source, work, "--discover", way, "--quiet", "--workers", "0")
                seconds = time.monotonic() - began
                print(done.err.strip())
                (Path(work) / "_failed.log").unlink(
                    missing_ok=True
                )  # links that are dead in the package itself
                pages = listed_pages(folder) if way == "sitemap" else linked_pages(folder, "/index.html")
                check_mirror(Path(work), origin, pages)
            print(f"{package} by {way}: all {len(pages)} pages, none twice, {seconds:.1f} s\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
