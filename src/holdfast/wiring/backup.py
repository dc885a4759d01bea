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

from holdfast import wiring
from holdfast.adapters.sqlite.ledger import copy_ledger
from holdfast.adapters.system import sync_folder
from holdfast.adapters.warc.copying import copy_archive
from holdfast.adapters.warc.files import make_folder, translated
from holdfast.core.answers.upkeep import StateBackup
from holdfast.core.errors import ArchiveError, UsageError
from holdfast.core.settings import Settings
from holdfast.wiring.moving_ledger import copy_ledger_to
from holdfast.wiring.states import ARCHIVE, LEDGER, state_of
from holdfast.wiring.store import orphan_shelf, shelf_of

__all__ = ["back_up"]

_TRIES: Final = 5
_FETCHED: Final = "fetched"


def back_up(settings: Settings, to: Path) -> StateBackup:
    """Copy ledger and archive, wherever they are, to a folder that is not there yet."""
    state = state_of(settings)
    if to.exists():
        raise UsageError(f"{to} is there already", hint="name a folder that is not there yet")
    draft = to.with_name(to.name + ".partial")
    with translated(to):
        make_folder(to.parent, parents=True)
        for last in (False,) * (_TRIES - 1) + (True,):
            if draft.is_dir():
                shutil.rmtree(draft)
            make_folder(draft)
            try:
                ends = copy_ledger(_file_of(settings, state, draft), draft / LEDGER)
                shelves = shelf_of(settings, state), orphan_shelf(settings, state, ends)
                size = copy_archive(*shelves, draft / ARCHIVE, ends)
                break
            except FileNotFoundError as error:
                if last:
                    raise ArchiveError(
                        f"{error.filename} is missing", hint="`holdfast archive check` says more"
                    ) from error
        shutil.rmtree(draft / _FETCHED, ignore_errors=True)
        sync_folder(draft)
        draft.rename(to)
        sync_folder(to.parent)
    return StateBackup(str(to), len(ends), size + (to / LEDGER).stat().st_size)


def _file_of(settings: Settings, state: Path, draft: Path) -> Path:
    """The file that a ledger is in; one that is on a server is brought here first."""
    if settings.store.ledger is None:
        return state / LEDGER
    copy_ledger_to(wiring.server.server_address(settings), str(draft / _FETCHED))
    return draft / _FETCHED / LEDGER
