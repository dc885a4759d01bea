"""Settings that go with a job in the queue: those of the work, not those of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from holdfast.core.settings import Origin, Settings
from holdfast.wiring.settings import load_settings

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
    """The settings of a job, with the ledger and the archive of this machine's."""
    own = {row.setting.name: row.value for row in here.resolved if row.setting.name in _HERE}
    merged = load_settings(Path.cwd(), flags={**given, **own}, environment={})
    return replace(merged, origins=here.origins)
