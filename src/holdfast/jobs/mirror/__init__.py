"""A mirror made or brought up to date.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs.mirror import (
        close_run,
        crawl,
        discovery,
        effects,
        job,
        knowledge,
        obtain,
        opening,
        previewing,
        progress,
        rewrite_links,
        spec_from_settings,
        starting,
        summary,
        turns,
        updating,
    )

    __all__ = [
        "close_run",
        "crawl",
        "discovery",
        "effects",
        "job",
        "knowledge",
        "obtain",
        "opening",
        "previewing",
        "progress",
        "rewrite_links",
        "spec_from_settings",
        "starting",
        "summary",
        "turns",
        "updating",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
