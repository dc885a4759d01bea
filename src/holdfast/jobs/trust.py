"""Which settings of a folder are obeyed: those that reach nothing outside it, and those that the user trusted
(SEC-9). The user's word is a record of the user's own, `--trust` for one call, or `HOLDFAST_TRUST=all`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from holdfast.adapters.system import followed, read_text
from holdfast.adapters.trust_record import TrustRecord
from holdfast.core.base.errors import ConfigError, FailedError, UsageError
from holdfast.core.settings.reach import FolderTrust, FolderWord, Reaching
from holdfast.core.settings.settings_file import SettingsFile, read_settings_file
from holdfast.core.settings.settings_trust import Outside, digest_of, reaching, without_untrusted
from holdfast.storage.state_folder import find_config

TRUST_ALL: Final = {"HOLDFAST_TRUST": "all"}


def judged(file: SettingsFile, path: Path, environment: Mapping[str, str]) -> SettingsFile:
    """A settings file without what reaches out of its folder and is not trusted."""
    if _trusts_all(environment):
        return replace(file, folder=FolderWord(str(path.parent), is_trusted_for_now=True))
    found = reaching(file, _outside_of(path.parent))
    if not found or _is_recorded(path, found, environment):
        return replace(file, folder=FolderWord(str(path.parent)))
    return without_untrusted(file, found, str(path.parent))


def folder_trust(start: Path, environment: Mapping[str, str]) -> FolderTrust:
    """What there is to trust in the settings file that is in force in a folder."""
    path = find_config(start)
    if path is None:
        raise UsageError(
            "there is no holdfast.toml here or above", hint="without one there is nothing to trust"
        )
    file = read_settings_file(read_text(path, "settings file"), str(path))
    found = reaching(file, _outside_of(path.parent))
    return FolderTrust(str(path), _is_recorded(path, found, environment), found)


def trust(what: FolderTrust, environment: Mapping[str, str]) -> FolderTrust:
    """Record that the user trusts exactly this."""
    record = _record(environment)
    if record is None:
        raise FailedError(
            "there is no place to record what you trust", hint="set HOME, or XDG_STATE_HOME, to a full path"
        )
    record.put(Path(what.file), digest_of(what.found))
    return replace(what, is_trusted=True)


def _trusts_all(environment: Mapping[str, str]) -> bool:
    word = environment.get("HOLDFAST_TRUST", "")
    if word not in ("", "all"):
        raise ConfigError(
            f"HOLDFAST_TRUST = {word!r}: expected all", hint="it trusts the settings of any folder"
        )
    return word == "all"


def _is_recorded(path: Path, found: tuple[Reaching, ...], environment: Mapping[str, str]) -> bool:
    record = _record(environment)
    return record is not None and record.digest(path) == digest_of(found)


def _record(environment: Mapping[str, str]) -> TrustRecord | None:
    """The user's record, by the rules of XDG: a path that is not absolute does not count."""
    named = Path(environment.get("XDG_STATE_HOME", ""))
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "")
    base = named if named.is_absolute() else home / ".local" / "state"
    return TrustRecord(base / "holdfast" / "trust") if base.is_absolute() else None


def _outside_of(folder: Path) -> Outside:
    inside = followed(folder)

    def outside(path: str) -> str:
        try:
            place = followed(folder / path)
        except (OSError, ValueError):  # a ring of symlinks, a name that no file can have: it leads nowhere
            return str(folder / path)
        return "" if place.is_relative_to(inside) else str(place)

    return outside
