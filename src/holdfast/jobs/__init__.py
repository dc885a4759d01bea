"""What is done: the order of steps, no decisions; and one session, in which settings become a store.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs import (
        bucket_archive,
        check,
        cluster,
        config_trust,
        converting,
        editing,
        editor_root,
        extras,
        held_pages,
        index_holder,
        indexing,
        leases,
        load_settings,
        look_here,
        mirror,
        mirror_place,
        places,
        probe,
        read_store,
        row_runner,
        running,
        served_stores,
        session,
        stop,
        sync,
        trust,
        upkeep,
        web_door,
        workers,
        write_export,
    )

    __all__ = [
        "bucket_archive",
        "check",
        "cluster",
        "config_trust",
        "converting",
        "editing",
        "editor_root",
        "extras",
        "held_pages",
        "index_holder",
        "indexing",
        "leases",
        "load_settings",
        "look_here",
        "mirror",
        "mirror_place",
        "places",
        "probe",
        "read_store",
        "row_runner",
        "running",
        "served_stores",
        "session",
        "stop",
        "sync",
        "trust",
        "upkeep",
        "web_door",
        "workers",
        "write_export",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
