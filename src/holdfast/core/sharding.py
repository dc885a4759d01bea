"""Which part of a work a host belongs to: always the same one, so that one process asks a host."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

__all__ = ["shard_of", "shards_of"]


def shard_of(host: str, of: int) -> int:
    """The number of a host's part, from 0, where there are so many."""
    return int.from_bytes(hashlib.sha256(host.encode()).digest()[:8], "big") % of


def shards_of(hosts: Iterable[str], of: int) -> dict[int, int]:
    """The parts that have any of these hosts, in order; how many of the given ones each has."""
    counts: dict[int, int] = {}
    for host in hosts:
        shard = shard_of(host, of)
        counts[shard] = counts.get(shard, 0) + 1
    return dict(sorted(counts.items()))
