"""The search index at a hundred thousand sections: how long it takes to build, to ask, and how large it is.

    python bench/search.py [--sections N]

The sections are those of the manuals that quality/search.py asks about, as often as it takes, each time
under other addresses and with a word of its own in every section. Questions are theirs, and the commonest
words. Times are CPU seconds of this process.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "quality"))

from corpus import PACKAGES
from holdfast.core.base.hashing import url_key
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.search_terms import IndexedPage, IndexMark
from holdfast.core.url.url import Place
from holdfast.questions.search import search
from holdfast.storage.sqlite.search_index import SearchIndex, open_search
from search import MANUALS, questions, read

RESULTS = Path(__file__).with_name("results")
COMMON = ("the", "function", "value of the", "return", "file", "list of options", "set", "python", "type")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sections", type=int, default=100_000)
    args = parser.parse_args()
    pages = [page for package in PACKAGES if package.name in MANUALS for page in read(package)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.db"
        index = open_search(path)
        figures = build(index, pages, args.sections)
        figures["index"] = round(path.stat().st_size / figures.pop("bytes"), 3)
        asked = [question.text for question in questions(pages, 191)]
        figures |= ask(index, [*asked, *COMMON])
        index.close()
    print(json.dumps(figures))
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "search.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"bench": "search", **figures}) + "\n")


def build(index: SearchIndex, pages: list[IndexedPage], wanted: int) -> dict[str, float]:
    """Fill an index, a group of pages at a time, as catching up does."""
    mark, count, size, spent = None, 0, 0, 0.0
    group: list[IndexedPage] = []
    for number, page in enumerate(cycle(pages)):
        copy = again(page, number)
        group.append(copy)
        count += len(copy.sections or ())
        size += sum(len(section.text.encode()) for section in copy.sections or ())
        if len(group) == 64 or count >= wanted:
            after = IndexMark("", 0, number + 1, None)
            began = time.process_time()
            assert index.add(mark, group, after)
            spent += time.process_time() - began
            mark, group = after, []
        if count >= wanted:
            break
    return {
        "sections": count,
        "build seconds": round(spent, 2),
        "bytes": size,
        "text MB": round(size / 1e6, 1),
    }


def again(page: IndexedPage, number: int) -> IndexedPage:
    """The same page elsewhere, saying something of its own."""
    url = page.place.url.replace("manual.invalid", f"manual{number // 1000}.invalid") + f"?{number}"
    sections = tuple(
        section._replace(text=f"{section.text} w{number}", content=section_hash(f"{section.text} {number}"))
        for section in page.sections or ()
    )
    return page._replace(place=Place(url, url_key(url), url_key(url)), sections=sections)


def ask(index: SearchIndex, asked: list[str]) -> dict[str, float]:
    """Every question three times; the fastest of the three counts, since others use this machine too."""
    times = []
    for text in asked:
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            search(index, text)
            best = min(best, time.process_time() - began)
        times.append((best * 1000, text))
    times.sort()
    at = len(times) - 1
    return {
        "median ms": round(times[at // 2][0], 2),
        "p99 ms": round(times[round(at * 0.99)][0], 2),
        "worst": f"{times[-1][0]:.1f} ms: {times[-1][1]}",
        "questions": len(times),
    }


if __name__ == "__main__":
    main()
