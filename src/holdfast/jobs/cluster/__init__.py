"""Work that several machines share.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs.cluster import (
        cluster,
        engines,
        shared_tracking,
    )

    __all__ = [
        "cluster",
        "engines",
        "shared_tracking",
    ]
else:
    _NEEDS = {"shared_tracking": "check"}
    """The extras of modules that need more than the library of theirs that is missed first."""

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name, _NEEDS)
