"""Does `holdfast search` find what somebody knows is there? Known-item questions on real manuals.

python quality/search.py [--misses]

Two hundred questions are made of three of Debian's manuals, by the hash of the sections, so that nobody
chooses: an API name, a heading, the middle of a sentence, each of which only one section of its manual has.
The figure is the mean reciprocal rank of that section among the first ten. The order was tuned on the
first manual alone; the others are the test.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import zip_longest
from typing import NamedTuple

from corpus import PACKAGES, Package, prepare
from holdfast.core.base.hashing import url_key
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.search_terms import IndexedPage, IndexMark, word_key
from holdfast.core.page.section import section_id
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place, Url
from holdfast.core.web.capture import Capture
from holdfast.questions.search import search
from holdfast.storage.sqlite.search_index import SearchIndex, open_search

TUNED = "postgresql-doc-15"
MANUALS = (TUNED, "python3.11-doc", "git-doc")
QUESTIONS = 200
FLOOR = 0.85
DEEP = 10
_NOISE = re.compile(r"(^|/)(genindex|search|py-modindex|contents|bookindex|_sources)")
_RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
_OPTIONS = DistillOptions(glance=True, outline=True)
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Question(NamedTuple):
    """What is asked, of which kind it is, and the id of the section that answers."""

    kind: str
    text: str
    answer: str


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--misses", action="store_true", help="show what was not found first")
    args = parser.parse_args()
    packages = [package for package in PACKAGES if package.name in MANUALS]
    figures: dict[str, float] = {}
    for package in sorted(packages, key=lambda package: MANUALS.index(package.name)):
        pages = list(read(package))
        if not pages:
            print(f"{package.name} could not be had", file=sys.stderr)
            return 1
        index = open_search(None)
        index.add(None, pages, IndexMark("", 0, len(pages), None))
        asked = questions(pages, QUESTIONS // len(MANUALS) + 1)
        figures[package.name] = judge(package.name, index, asked, misses=args.misses)
        index.close()
    return int(any(figure < FLOOR for name, figure in figures.items() if name != TUNED))


def read(package: Package) -> Iterator[IndexedPage]:
    """The pages of a manual, cut into sections; no generator's noise, no page twice."""
    folder = prepare(package)
    seen = set()
    for path in sorted(folder.rglob("*.html")) if folder else ():
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file() or _NOISE.search(name):
            continue
        url = Url("http", "manual.invalid", None, f"/{name}", None)
        body = path.read_bytes()
        page = distill(
            Capture(url, url, 200, (("content-type", "text/html"),), body, _NOW), _RECIPE, _OPTIONS
        )
        if page.content_sha256 not in seen:
            seen.add(page.content_sha256)
            key = url_key(url.href)
            place = Place(url.href, key, key)
            yield IndexedPage(
                place,
                page.title,
                page.content_sha256,
                _NOW,
                is_mirrored=True,
                sections=page.structure.outline,
            )


def questions(pages: list[IndexedPage], count: int) -> list[Question]:
    """As many of each kind as there are, in turn, in the order of their hashes."""
    kinds: dict[str, list[Question]] = {"name": [], "heading": [], "sentence": []}
    for page in pages:
        for section in page.sections or ():
            answer = section_id(page.place.key, section.anchor)
            if section.name:
                kinds["name"].append(Question("name", section.name, answer))
            elif section.path and section.anchor:
                kinds["heading"].append(Question("heading", section.path[-1], answer))
            if words := middle(section.text):
                kinds["sentence"].append(Question("sentence", words, answer))
    taken = []
    for asked in zip_longest(*(by_chance(unique(each, kind, pages)) for kind, each in kinds.items())):
        taken += [question for question in asked if question is not None]
    return taken[:count]


def middle(text: str) -> str:
    """Seven words out of the middle of the longest sentence."""
    sentence = max(re.split(r"(?<=[.!?])\s", text), key=lambda each: len(each.split()), default="")
    words = sentence.split()
    start = max(len(words) // 2 - 3, 0)
    return " ".join(words[start : start + 7]) if len(words) >= 12 else ""


def unique(asked: list[Question], kind: str, pages: list[IndexedPage]) -> list[Question]:
    """Those that one section alone answers."""
    if kind != "sentence":
        counts = Counter(word_key(question.text) for question in asked)
        return [question for question in asked if counts[word_key(question.text)] == 1 and question.text]
    texts = [section.text for page in pages for section in page.sections or ()]
    return [
        question for question in by_chance(asked)[:150] if sum(question.text in text for text in texts) == 1
    ]


def by_chance(asked: list[Question]) -> list[Question]:
    """In an order that nobody chose."""
    return sorted(asked, key=lambda question: hashlib.sha256(question.answer.encode()).hexdigest())


def judge(manual: str, index: SearchIndex, asked: list[Question], *, misses: bool) -> float:
    """The mean reciprocal rank, by kind and in all."""
    ranks: dict[str, list[float]] = {}
    began = time.perf_counter()
    for question in asked:
        found = [hit.id for hit in search(index, question.text, limit=DEEP).hits]
        rank = 1 / (found.index(question.answer) + 1) if question.answer in found else 0.0
        ranks.setdefault(question.kind, []).append(rank)
        if misses and rank < 1:
            print(f"  {rank:.2f} {question.kind}: {question.text}")
    seconds = (time.perf_counter() - began) / len(asked)
    every = [rank for each in ranks.values() for rank in each]
    mean = sum(every) / len(every)
    by_kind = ", ".join(f"{kind} {sum(each) / len(each):.3f} of {len(each)}" for kind, each in ranks.items())
    tuned = " (tuned on)" if manual == TUNED else ""
    print(
        f"{manual}{tuned}: {mean:.3f} over {len(every)} questions ({by_kind}); {seconds * 1000:.1f} ms each"
    )
    return mean


if __name__ == "__main__":
    sys.exit(main())
