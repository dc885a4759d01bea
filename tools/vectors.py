"""Freeze golden vectors for a component version that has none yet (ID-11, VER-3).

    python tools/vectors.py          writes what is missing in tests/vectors/, changes nothing that is there

A vector file is frozen the moment it is committed: `tests/vectors/FROZEN` holds its hash, and the build
fails when either moves. A changed expectation means a new version, and so a new file. Cases may be added:
at the end of `inputs.json`, and so of each file; the rows before them must come out as they are. Markdown is
not identity: its vectors are those of the version that is written now, and those of older ones are removed.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

from holdfast.core.base.hashing import content_hash, id_of
from holdfast.core.links.citation import document_bid, folder_bid, revision_bid, url_bid
from holdfast.core.page.distill_options import DistillOptions, convert
from holdfast.core.page.markdown.writer import MARKDOWN_VERSION
from holdfast.core.url.canonical import CanonicalUrl, Explained, explain
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import LAYOUT_VERSION, LETTERS, MARKS, Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import PUBLISHED, SITE, WEB, Policy
from holdfast.core.url.steps import DropTrackers
from holdfast.core.url.url import Refused, parse_url
from letters import members as _members
from letters import ranges
from markdown_pages import pages

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
INPUTS = VECTORS / "inputs.json"


def members(table: str) -> list[int]:
    """The code points of a table, in order."""
    return sorted(_members(table))


def url_vectors(policy: Policy, inputs: list[str]) -> list[dict[str, Any]]:
    """What a policy makes of each input, with the rules that fired."""
    rows: list[dict[str, Any]] = []
    for text in inputs:
        match explain(text, policy):
            case Explained(canonical, rules):
                rows.append(
                    {
                        "input": text,
                        "canonical": canonical.text,
                        "url_key": canonical.key,
                        "rules": list(rules),
                    }
                )
            case Refused(reason):
                rows.append({"input": text, "refused": reason})
    return rows


def path_vectors(layout: Layout, inputs: list[str]) -> list[dict[str, str]]:
    """The name of each input that has one, as one mirror in this order."""
    plan = NamePlan(layout, "https")
    found = [canonicalize(text, SITE) for text in inputs]
    return [{"canonical": c.text, "path": plan.place(c).path} for c in found if not isinstance(c, Refused)]


def letter_tables() -> list[dict[str, Any]]:
    """The characters that names are written with, and those that a file system may fold, as ranges."""
    plan = NamePlan(Layout.TREE_FOLD, "https")
    letters = [point for point in members(LETTERS) if plan_keeps(plan, point)]
    unfolded = sorted(set(members(LETTERS)) - set(letters))
    marks = [point for point in members(MARKS) if not is_folded("x" + chr(point))]
    tables = {"letters": LETTERS, "marks": MARKS, "unfolded": " ".join(ranges(sorted([*unfolded, *marks])))}
    return [{"table": name, "unicode": "14.0", "ranges": table.split()} for name, table in tables.items()]


def plan_keeps(plan: NamePlan, point: int) -> bool:
    """Whether `tree-fold` leaves a letter as it is."""
    url = canonicalize(f"https://e.com/x{chr(point)}", SITE)
    return not isinstance(url, Refused) and plan.place(url).path == f"e.com/x{chr(point)}/index.md"


def is_folded(name: str) -> bool:
    """Whether a name stays itself where case and Unicode forms are folded."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    return folded == name == name.upper().casefold()


def tracker_tables(policy: Policy) -> list[dict[str, Any]]:
    """The keys that a version's policies drop: names, and beginnings."""
    (step,) = (step for step in policy.steps if isinstance(step, DropTrackers))
    tables = {"names": sorted(step.names), "prefixes": sorted(step.prefixes)}
    return [{"table": name, "keys": keys} for name, keys in tables.items()]


def markdown_vectors() -> list[dict[str, Any]]:
    """What is written of a page in the markup of each generator."""
    url = parse_url("https://docs.example/guide/page.html")
    if isinstance(url, Refused):
        raise SystemExit(f"the pages' own URL: {url}")
    rows: list[dict[str, Any]] = []
    for name, html in pages():
        made = convert(html.encode(), "text/html; charset=utf-8", url, DistillOptions())
        rows.append({"generator": name, "html": html, "markdown": made.markdown})
    return rows


def id_vectors() -> list[dict[str, Any]]:
    """Ids and bids of chosen inputs."""
    hashes = [content_hash(text) for text in ("hello", "", "é")]
    urls = ["https://example.com/spec.html", "https://example.com/", "https://e.com/%E6%97%A5?a=1&b=2"]
    paths = ["docs/research/paper.md", "a.md", "日本/é.md"]
    folders = ["docs/research/", "", "a/b"]
    rows: list[dict[str, Any]] = [
        {"do": "id", "inputs": inputs, "id": id_of(*inputs)}
        for inputs in (
            ["item", "http_snapshot_url_v1_text_v1", urls[0], hashes[0], "c"],
            [""],
            ["a", "b"],
            ["é"],
        )
    ]
    kinds: dict[str, list[tuple[str, str]]] = {
        "revision": [(text, revision_bid(text)) for text in hashes],
        "url": [(text, url_bid(CanonicalUrl(text, WEB.component))) for text in urls],
        "document": [(text, document_bid(text)) for text in paths],
        "folder": [(text, folder_bid(text)) for text in folders],
    }
    return rows + [
        {"do": "bid", "kind": kind, "of": text, "bid": bid}
        for kind, made in kinds.items()
        for text, bid in made
    ]


def main() -> None:
    """Write the files that are not there, and their hashes."""
    inputs = json.loads(INPUTS.read_text(encoding="utf-8"))
    wanted: dict[str, Any] = {
        f"{policy.component}.json": lambda policy=policy: url_vectors(policy, inputs) for policy in PUBLISHED
    } | {
        f"{layout}_v{LAYOUT_VERSION}.json": lambda layout=layout: path_vectors(layout, inputs)
        for layout in Layout
    }
    wanted |= {f"{MARKDOWN_VERSION}.json": markdown_vectors}
    wanted |= {"letters_v1.json": letter_tables, "ids_v1.json": id_vectors}
    wanted |= {
        f"trackers_v{policy.component.version}.json": lambda policy=policy: tracker_tables(policy)
        for policy in PUBLISHED
        if policy.name == WEB.name
    }
    for name, make in wanted.items():
        path = VECTORS / name
        frozen_rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        rows = make()
        if rows[: len(frozen_rows)] != frozen_rows:
            raise SystemExit(
                f"{name}: rows that are frozen come out otherwise; see docs/concepts/versions.md"
            )
        path.write_text(json.dumps(rows, ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {len(rows) - len(frozen_rows)} rows added to {len(frozen_rows)}")
    frozen = sorted(p for p in VECTORS.glob("*.json") if p != INPUTS)
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in frozen]
    (VECTORS / "FROZEN").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
