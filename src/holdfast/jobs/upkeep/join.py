"""A mirror's own history brought into its root's (STA-6).

1. Captures are written to new files of the root's archive, which are spare until the ledger has taken all
   of the history in, in one transaction: a crash before leaves nothing behind. What is there already is not
   written again.
2. Then the mirror's own store gets another name. A crash before that leaves two histories of one
   folder, which every command names; the same command again finishes it.
3. Nothing is deleted: what was the mirror's own is kept under its new name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.adapters.system import followed, sync_folder
from holdfast.core.base.errors import ArchiveError, RefusedError, UsageError
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.mirror.remembered import remembered_by
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.mirror_place import manifest_in, mirror_label
from holdfast.jobs.places import ARCHIVE, LEDGER, named_state
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.trust import hand_on
from holdfast.jobs.upkeep.rekey import rekey_ledger
from holdfast.jobs.upkeep.store_commands import StateAdopted
from holdfast.storage.archive.archive import WarcArchive
from holdfast.storage.archive.packing import FULL_OBJECT, RepeatedBodies
from holdfast.storage.archive.shelf import FolderShelf
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from holdfast.storage.state_folder import (
    KEPT_NAME,
    STATE_NAME,
    check_state,
    has_history,
    in_words,
    lock,
    root_state,
)

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.ledger.restoring import Arrived
    from holdfast.storage.store_ports import Archive

_MORE: Final = 4
"""Files of the archive beyond those that the bytes of the other would fill: records are packed anew."""


def adopt_state(settings: Settings, folder: Path) -> StateAdopted:
    """Bring the history in a folder into that of its root."""
    folder = followed(folder)
    source = folder / STATE_NAME
    root = named_state(settings) or root_state(folder)
    kept = source.with_name(KEPT_NAME)
    if (
        root is not None
        and not has_history(source)
        and (kept / LEDGER).is_file()
        and (root / LEDGER).is_file()
    ):
        return StateAdopted(str(root), mirror_label(settings, root, folder), 0, 0, 0, 0, str(kept))
    target = _target(source, root, folder)
    label = mirror_label(settings, target, folder)
    with lock(source, "store join"), open_store(target, "store join", settings) as session:
        done = _join(source, session, label)
    kept = _put_aside(source)
    return StateAdopted(str(target), label, done.runs, done.captures, done.items, done.lost, str(kept))


def _target(source: Path, target: Path | None, folder: Path) -> Path:
    """The root's store, if there is something to bring there."""
    if not (source / LEDGER).is_file():
        raise UsageError(
            f"{folder} has no ledger of its own",
            hint="name a mirror's folder that has one; `holdfast store rebuild` makes one from an archive"
            if has_history(source)
            else "name a mirror's folder that has a .holdfast/ledger.db",
        )
    if target is None or target == source:
        raise UsageError(
            f"there is no root above {folder} to bring its history into",
            hint="make one (an empty holdfast.toml in a folder above), or name its state with --store",
        )
    check_state(source)
    return target


def _join(source: Path, session: Session, label: str) -> Arrived:
    now = session.clock.now()
    ledger, archive = session.ledger, session.archive
    other = open_ledger(source / LEDGER, now, read_only=True)
    named = lambda name: label if name == "." else f"{label}/{name}"  # noqa: E731 - a name for the lines below
    try:
        _refuse_strangers(ledger, other, named)
        limit = min(
            session.settings.store.archive_file_mb * 1_000_000, FULL_OBJECT
        )  # a name too many costs nothing
        count = 2 * sum(other.archived.ends().values()) // limit + _MORE
        files = archive.next_files(count)
        ledger.archived.expect_spare(files)
        archive.begin_file()
        moved = bring_captures((other, WarcArchive(FolderShelf(source / ARCHIVE))), (ledger, archive))
        done = ledger.join(other, moved, named, now, files)
        memory = remembered_by(manifest_in(source.parent))
        hand_on(session.settings, other.archived.store_id(), session.store_id, memory)
        if other.joins.version() != ledger.joins.version():
            rekey_ledger(session, only_known=True)
        return done
    finally:
        other.close()


def _refuse_strangers(ledger: Ledger, other: Ledger, named: Callable[[str], str]) -> None:
    """Two mirrors of one site, made in the same way, give their runs the same ids: then only one of them can
    be in a ledger.
    """
    for record in other.runs.latest_first():
        here = ledger.runs.run(record.run.run_id)
        if here is None or here.run.run_id != record.run.run_id:
            continue
        if (here.run.label, here.run.started_at) != (named(record.run.label), record.run.started_at):
            raise RefusedError(
                f"the root knows a run with the id {record.run.run_id[:12]} already, of {here.run.label}",
                hint="another mirror of the same source, or a copy of this one: it keeps its own history",
            )


def _put_aside(source: Path) -> Path:
    """Give a store a name under which it is not found."""
    number = 1
    while (kept := source.with_name(KEPT_NAME + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    with in_words(source):
        source.rename(kept)
        sync_folder(source.parent)
    return kept


def bring_captures(
    source: tuple[Ledger, Archive], target: tuple[Ledger, Archive]
) -> dict[str, RecordRef | None]:
    """Write a store's captures to another's archive, durably: where each is now; None for what cannot be
    read any more.
    """
    ledger, archive = source
    there = {record.capture_id: record.ref for record in target[0].archived.captures()}
    bodies, moved = RepeatedBodies(), dict[str, RecordRef | None]()
    for record in ledger.archived.captures():
        if record.ref is None:
            continue
        if (known := there.get(record.capture_id)) is not None:
            bodies.note(record, known)
            continue
        try:
            capture = archive.read(record.ref)
        except ArchiveError:
            moved[record.capture_id] = None
            continue
        moved[record.capture_id] = ref = target[1].append(
            replace(capture, is_brought=True), bodies.original(record)
        )
        bodies.note(record, ref)
    target[1].sync()
    return moved
