"""Pages a second on one core, beside the peers, in one run: whole page in, Markdown out.

    python bench/distill.py [PAGES]     pages of each package (4), downloaded to `quality/work/`

Holdfast also makes the normalized text, its hash, the links, headings and warnings in that time. Rounds
alternate, so that a busy machine is busy for everyone; the fastest round of each counts, in CPU time.
"""

import json
import os
import sys
import time
import tracemalloc
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "quality"))

from converters import capture_of, holdfast, peers  # noqa: E402 - the harness is a folder of scripts
from corpus import PACKAGES, sample  # noqa: E402 - as above

FLOOR, AIM = 7.0, 12.0
ROUNDS = 5


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


def memory_ratio(pages):
    """The largest peak of traced memory, the parser's included, over the page's size."""
    worst = 0.0
    for page in pages:
        capture_of(page)
        tracemalloc.start()
        holdfast(page)
        worst = max(worst, tracemalloc.get_traced_memory()[1] / len(page.body))
        tracemalloc.stop()
    return worst


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    pages = [page for package in PACKAGES if package.tuning for page in sample(package, count, fresh=False)]
    if not pages:
        sys.exit("no documentation package could be downloaded: nothing to measure")
    functions = {"holdfast": holdfast, **peers()}
    if "markdownify" not in functions:
        sys.exit("markdownify is not installed: there is nothing to compare with")
    best = dict.fromkeys(functions, float("inf"))
    pages = for_all(pages, functions)
    for number in range(ROUNDS):
        for name, function in functions.items():
            if number < 2 or name in ("holdfast", "markdownify"):
                best[name] = min(best[name], spent(function, pages))
    size = sum(len(page.body) for page in pages)
    print(f"{len(pages)} pages, {size / len(pages) / 1000:.0f} KB each, one core; × markdownify\n")
    for name, seconds in sorted(best.items(), key=lambda row: row[1]):
        rate, ratio = len(pages) / seconds, best["markdownify"] / seconds
        print(
            f"  {name:<18}{rate:8.1f} pages/s  {size / seconds / 1e6:6.2f} MB/s  {ratio:6.2f} × markdownify"
        )
    ratio = best["markdownify"] / best["holdfast"]
    print(f"\n{ratio:.2f} × markdownify; floor {FLOOR}: {'held' if ratio >= FLOOR else 'MISSED'}; aim {AIM}")
    memory = memory_ratio([page for page in pages if len(page.body) > 50_000][:20])
    print(f"peak of traced memory, lexbor's tree included: at most {memory:.1f} × the page; asked for 12")
    results = ROOT / "bench" / "results"
    results.mkdir(exist_ok=True)
    line = {"pages": len(pages), "bytes": size, "seconds": best, "memory_ratio": round(memory, 2)}
    with (results / "distill.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
