"""Mirrors and checks kept up to date: watching, schedules, notifications.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs.sync import (
        acting,
        notices,
        notify,
        scheduling,
        sync,
        sync_plan,
        sync_result,
        watching,
    )

    __all__ = [
        "acting",
        "notices",
        "notify",
        "scheduling",
        "sync",
        "sync_plan",
        "sync_result",
        "watching",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
