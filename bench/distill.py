"""Pages a second on one core, beside the peers, in one run: whole page in, Markdown out.

    python bench/distill.py [PAGES]     pages of each package (4), downloaded to `quality/work/`

Holdfast also makes the normalized text, its hash, the links, headings and warnings in that time; `python` is
the same by the reference, without the native reader. Rounds alternate, so that a busy machine is busy for
everyone; the fastest round of each counts, in CPU time. The garbage collector is set as workers set it.
"""

import gc
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "quality"))

from converters import holdfast, peers  # noqa: E402 - the harness is a folder of scripts
from corpus import PACKAGES, sample  # noqa: E402 - as above
from figures import Figure, keep  # noqa: E402 - as above
from holdfast.core.page import rust_reader  # noqa: E402 - as above
from holdfast.jobs.extras import page_reader  # noqa: E402 - as above

FLOOR = 7.0
"""How many times as fast as markdownify."""
AHEAD = 1.4
"""How many times as fast as html-to-markdown, the quickest peer, it should be."""
MEMORY = 18
ROUNDS = 5
CLOSE = ("holdfast", "html-to-markdown")
"""Those that are close to each other take part in every round, the others in one."""


def spent(convert, pages):
    started = time.process_time()
    for page in pages:
        convert(page)
    return time.process_time() - started


def for_all(pages, functions):
    """The pages that everybody can do; who fails at which is said."""
    left = []
    for page in pages:
        failing = [name for name, function in functions.items() if not can(function, page)]
        if failing:
            print(f"left out, since {', '.join(failing)} cannot do it: {page.path}", file=sys.stderr)
        else:
            left.append(page)
    return left


def can(function, page):
    try:
        function(page)
    except Exception:  # noqa: BLE001 - whatever a peer raises
        return False
    return True


def by_reference(page):
    built, rust_reader.READER = rust_reader.READER, None
    try:
        return holdfast(page)
    finally:
        rust_reader.READER = built


def memory_ratio(pages):
    """By how many times its size a process that has read others grows while it reads the largest page."""
    *others, largest = sorted(pages, key=lambda page: len(page.body))
    for page in others[:30]:
        holdfast(page)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    before = resident("VmRSS")
    holdfast(largest)
    return (resident("VmHWM") - before) / len(largest.body)


def resident(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    pages = [page for package in PACKAGES if package.tuning for page in sample(package, count, fresh=False)]
    if not pages:
        sys.exit("no documentation package could be downloaded: nothing to measure")
    gc.set_threshold(100_000, 20, 20)
    functions = {"holdfast": holdfast, "python": by_reference, **peers()}
    if "markdownify" not in functions:
        sys.exit("markdownify is not installed: there is nothing to compare with")
    best = dict.fromkeys(functions, float("inf"))
    memory = memory_ratio(pages)
    pages = for_all(pages, functions)
    for number in range(ROUNDS):
        for name, function in functions.items():
            if number == 0 or name in CLOSE:
                best[name] = min(best[name], spent(function, pages))
    size = sum(len(page.body) for page in pages)
    print(f"{len(pages)} pages, {size / len(pages) / 1000:.0f} KB each, one core; × markdownify\n")
    for name, seconds in sorted(best.items(), key=lambda row: row[1]):
        rate, ratio = len(pages) / seconds, best["markdownify"] / seconds
        print(
            f"  {name:<18}{rate:8.1f} pages/s  {size / seconds / 1e6:6.2f} MB/s  {ratio:6.2f} × markdownify"
        )
    ours = best["holdfast"]
    print(f"\nreader: {page_reader()}; Python's collector is set as in workers")
    figures = [
        Figure("distilling", best["markdownify"] / ours, "× markdownify", FLOOR),
        Figure("distilling, the reference in Python", best["python"] / ours, "× its time"),
        Figure(
            "memory for the largest page",
            memory,
            "× its size",
            most=MEMORY,
        ),
    ]
    if "html-to-markdown" in best:
        ahead = best["html-to-markdown"] / ours
        figures.insert(1, Figure("distilling", ahead, "× html-to-markdown", AHEAD))
    missing = sorted({"html-to-markdown", "html2text", "trafilatura"} - best.keys())
    keep("distill", figures, {"pages": len(pages), "bytes": size, "seconds": best}, missing)


if __name__ == "__main__":
    main()
