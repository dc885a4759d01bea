"""`make real-sites`: all of Debian's python3.11-doc and postgresql-doc-15, by sitemap and by links; and, with
sqlite3-doc and sphinx-doc beside them, whether the mirrors read offline.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.sites.command import holdfast, mirror
from helpers.sites.completeness import check_mirror, linked_pages, listed_pages
from helpers.sites.debian import FOLDERS, ILLUSTRATED, doc_folder
from helpers.sites.offline import check_offline
from helpers.sites.static import serve_folder


def complete(package: str, folder: Path) -> None:
    """Every page is there, once, by either way of discovery."""
    for way in ("sitemap", "links"):
        with serve_folder(folder) as origin, tempfile.TemporaryDirectory() as work:
            began = time.monotonic()
            source = f"{origin}/pages.xml" if way == "sitemap" else f"{origin}/index.html"
            done = mirror(source, work, "--discover", way, "--quiet", "--processes", "0")
            seconds = time.monotonic() - began
            print(done.err.strip())
            (Path(work) / "_failed.log").unlink(missing_ok=True)  # links that are dead in the package itself
            pages = listed_pages(folder) if way == "sitemap" else linked_pages(folder, "/index.html")
            check_mirror(Path(work), origin, pages)
        print(f"{package} by {way}: all {len(pages)} pages, none twice, {seconds:.1f} s\n", flush=True)


def offline(package: str, folder: Path) -> None:
    """Every relative link and image of a mirror with local links and images is a file; it verifies."""
    with serve_folder(folder) as origin, tempfile.TemporaryDirectory() as work:
        began = time.monotonic()
        flags = ("--convert-links", "local", "--assets", "--llms-txt", "--quiet", "--processes", "0")
        done = mirror(f"{origin}/pages.xml", work, "--discover", "sitemap", *flags)
        seconds = time.monotonic() - began
        print(done.err.strip())
        read = check_offline(Path(work), origin, folder)
        verified = holdfast("verify", work)
        assert verified.status == 0, verified.out
    print(
        f"{package} offline: {read.pages} pages, {read.links} relative links and {read.images} images, each "
        f"of which is a file; {read.to_the_web} links and {read.images_on_the_web} images lead to what the "
        f"mirror cannot have; verified; {seconds:.1f} s\n",
        flush=True,
    )


def main() -> int:
    for package in (*FOLDERS, *ILLUSTRATED):
        folder = doc_folder(package)
        if folder is None:
            print(f"{package}: cannot be downloaded here, skipped")
            continue
        if package in FOLDERS:
            complete(package, folder)
        offline(package, folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
