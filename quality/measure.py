"""Markdown against the page it came from: nine figures, each between 0 and 1 but the last."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

from corpus import Sample
from facts import Facts, facts_of, parse

GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FIGURES = ("recall", "precision", "order", "links", "code", "languages", "tables", "headings", "swallowed")
FLOORS = dict(zip(FIGURES, (0.995, 0.97, 0.99, 0.99, 0.98, 0.95, 0.99, 0.98, 0), strict=True))


@dataclass(frozen=True)
class Score:
    """The figures of one page; None where the page has nothing of the kind."""

    sample: Sample
    values: dict[str, float | None]
    loss: dict[str, Any]


def base_url(sample: Sample) -> str:
    return f"https://docs.example/{sample.path}"


def reference(sample: Sample) -> Facts | None:
    """The facts of the page's main element; None where there is none."""
    document = parse(sample.html)
    for selector in sample.package.main:
        roots = document.select(selector)[:1]
        if roots:
            drop = frozenset(id(e) for s in sample.package.drop for e in document.select(s))
            held = [e for s in sample.package.drop for e in document.select(s)]
            for element in held:
                element.decompose()
            return facts_of(roots, base_url(sample), drop)
    return None


def score(sample: Sample, wanted: Facts, convert: Callable[[Sample], str]) -> Score:
    markdown = convert(sample)
    page = parse(GFM.render(markdown))
    found = facts_of(page.select("body")[:1], base_url(sample))
    want, have = Counter(wanted.words), Counter(found.words)
    common = sum((want & have).values())
    links = sum((wanted.links & found.links).values())
    values = {
        "recall": _share(common, sum(want.values())),
        "precision": _share(common, sum(have.values())),
        "order": _order(wanted.words, found.words),
        "links": _share(links, sum(wanted.links.values())),
        "code": _kept(Counter(c for c, _ in wanted.code), Counter(c for c, _ in found.code)),
        "languages": _kept(Counter(p for p in wanted.code if p[1]), Counter(found.code)),
        "tables": _kept(Counter(wanted.tables), Counter(found.tables)),
        "headings": _kept(Counter(wanted.headings), Counter(found.headings)),
        "swallowed": float(found.foreign),
    }
    loss = {
        "words": (want - have).most_common(8),
        "added": (have - want).most_common(8),
        "links": list(wanted.links - found.links)[:4],
        "code": list(Counter(wanted.code) - Counter(found.code))[:2],
        "tables": list(Counter(wanted.tables) - Counter(found.tables))[:1],
        "headings": list(Counter(wanted.headings) - Counter(found.headings))[:4],
    }
    return Score(sample, values, loss)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _kept(wanted: Counter[Any], found: Counter[Any]) -> float | None:
    return _share(sum((wanted & found).values()), sum(wanted.values()))


def _order(wanted: list[str], found: list[str]) -> float | None:
    """Of the words that stand once in both, how many are in the same order (longest common run)."""
    once = {w for w, n in Counter(wanted).items() if n == 1} & {
        w for w, n in Counter(found).items() if n == 1
    }
    place = {word: at for at, word in enumerate(found) if word in once}
    tails: list[int] = []
    for word in wanted:
        if word in once:
            at = bisect_left(tails, place[word])
            tails[at : at + 1] = [place[word]]
    return _share(len(tails), len(once))


def means(scores: list[Score]) -> dict[str, float]:
    """Means over pages; `swallowed` is a sum."""
    result = {}
    for name in FIGURES:
        values = [s.values[name] for s in scores if s.values[name] is not None]
        total = sum(v for v in values if v is not None)
        result[name] = total if name == "swallowed" else (total / len(values) if values else 1.0)
    return result
