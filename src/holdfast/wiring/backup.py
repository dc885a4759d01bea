"""A copy of a state folder that is consistent, also while a writer is at work (STA-7).

1. The ledger is copied in one read transaction; then the archive's files, each as far as that ledger has
   committed it. Files only grow, so what is copied is what the ledger's copy speaks of.
2. Where the archive was written anew meanwhile (`forget`, `gc`, `archive repair`), files are gone that the
   copy speaks of: then all is copied again.
3. The copy gets its name when it is whole and durable; a draft that was left behind is written over.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from holdfast.adapters.sqlite.ledger import copy_ledger
from holdfast.adapters.warc.copying import copy_archive
from holdfast.adapters.warc.files import make_folder, sync_folder, translated
from holdfast.core.answers.upkeep import StateBackup
from holdfast.core.errors import ArchiveError, UsageError
from holdfast.wiring.states import ARCHIVE, LEDGER

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
                ends = copy_ledger(state / LEDGER, draft / LEDGER)
                size = copy_archive(state / ARCHIVE, draft / ARCHIVE, ends)
                break
            except FileNotFoundError as error:
                if last:
                    raise ArchiveError(
                        f"{error.filename} is missing", hint="`holdfast archive check` says more"
                    ) from error
        sync_folder(draft)
        draft.rename(to)
        sync_folder(to.parent)
    return StateBackup(str(to), len(ends), size + (to / LEDGER).stat().st_size)
