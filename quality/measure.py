"""Markdown against the page it came from: eleven figures, each between 0 and 1 but the last."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt

from corpus import Sample
from facts import WORD, Facts, classes, facts_of, is_of_footnote, parse
from holdfast.core.page.html.section_list import facts_of as section_facts
from holdfast.core.page.html.section_list import listed_sections
from holdfast.core.page.html.section_outline import Outline
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.section import heading_slug

GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FIGURES = (
    *(
        "recall",
        "precision",
        "order",
        "links",
        "code",
        "languages",
        "tables",
        "headings",
        "anchors",
        "sections",
    ),
    "swallowed",
)
FLOORS = dict(zip(FIGURES, (0.99, 0.96, 0.98, 0.98, 0.98, 0.95, 0.98, 0.98, 0.99, 1.0, 0), strict=True))
"""Of every package, not of the mean."""
_BACK = {"toc-backref"}
"""Links from headings back to contents that are left out."""
_EDIT = re.compile(r"</h[1-6]>", re.IGNORECASE)


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
            facts = facts_of(roots, base_url(sample), drop)
            facts.fragments = _fragments(roots, document)
            return facts
    return None


def _fragments(roots: list[Any], document: Any) -> set[str]:
    """The places of the page that its own words link to; footnotes have their own way."""
    ids = {element.attrs["id"] for element in document.select("[id]")}
    ids |= {element.attrs["name"] for element in document.select("a[name]")}
    found = set()
    for link in (link for root in roots for link in root.select("a[href^='#']")):
        name = unquote(link.attrs["href"][1:])
        if name in ids and WORD.search(link.text) and not is_of_footnote(link) and not _BACK & classes(link):
            found.add(name)
    return found - {"top"}


def _landing(page: Any) -> set[str]:
    """The places that a renderer of the Markdown has."""
    places = {element.attrs["id"] for element in page.select("a[id]")}
    counts: Counter[str] = Counter()
    for heading in page.select("h1, h2, h3, h4, h5, h6"):
        slug = heading_slug(" ".join(heading.text.split()))
        places.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
        counts[slug] += 1
    return places


def _steadiness(sample: Sample) -> float | None:
    """Of the section ids of a page, how many stay when a paragraph is put in its middle."""
    html = sample.html
    ends = [match.end() for match in _EDIT.finditer(html)]
    if not ends:
        return None
    at = ends[len(ends) // 2]
    before, after = _ids(html), _ids(f"{html[:at]}<p>Words that were not there.</p>{html[at:]}")
    return _share(len(before & after), len(before))


def _ids(html: str) -> set[str]:
    document = parse_html(html)
    return (
        {entry.section.anchor for entry in listed_sections(section_facts(Outline(document)), "", None)}
        if document
        else set()
    )


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
        "code": _kept(Counter(c for c, _ in wanted.code), _blocks(wanted, found)),
        "languages": _kept(Counter(p for p in wanted.code if p[1]), Counter(found.code)),
        "tables": _kept(Counter(wanted.tables), Counter(found.tables)),
        "headings": _kept(Counter(wanted.headings), Counter(found.headings)),
        "anchors": _share(len(wanted.fragments & _landing(page)), len(wanted.fragments)),
        "sections": _steadiness(sample),
        "swallowed": float(found.foreign),
    }
    loss = {
        "words": (want - have).most_common(8),
        "added": (have - want).most_common(8),
        "links": list(wanted.links - found.links)[:4],
        "code": list(Counter(wanted.code) - Counter(found.code))[:2],
        "tables": list(Counter(wanted.tables) - Counter(found.tables))[:1],
        "headings": list(Counter(wanted.headings) - Counter(found.headings))[:4],
        "anchors": list(wanted.fragments - _landing(page))[:4],
    }
    return Score(sample, values, loss)


def _blocks(wanted: Facts, found: Facts) -> Counter[str]:
    """The blocks of code that were found. A cell of a Markdown table has no room for one: there, a single
    line is a code span.
    """
    lines = {code for code, _ in wanted.code if "\n" not in code}
    spans = Counter({code: count for code, count in found.spans.items() if code in lines})
    return Counter(code for code, _ in found.code) + spans


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
