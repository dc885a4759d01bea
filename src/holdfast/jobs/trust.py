"""Which settings of a folder are obeyed: those that reach nothing outside it, and those that the user
trusted; and which stores are the user's own (SEC-9). The user's word is a record of the user's own, `--trust`
for one call, or `HOLDFAST_TRUST=all`.

1. A store that the user makes is written into the record, and each mirror that the user starts in it.
2. A mirror in a store that is not in the record is taken into it once the user names exactly its sources, and
   the store adds nothing to what the user says. What else stands in that store stays a stranger's.
3. A ledger on a server is the user's own: whoever names it is the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from holdfast.adapters.system import followed
from holdfast.adapters.trust_record import TrustRecord
from holdfast.core.base.errors import ConfigError, FailedError
from holdfast.core.mirror.remembered import NOTHING_REMEMBERED, Remembered, refuse_store, said
from holdfast.core.settings.reach import FolderWord, Reaching
from holdfast.core.settings.resolve import Settings
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.settings.settings_trust import Outside, digest_of, reaching, without_untrusted
from holdfast.jobs.places import is_on_server, notice_once

TRUST_ALL: Final = {"HOLDFAST_TRUST": "all"}


def user_word(environment: Mapping[str, str], folder: str = "") -> FolderWord:
    """What the user says of trust: in the environment, and in the record."""
    record = record_in(environment)
    return FolderWord(
        folder,
        is_trusted_for_now=_trusts_all(environment),
        record=str(record.folder) if record else "",
    )


def judged(file: SettingsFile, path: Path, environment: Mapping[str, str]) -> SettingsFile:
    """A settings file without what reaches out of its folder and is not trusted."""
    file = replace(file, folder=user_word(environment, str(path.parent)))
    if file.folder.is_trusted_for_now:
        return file
    found = found_in(file, path)
    if not found or is_recorded(path, found, environment):
        return file
    return without_untrusted(file, found)


def found_in(file: SettingsFile, path: Path) -> tuple[Reaching, ...]:
    """What of a settings file reaches out of its folder."""
    return reaching(file, outside_of(path.parent))


def is_recorded(path: Path, found: tuple[Reaching, ...], environment: Mapping[str, str]) -> bool:
    """Whether the user trusted exactly this of a settings file."""
    record = record_in(environment)
    return record is not None and record.digest(path) == digest_of(found)


def is_own(settings: Settings, store_id: str, memory: Remembered = NOTHING_REMEMBERED) -> bool:
    """Whether what a store remembers is the user's own word, or trusted."""
    word = settings.folder
    return word.is_trusted_for_now or is_on_server(settings) or _has(word, store_id, memory)


def require_own(settings: Settings, store: tuple[Path, str], what: str) -> None:
    """Refuse to do what a store says that is not the user's; `store` is its folder and its id."""
    if not is_own(settings, store[1]):
        refuse_store(str(store[0]), what)


def require_own_memory(settings: Settings, store: tuple[Path, str], memory: Remembered) -> None:
    """Refuse to go on with a mirror that adds to what the user says, and that is not the user's."""
    adds = memory.adds_to(settings)
    if adds and not is_own(settings, store[1], memory):
        refuse_store(str(store[0]), f"the mirror remembers {', '.join(map(said, adds))}")


def make_own(settings: Settings, store_id: str, memory: Remembered = NOTHING_REMEMBERED) -> None:
    """Write into the user's record that a store may remember this. A run does not fail for it."""
    if settings.folder.record and not is_on_server(settings):
        try:
            TrustRecord(Path(settings.folder.record)).put_store(store_id, memory.digest)
        except FailedError as error:
            notice_once(f"{error.message}; so this store will have to be trusted (`holdfast config trust`)")


def take_in(settings: Settings, store_id: str, before: Remembered, now: Remembered) -> None:
    """Write into the user's record what a mirror remembers `now`, where what it remembered is the user's."""
    word = settings.folder
    if _has(word, store_id, before):
        if now != before:
            make_own(settings, store_id, now)
        return
    is_same = before.sources == now.sources or _has(word, store_id, NOTHING_REMEMBERED)
    if is_same and not before.adds_to(settings):
        make_own(settings, store_id, now)


def hand_on(settings: Settings, source_id: str, store_id: str, memory: Remembered) -> None:
    """Write into the user's record that another store has a mirror now that was the user's."""
    if _has(settings.folder, source_id, memory):
        make_own(settings, store_id, memory)


def _has(word: FolderWord, store_id: str, memory: Remembered) -> bool:
    return bool(word.record) and TrustRecord(Path(word.record)).has_store(store_id, memory.digest)


def _trusts_all(environment: Mapping[str, str]) -> bool:
    word = environment.get("HOLDFAST_TRUST", "")
    if word not in ("", "all"):
        raise ConfigError(
            f"HOLDFAST_TRUST = {word!r}: expected all", hint="it trusts the settings of any folder"
        )
    return word == "all"


def record_in(environment: Mapping[str, str]) -> TrustRecord | None:
    """The user's record, by the rules of XDG: a path that is not absolute does not count."""
    named = Path(environment.get("XDG_STATE_HOME", ""))
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "")
    base = named if named.is_absolute() else home / ".local" / "state"
    return TrustRecord(base / "holdfast" / "trust") if base.is_absolute() else None


def outside_of(folder: Path) -> Outside:
    """Tells where a path leads that leads out of a folder, symlinks followed."""
    inside = followed(folder)

    def outside(path: str) -> str:
        try:
            place = followed(folder / path)
        except (OSError, ValueError):  # a ring of symlinks, a name that no file can have: it leads nowhere
            return str(folder / path)
        return "" if place.is_relative_to(inside) else str(place)

    return outside
