"""Give a second implementation of identity every vector, and show where it differs (ID-14).

    python tests/conformance/runner.py node tests/conformance/second/identity.mjs

The protocol is in docs/reference/identity/README.md: lines of JSON in, one line of JSON out for each, in
order. Names of one layout are one mirror, whose scheme is https, in this order. Ends with 0 where nothing
differs but for reasons that lie in the platform, which are named and counted (`platform_reason`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

VECTORS = Path(__file__).parents[1] / "vectors"
POLICIES = {"url": "web", "siteurl": "site", "docsurl": "docs"}
LAYOUTS = ("tree", "tree-fold", "flat", "flat-fold", "hash")

PLATFORM_REASONS = {
    "ace_label": "an ASCII host with a label xn--… that no text is written as: refused by parsers of the URL"
    " standard from before June 2026, taken in lower case since then"
}


def questions() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What is asked, and what must be answered."""
    for component, name in POLICIES.items():
        for version in (1, 2):
            for row in _rows(f"{component}_v{version}"):
                wanted = {key: row[key] for key in ("canonical", "url_key", "refused") if key in row}
                yield {"do": "canon", "policy": f"{name}@{version}", "input": row["input"]}, wanted
    for layout in LAYOUTS:
        for row in _rows(f"{layout}_v1"):
            asked = {"do": "name", "layout": layout, "canonical": row["canonical"]}
            yield asked, {"path": row["path"]}
    for row in _rows("body_v1"):
        asked = {"do": "body", "content_type": row["content_type"], "body_hex": row["body_hex"]}
        yield asked, {"text": row["text"], "content_sha256": row["content_sha256"]}
    for row in _rows("section_v1"):
        if "markdown" in row:
            said = [{name: each[name] for name in ("anchor", "text", "content")} for each in row["sections"]]
            yield {"do": "sections", "markdown": row["markdown"]}, {"sections": said}
    for row in _rows("ids_v1"):
        answer = "id" if row["do"] == "id" else "bid"
        yield {key: value for key, value in row.items() if key != answer}, {answer: row[answer]}


class Difference(NamedTuple):
    """An answer that is not the vector's; `reason` names the platform's, where it is that."""

    asked: dict[str, Any]
    wanted: dict[str, Any]
    answered: dict[str, Any]
    reason: str | None


def differences(command: list[str]) -> list[Difference]:
    """Every answer that is not the vector's."""
    asked = list(questions())
    lines = "".join(json.dumps(question, ensure_ascii=True) + "\n" for question, _ in asked)
    ran = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
    if ran.returncode:
        raise SystemExit(f"it ended with {ran.returncode}: {ran.stderr[-2000:]}")
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    if len(answers) != len(asked):
        raise SystemExit(f"{len(asked)} lines were asked, {len(answers)} answered")
    return [
        Difference(question, wanted, answer, platform_reason(wanted, answer))
        for (question, wanted), answer in zip(asked, answers, strict=True)
        if answer != wanted
    ]


def platform_reason(wanted: dict[str, Any], answered: dict[str, Any]) -> str | None:
    """The name of what a platform's URL parser does otherwise, where an answer differs by that alone."""
    if answered != {"refused": "unparseable"} or "canonical" not in wanted:
        return None
    host = wanted["canonical"].split("/", 3)[2].rpartition("@")[2].partition(":")[0]
    return "ace_label" if any(map(_is_no_text, host.split("."))) else None


def _is_no_text(label: str) -> bool:
    """Whether a label claims to be punycode and is not what any text is written as."""
    if not label.startswith("xn--"):
        return False
    try:
        text = label[4:].encode().decode("punycode")
    except UnicodeError:
        return True
    mapped = unicodedata.normalize("NFKC", text.lower())
    return mapped != text or text.isascii() or not text.isprintable()


def _rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def main(command: list[str]) -> int:
    """Show what differs; 1 where something does that the platform does not explain."""
    found = differences(command)
    own = [each for each in found if each.reason is None]
    for each in own[:50]:
        print(json.dumps(each._asdict()))
    print(f"{len(own)} of {sum(1 for _ in questions())} differ", file=sys.stderr)
    for reason, count in Counter(each.reason for each in found if each.reason).items():
        print(f"{count} more by {reason}: {PLATFORM_REASONS[reason]}", file=sys.stderr)
    return 1 if own else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
