"""Settings to adapters: the only room that names adapters, one module for each thing that is wired.

A module is imported when somebody first says its name (`wiring.tracking`), so that a command pays for what it
uses and for nothing else; what a module needs stands at its own top. A module whose workers make ready while
the rest is imported says `wiring.NAME` too.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.wiring import (
        about,
        acting,
        adopting,
        asking,
        backup,
        bucket,
        checks,
        cluster,
        crawling,
        dask,
        editing,
        engines,
        exporting,
        fetching,
        finishing,
        fixing,
        forgetting,
        in_memory,
        index_building,
        indexing,
        leases,
        loop,
        mirroring,
        mirrors,
        moving_ledger,
        naming,
        notices,
        notifying,
        parquet,
        previewing,
        reading,
        refining,
        rekeying,
        salvaging,
        searching,
        server,
        services,
        serving,
        settings,
        shared_tracking,
        states,
        store,
        tracking,
        upkeep,
        watching,
    )

    __all__ = [
        "about",
        "acting",
        "adopting",
        "asking",
        "backup",
        "bucket",
        "checks",
        "cluster",
        "crawling",
        "dask",
        "editing",
        "engines",
        "exporting",
        "fetching",
        "finishing",
        "fixing",
        "forgetting",
        "in_memory",
        "index_building",
        "indexing",
        "leases",
        "loop",
        "mirroring",
        "mirrors",
        "moving_ledger",
        "naming",
        "notices",
        "notifying",
        "parquet",
        "previewing",
        "reading",
        "refining",
        "rekeying",
        "salvaging",
        "searching",
        "server",
        "services",
        "serving",
        "settings",
        "shared_tracking",
        "states",
        "store",
        "tracking",
        "upkeep",
        "watching",
    ]
else:
    _NEEDS = dict.fromkeys(("asking", "fixing", "shared_tracking", "tracking"), "track")
    """The extras of modules that need more than the library of theirs that is missed first."""

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name, _NEEDS)
