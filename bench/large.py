"""Large mirrors: what a page costs as a mirror grows, and how much memory commands take that go over it.

    python bench/large.py make FOLDER PAGES…    mirror generated sites of so many pages
    python bench/large.py ask FOLDER PAGES…     verify, rebuild, gc and others on those mirrors

A site has the same port for the same number: a mirror that was cut off is gone on with. CPU seconds are of
the command and its workers; peak memory is of its largest process. The sites are on loopback; what was
made stays in FOLDER.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from helpers.sites.server import Reply, Site, page, sitemap  # noqa: E402 - after the path is set
from helpers.sites.tangled import prose  # noqa: E402 - as above

PORT = 20_000
LINKS, MISSING, A_LIST = 10, 50, 50_000
ASKED = {
    "verify": ["verify", "."],
    "rebuild": ["restore", "."],
    "gc": ["store", "prune"],
    "reopening": ["mirror", "http://127.0.0.1:9/", "-o", ".", "--max-pages", "1", "--quiet"],
    "search": ["search", "words", "."],
    "export": ["export", "."],
    "changes": ["changes", ".", "--limit", "10"],
}


@dataclass(frozen=True)
class Cost:
    """What a command took: processor seconds, seconds, peak of its largest process in MB, its exit status."""

    cpu: float
    seconds: float
    peak: float
    status: int


def run(words: list[str], folder: Path, log: Path) -> Cost:
    """Run Holdfast in a folder."""
    began = time.perf_counter()
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", *words], cwd=folder, stdout=out, stderr=out
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    cpu = used.ru_utime + used.ru_stime
    return Cost(cpu, time.perf_counter() - began, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))


def site_of(pages: int) -> Site:
    """Pages of 60 words of their own, with ten links each to others; one in fifty is not there."""

    def answer(target: str) -> Reply | None:
        if not target.startswith("/p/"):
            return None
        number = int(target.rpartition("/")[2])
        if number % MISSING == MISSING - 1:
            return None
        others = [(number * (step + 2) + step) % pages for step in range(LINKS)]
        return page(f"Page {number}", text=prose(number), links=[path_of(other) for other in others])

    return Site({}, fallback=answer)


def path_of(number: int) -> str:
    return f"/p/{number // 100}/{number}"


def make(folder: Path, pages: int) -> Cost:
    """Mirror a site of so many pages."""
    site, output = site_of(pages), folder / str(pages)
    output.mkdir(parents=True, exist_ok=True)
    with site.serve(PORT + pages % 10_007) as origin:
        lists = [range(first, min(first + A_LIST, pages)) for first in range(0, pages, A_LIST)]
        names = "".join(f"<sitemap><loc>{origin}/list-{n}.xml</loc></sitemap>" for n in range(len(lists)))
        site.answers["/sitemap.xml"] = Reply(f"<sitemapindex>{names}</sitemapindex>".encode())
        for number, part in enumerate(lists):
            site.answers[f"/list-{number}.xml"] = sitemap([origin + path_of(n) for n in part])
        site.answers["/robots.txt"] = Reply(b"", type="text/plain")
        words = ["mirror", f"{origin}/sitemap.xml", "-o", ".", "--content-rate-limit", "0", "--quiet"]
        return run(words, output, folder / f"{pages}.log")


def main() -> int:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("make", "ask"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", type=int, nargs="+")
    parser.add_argument("--only", action="append", choices=ASKED)
    asked = parser.parse_args()
    if asked.what == "make":
        for pages in asked.pages:
            show("mirror", pages, make(asked.folder, pages))
        return 0
    for name in asked.only or ASKED:
        for pages in asked.pages:
            cost = run(ASKED[name], asked.folder / str(pages), asked.folder / f"{pages}.log")
            show(name, pages, cost)
    return 0


def show(name: str, pages: int, cost: Cost) -> None:
    each = f"{1e6 * cost.cpu / pages:8,.0f} µs of CPU a page"
    print(
        f"{name:16} {pages:8,} pages {each} {cost.seconds:8.1f} s {cost.peak:8.1f} MB, status {cost.status}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
