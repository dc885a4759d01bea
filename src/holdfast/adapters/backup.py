"""A copy of a state folder that is consistent, also while a writer is at work (STA-7).

1. The ledger is copied in one read transaction; then the archive's files, each as far as that ledger has
   committed it. Files only grow, so what is copied is what the ledger's copy speaks of.
2. Where the archive was written anew meanwhile (`forget`, `gc`, `archive repair`), files are gone that the
   copy speaks of: then all is copied again.
3. The copy gets its name when it is whole and durable; a draft that was left behind is written over.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from holdfast.adapters.sqlite.connection import Database
from holdfast.adapters.warc.files import archive_files, make_folder, sync_folder, translated, write_file
from holdfast.adapters.warc.recovery import ORPHANS, stretch
from holdfast.core.answers.upkeep import StateBackup
from holdfast.core.errors import ArchiveError, UsageError

__all__ = ["back_up"]

_TRIES: Final = 5


def back_up(state: Path, to: Path) -> StateBackup:
    """Copy ledger and archive to a folder that is not there yet."""
    if to.exists():
        raise UsageError(f"{to} is there already", hint="name a folder that is not there yet")
    draft = to.with_name(to.name + ".partial")
    with translated(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        for last in (False,) * (_TRIES - 1) + (True,):
            if draft.is_dir():
                shutil.rmtree(draft)
            make_folder(draft)
            try:
                ends = _copy_ledger(state / "ledger.db", draft / "ledger.db")
                size = _copy_archive(state / "archive", draft / "archive", ends)
                break
            except FileNotFoundError as error:
                if last:
                    raise ArchiveError(
                        f"{error.filename} is missing", hint="`holdfast archive check` says more"
                    ) from error
        sync_folder(draft)
        draft.rename(to)
        sync_folder(to.parent)
    return StateBackup(str(to), len(ends), size + (to / "ledger.db").stat().st_size)


def _copy_ledger(ledger: Path, copy: Path) -> dict[str, int]:
    """The ledger as it is at one moment; how far each archive file is committed in it."""
    db = Database(ledger, read_only=True)
    try:
        db.execute("PRAGMA query_only = OFF")  # it is the copy that is written
        db.execute("VACUUM INTO ?", (str(copy),))
    finally:
        db.close()
    copy.chmod(0o600)
    with copy.open("rb") as file:
        os.fsync(file.fileno())
    db = Database(copy, read_only=True)
    try:
        return dict(db.rows("SELECT name, committed_end FROM archive_file"))
    finally:
        db.close()
        for tail in ("-wal", "-shm"):
            copy.with_name(copy.name + tail).unlink(missing_ok=True)


def _copy_archive(archive: Path, copy: Path, ends: dict[str, int]) -> int:
    """The archive's files up to there, and what lies beside them."""
    make_folder(copy)
    size = 0
    for name, end in ends.items():
        write_file(copy / name, stretch(archive / name, 0, end))
        size += end
    if orphans := archive_files(archive / ORPHANS):
        make_folder(copy / ORPHANS)
    for path in orphans:
        write_file(copy / ORPHANS / path.name, stretch(path, 0, None))
        size += (copy / ORPHANS / path.name).stat().st_size
    return size
