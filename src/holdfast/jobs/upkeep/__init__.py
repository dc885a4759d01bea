"""The upkeep of what is kept: restore, verify, forget, prune, join, copy.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs.upkeep import (
        as_made,
        check_store,
        copies,
        forget,
        forget_row,
        join,
        mirrors,
        moving,
        prune,
        rekey,
        repair,
        reprocess,
        restore,
        restore_row,
        salvage,
        store_commands,
        take_in,
        verify,
        verify_row,
    )

    __all__ = [
        "as_made",
        "check_store",
        "copies",
        "forget",
        "forget_row",
        "join",
        "mirrors",
        "moving",
        "prune",
        "rekey",
        "repair",
        "reprocess",
        "restore",
        "restore_row",
        "salvage",
        "store_commands",
        "take_in",
        "verify",
        "verify_row",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
