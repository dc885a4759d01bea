"""Settings to adapters: the only room that names adapters, one module for each thing that is wired.

A module is imported when somebody first says its name (`wiring.tracking`), so that a command pays for what it
uses and for nothing else; what a module needs stands at its own top. A module whose workers make ready while
the rest is imported says `wiring.NAME` too.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

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

    def __getattr__(name: str) -> ModuleType:
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
