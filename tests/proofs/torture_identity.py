"""Hostile texts by the hundred thousand: idempotence, agreement, and names that never meet or climb out.

python tests/proofs/torture_identity.py [COUNT] [SEED]       (`make torture` runs 300,000)
"""

import random
import sys
import time
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.hostile import hostile_url
from holdfast.core.url.canonical import explain
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan, url_in_name
from holdfast.core.url.policy import DOCS, SITE, WEB
from holdfast.core.url.url import Refused


def faults_in(seed: int, count: int) -> list[str]:
    """Whatever went wrong, as sentences; empty when nothing did."""
    rng = random.Random(seed)
    plans = {layout: NamePlan(layout, "https") for layout in Layout}
    owners: dict[tuple[Layout, str], str] = {}
    faults: list[str] = []
    for _ in range(count):
        text = hostile_url(rng)
        for policy in (WEB, SITE, DOCS):
            faults += _identity_faults(text, policy)
        canonical = canonicalize(text, SITE)
        if not isinstance(canonical, Refused):
            for layout, plan in plans.items():
                faults += _name_faults(canonical, layout, plan, owners)
    return faults


def _identity_faults(text, policy):
    first = canonicalize(text, policy)
    explained = explain(text, policy)
    if isinstance(first, Refused):
        return [] if isinstance(explained, Refused) else [f"{text!r}: refused by one way only"]
    faults = []
    if canonicalize(first.text, policy) != first:
        faults.append(f"{text!r}: not idempotent under {policy.name}")
    if isinstance(explained, Refused) or explained.canonical != first:
        faults.append(f"{text!r}: two ways, two answers under {policy.name}")
    return faults


def _name_faults(canonical, layout, plan, owners):
    path = plan.place(canonical).path
    # What a file system that folds makes of it decides for tree-fold, the bytes themselves for the others.
    slot = (layout, path.casefold() if layout.is_folded else path)
    faults = []
    if owners.setdefault(slot, canonical.text) != canonical.text:
        faults.append(f"{canonical} and {owners[slot]} share {path}")
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or any(part in (".", "") for part in path.split("/")):
        faults.append(f"{canonical} leaves the folder: {path}")
    if any(len(part) > 200 or len(part.encode()) > 240 for part in pure.parts) or len(path.encode()) > 1000:
        faults.append(f"{canonical} has a name that is too long: {path}")
    read = url_in_name(path, layout, "https")
    if read is not None and read != canonical.text:
        faults.append(f"{path} reads back as {read}, not {canonical}")
    return faults


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    begin = time.monotonic()
    found = faults_in(chosen, number)
    print(f"{number:,} hostile texts, seed {chosen}: {len(found)} faults in {time.monotonic() - begin:.0f} s")
    for fault in found[:20]:
        print(" ", fault)
    raise SystemExit(bool(found))
