"""Changes of files as they happen, by `watchfiles`, which enters here alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import watchfiles

_OWN = (".holdfast", ".url-manifest")


async def batches(paths: Sequence[Path], seconds: float) -> AsyncIterator[tuple[Path, ...]]:
    """The files that changed, one batch at a time; an empty one after each while without any."""
    only = watchfiles.DefaultFilter()

    def is_theirs(change: watchfiles.Change, path: str) -> bool:
        return only(change, path) and not any(part.startswith(_OWN) for part in Path(path).parts)

    async for found in watchfiles.awatch(
        *paths, watch_filter=is_theirs, rust_timeout=int(seconds * 1000), yield_on_timeout=True
    ):
        yield tuple(sorted(Path(path) for _, path in found))
