"""State folders and mirrors: where they are, without opening them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from holdfast import wiring
from holdfast.adapters import state_folder
from holdfast.adapters.state_folder import (
    STATE_NAME,
    find_state,
    has_history,
    is_held,
    mirror_state,
    require_utf8,
    root_state,
)
from holdfast.core.errors import MirrorError, UsageError
from holdfast.core.settings import Settings
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.values import dataclass
from holdfast.wiring.notices import notice

__all__ = [
    "ARCHIVE",
    "LEDGER",
    "ORPHANS",
    "MirrorPlace",
    "document_path",
    "has_ledger",
    "in_use",
    "ledger_stamp",
    "mirror_label",
    "mirror_state_of",
    "named_state",
    "place_of",
    "state_near",
    "state_of",
]

LEDGER: Final = "ledger.db"
ARCHIVE: Final = "archive"
ORPHANS: Final = "orphans"


@dataclass(frozen=True, slots=True)
class MirrorPlace:
    """Where a mirror lies, where its state is, and what the ledger calls it."""

    folder: Path
    state: Path
    label: str


def state_of(settings: Settings, start: Path | None = None) -> Path:
    """The state folder that the settings name, or the nearest one upward from a file or folder. With a ledger
    on a server there may be none here: then only the archive cannot be asked.
    """
    named = named_state(settings)
    if named is not None:
        return named
    try:
        return find_state(start or Path.cwd())
    except UsageError:
        if settings.store.ledger is None:
            raise
        return Path.cwd() / STATE_NAME


def state_near(folder: Path, settings: Settings) -> Path:
    """The state folder of a mirror or of documents, by a folder of theirs: the nearest to it, before the one
    that the settings name.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    try:
        return find_state(folder)
    except UsageError:
        return state_of(settings, folder)


def named_state(settings: Settings) -> Path | None:
    """The state folder that the settings name, by itself or by the folder that has it; where it lies is the
    user's own affair, symlinks included.
    """
    require_trusted(settings)
    return state_folder.named_state(Path(settings.store.state)) if settings.store.state else None


def mirror_state_of(output: Path, settings: Settings) -> Path:
    """The state folder of a mirror: the one the settings name, the one that knows it, or a new one. Where a
    root knows a mirror that has a history of its own, both are named.
    """
    require_utf8(output, "a mirror")
    if (named := named_state(settings)) is not None:
        return named
    state, root = mirror_state(output, partial(_knows_mirror, settings)), root_state(output)
    if (
        root is not None
        and has_history(root)
        and state == output.resolve() / STATE_NAME
        and has_history(state)
    ):
        label = output.resolve().relative_to(root.parent).as_posix()
        if _knows_mirror(settings, root, label):
            notice(
                f"{output} has two histories: its own, which goes on, and one in {root}; "
                f"`holdfast db adopt {output}` joins them"
            )
    return state


def _knows_mirror(settings: Settings, state: Path, label: str) -> bool:
    """Most mirrors have a state folder of their own, which need not be opened to know that."""
    return wiring.store.knows_mirror(settings, state, label)


def place_of(folder: Path, settings: Settings) -> MirrorPlace:
    """A mirror by its folder. A folder without a state of its own or above is not a mirror."""
    state = mirror_state_of(folder, settings)
    if not has_ledger(settings, state):
        raise MirrorError(
            f"{folder} is not a mirror: there is no ledger in {state}",
            hint="`holdfast mirror SOURCE -o DIR` makes one; --state names a state folder elsewhere",
        )
    return MirrorPlace(folder, state, mirror_label(settings, state, folder))


def has_ledger(settings: Settings, state: Path) -> bool:
    """Whether there is a ledger to ask."""
    require_trusted(settings, STORED_IN)
    return settings.store.ledger is not None or (state / LEDGER).is_file()


def mirror_label(settings: Settings, state: Path, output: Path) -> str:
    """What the ledger calls a mirror: its folder's path from the folder that has the state. On a server that
    must be a name: every lone mirror would be called the same.
    """
    output, root = output.resolve(), state.resolve().parent
    inside = output.is_relative_to(root)
    label = output.relative_to(root).as_posix() if inside else output.as_posix()
    if settings.store.ledger is not None and (label == "." or not inside):
        raise UsageError(
            f"a ledger on a server needs a name for the mirror in {output}",
            hint="make a project, a folder with a holdfast.toml: the mirror is called by its path from there",
        )
    return label


def document_path(settings: Settings, path: Path) -> tuple[Path, str]:
    """The state folder that knows a document, and the document as its ledger names it, from the root."""
    state = state_of(settings, path if path.exists() else None)
    root, resolved = state.resolve().parent, path.resolve()
    return state, resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()


def in_use(state: Path) -> bool:
    """Whether a writer holds the state folder just now."""
    return is_held(state)


def ledger_stamp(state: Path) -> tuple[tuple[int, int] | None, ...]:
    """What changes when a ledger's file is written: the sizes and times of it and of its log, which comes and
    goes.
    """
    return tuple(_facts(state / name) for name in (LEDGER, f"{LEDGER}-wal"))


def _facts(file: Path) -> tuple[int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns
