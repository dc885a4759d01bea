"""Settings to adapters. The only file that names adapters; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.adapters.files import read_bytes, read_text
from holdfast.adapters.state_folder import find_config
from holdfast.core.settings import Settings, resolve
from holdfast.formats.settings_file import SettingsFile, read_settings_file

__all__ = ["load_settings", "load_settings_file", "read_bytes", "read_text"]


def load_settings_file(start: Path) -> SettingsFile:
    """The nearest `holdfast.toml`; an empty one where there is none."""
    config = find_config(start)
    if config is None:
        return SettingsFile()
    return read_settings_file(read_text(config, "settings file"), str(config))


def load_settings(
    start: Path,
    *,
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    job: str | None = None,
) -> Settings:
    """Every setting, settled; `job` is `mirror.NAME` or `track.NAME`."""
    file = load_settings_file(start)
    named = file.job(*job.split(".", 1)) if job else {}
    return resolve(flags=flags, environment=environment, job=named, file=file.settings)
