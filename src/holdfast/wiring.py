"""Settings to adapters. The only file that names adapters; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.adapters.files import read_bytes, read_text
from holdfast.adapters.mirror_lookup import find_file
from holdfast.adapters.state_folder import find_config
from holdfast.core.identity import Identity, identity_in_force
from holdfast.core.mirror_plan import Layout, url_in_name
from holdfast.core.policy import Overrides
from holdfast.core.settings import Origin, Settings, resolve
from holdfast.formats.overrides_file import read_overrides
from holdfast.formats.settings_file import SettingsFile, read_settings_file

__all__ = ["config_file", "load_identity", "load_settings", "load_settings_file", "read_bytes", "url_of_file"]


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


def config_file(start: Path) -> Path | None:
    """The settings file in force in a folder."""
    return find_config(start)


def load_identity(settings: Settings, default_policy: str) -> tuple[Identity, tuple[str, ...]]:
    """The identity in force, and what was odd about the overrides file.

    A path in the settings file is relative to that file; everywhere else to the working folder.
    """
    overrides = Overrides()
    if settings.identity.overrides:
        path = Path(settings.identity.overrides)
        origin = next(row.origin for row in settings.resolved if row.setting.name == "overrides")
        config = find_config(Path.cwd())
        if config and origin in (Origin.FILE, Origin.JOB):
            path = config.parent / path
        overrides = read_overrides(read_text(path, "overrides file"), str(path))
    return identity_in_force(default_policy, settings.identity, overrides), overrides.warnings


def url_of_file(file: Path, layout: Layout) -> str | None:
    """The URL of a mirrored file: from its name, else from the sidecar, else from the manifest (PATH-8)."""
    found = find_file(file)
    named = Layout(found.layout) if found.layout in set(Layout) else layout
    in_name = url_in_name(found.path, named, found.scheme or "https")
    return in_name or found.sidecar_url or found.manifest_urls.get(found.path)
