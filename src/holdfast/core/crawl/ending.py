"""How a crawl can end."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Ending"]


class Ending(StrEnum):
    """How a crawl ended; `crawl.status` of the manifest."""

    FINISHED = "finished"
    MAX_PAGES = "max_pages"
    INTERRUPTED = "interrupted"
    ABORTED = "aborted"
    NO_SPACE = "no_space"
