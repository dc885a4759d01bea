"""A large fixed sample of what identity says, to compare a change of the code behind it (VER-3).

    python tests/proofs/identity_sample.py make OUT.jsonl.gz      this code on 100,000 URLs, 4,000 pages
    python tests/proofs/identity_sample.py compare OLD.jsonl.gz   says it again, shows every row that moved

Golden vectors are few and chosen; a fix can move keys that no vector holds. So a change of the code behind
an identity is compared: make the sample with the code before the change, compare with the code after it. A
row that moved is a new version, whatever the vectors say. The sample itself is a function of seeds: it is
never kept in the repository.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.hostile import hostile_url
from holdfast.core.base.hashing import content_hash
from holdfast.core.page.html.text_v1 import page_text
from holdfast.core.page.html.tree import parse_html
from holdfast.core.url.canonical import Explained, explain
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import POLICIES, SITE
from holdfast.core.url.url import Refused

HOSTILE = 60_000
REAL = 40_000
PAGES = 4_000
SHOWN = 20
_TAGS = (
    "main article section div p span b i em nav header footer aside ul li table tr td select option svg math "
    "script style template noscript iframe a h1 h2 pre code br img input script-tex body frameset"
).split()
_ROLES = ("main", "navigation", "banner", "contentinfo", "complementary", "none", "Main")
_WORDS = (
    "word",
    "e\u0301",
    "é",
    "x\u00a0y",
    "a &amp; b",
    "日本",
    "\u0344",
    "\U0001d15e",
    " ",
    "\n\t",
    "&lt;p&gt;",
)


def urls() -> Iterator[str]:
    """Hostile and realistic URLs, the same ones on every machine."""
    for seed in range(HOSTILE):
        yield hostile_url(random.Random(seed))
    sys.path.append(str(Path(__file__).parents[2] / "bench"))
    from urls import varied_urls  # noqa: PLC0415 # of the benches, which are not installed

    yield from varied_urls(REAL)


def page(seed: int) -> str:
    """A page made of tags, roles and words."""
    chance = random.Random(seed)
    parts = []
    for _ in range(chance.randrange(3, 40)):
        tag = chance.choice(_TAGS)
        role = f' role="{chance.choice(_ROLES)}"' if chance.random() < 0.2 else ""
        kind = ' type="math/tex"' if tag == "script" and chance.random() < 0.5 else ""
        parts.append(f"</{tag}>" if chance.random() < 0.4 else f"<{tag}{role}{kind}>")
        parts.append(chance.choice(_WORDS))
    return "".join(parts)


def rows() -> Iterator[dict[str, Any]]:
    """What this code says."""
    plans = {layout: NamePlan(layout, "https") for layout in Layout}
    for text in urls():
        said: dict[str, Any] = {"url": text}
        for policy in POLICIES.values():
            match explain(text, policy):
                case Explained(canonical, rules):
                    said[policy.name] = [canonical.text, canonical.key, *rules]
                case Refused(reason):
                    said[policy.name] = str(reason)
        named = canonicalize(text, SITE)
        if not isinstance(named, Refused):
            said["names"] = {layout: plan.place(named).path for layout, plan in plans.items()}
        yield said
    for seed in range(PAGES):
        html = page(seed)
        document = parse_html(html)
        yield {"page": html, "text_v1": content_hash(page_text(document)) if document else None}


def make(out: Path) -> None:
    """Write the sample."""
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for row in rows():
            file.write(json.dumps(row, ensure_ascii=True) + "\n")


def compare(old: Path) -> int:
    """Print what moved; how many rows did."""
    moved = 0
    with gzip.open(old, "rt", encoding="utf-8") as file:
        for line, row in zip_longest(file, rows()):
            before, after = json.loads(line or "{}"), json.loads(json.dumps(row))
            if before == after:
                continue
            moved += 1
            if moved <= SHOWN:
                parts = [
                    key for key in {**before, **(after or {})} if before.get(key) != (after or {}).get(key)
                ]
                print(json.dumps({key: [before.get(key), (after or {}).get(key)] for key in parts}))
    print(f"{moved} rows moved", file=sys.stderr)
    return moved


def main() -> int:
    """Make or compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("make", "compare"))
    parser.add_argument("file", type=Path)
    args = parser.parse_args()
    if args.what == "make":
        make(args.file)
        return 0
    return 1 if compare(args.file) else 0


if __name__ == "__main__":
    sys.exit(main())
