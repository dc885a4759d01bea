"""Give a second implementation of identity every vector, and show where it differs (ID-14).

    python tests/conformance/runner.py node tests/conformance/second/identity.mjs

The protocol is in docs/reference/identity/README.md: lines of JSON in, one line of JSON out for each, in
order. Names of one layout are one mirror, whose scheme is https, in this order. Ends with 0 where nothing
differs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[1] / "vectors"
POLICIES = {"url": "web", "siteurl": "site", "docsurl": "docs"}
LAYOUTS = ("tree", "tree-fold", "flat", "flat-fold", "hash")


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
    for row in _rows("ids_v1"):
        answer = "id" if row["do"] == "id" else "bid"
        yield {key: value for key, value in row.items() if key != answer}, {answer: row[answer]}


def differences(command: list[str]) -> list[str]:
    """Every answer that is not the vector's, as a line of JSON."""
    asked = list(questions())
    lines = "".join(json.dumps(question, ensure_ascii=True) + "\n" for question, _ in asked)
    ran = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
    if ran.returncode:
        return [f"it ended with {ran.returncode}: {ran.stderr[-2000:]}"]
    answers = ran.stdout.splitlines()
    if len(answers) != len(asked):
        return [f"{len(asked)} lines were asked, {len(answers)} answered"]
    return [
        json.dumps({"asked": question, "wanted": wanted, "answered": json.loads(answer)})
        for (question, wanted), answer in zip(asked, answers, strict=True)
        if json.loads(answer) != wanted
    ]


def _rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    found = differences(sys.argv[1:])
    print("\n".join(found[:50]))
    print(f"{len(found)} of {sum(1 for _ in questions())} differ", file=sys.stderr)
    sys.exit(1 if found else 0)
