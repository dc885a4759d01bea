"""Settings that go with a job in the queue: those of the work, not those of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from holdfast.core.settings import Origin, Settings, resolve

__all__ = ["settings_for_work", "settings_of_work"]

_HERE: Final = frozenset(
    {"state", "ledger", "archive", "archive_file_mb", "workers", "scheduler", "min_free_mb"}
)
"""Settings of a machine, not of the work."""


def settings_of_work(settings: Settings) -> dict[str, Any]:
    """What somebody has set, wherever the work is done."""
    return {
        row.setting.name: row.value
        for row in settings.resolved
        if row.origin is not Origin.DEFAULT and row.setting.name not in _HERE
    }


def settings_for_work(given: Mapping[str, Any], here: Settings) -> Settings:
    """The settings of a job, with this machine's ledger and archive, and what its file says besides."""
    own = {row.setting.name: row.value for row in here.resolved if row.setting.name in _HERE}
    file = {row.setting.name: row.value for row in here.resolved if row.origin in (Origin.FILE, Origin.JOB)}
    merged = resolve(flags={**given, **own}, file=file)
    notify = here.notify if merged.store.notifications else ()
    return replace(merged, origins=here.origins, notify=notify, folder=here.folder)
