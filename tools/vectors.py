"""Freeze golden vectors for a component version that has none yet (ID-11, VER-3).

    python tools/vectors.py          writes what is missing in tests/vectors/, changes nothing that is there

A vector file is frozen the moment it is committed: `tests/vectors/FROZEN` holds its hash, and the build
fails when either moves. A changed expectation means a new version, and so a new file. Cases may be added:
at the end of `inputs.json`, and so of each file; the rows before them must come out as they are.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from holdfast.core.canonical import Explained, explain
from holdfast.core.mirror_plan import LAYOUT_VERSION, Layout, NamePlan
from holdfast.core.policy import POLICIES, SITE, Policy
from holdfast.core.refusal import Refused
from holdfast.core.shortcut import canonicalize

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
INPUTS = VECTORS / "inputs.json"


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


def main() -> None:
    """Write the files that are not there, and their hashes."""
    inputs = json.loads(INPUTS.read_text(encoding="utf-8"))
    wanted: dict[str, Any] = {
        f"{policy.component}.json": lambda policy=policy: url_vectors(policy, inputs)
        for policy in POLICIES.values()
    } | {
        f"{layout}_v{LAYOUT_VERSION}.json": lambda layout=layout: path_vectors(layout, inputs)
        for layout in Layout
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
