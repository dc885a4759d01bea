"""The search index itself, and what is written into it: pages, parsed anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from holdfast.adapters.sqlite.search.index import SqliteSearch, open_search
from holdfast.core.distill_options import DistillOptions
from holdfast.core.recipe import Recipe
from holdfast.distill import distill
from holdfast.jobs.indexing import catch_up
from holdfast.wiring.store import Store

__all__ = ["bring_up_to_date", "open_index"]

_RECIPE: Final = Recipe.parse("http_snapshot_url_v1_text_v1")


def open_index(file: Path) -> SqliteSearch:
    """An index in its file; in memory where nothing can be written."""
    writable = os.access(file if file.exists() else file.parent, os.W_OK)
    return open_search(file if writable else None)


def bring_up_to_date(
    index: SqliteSearch, store: Store, max_bytes: int, tell: Callable[[int, int], None] | None
) -> None:
    """Read what the ledger has and the index has not."""
    options = DistillOptions(outline=True, max_bytes=max_bytes)
    catch_up(
        store.ledger,
        store.archive,
        index,
        lambda capture: distill(capture, _RECIPE, options).structure.outline,
        tell or (lambda _done, _total: None),
    )
