"""A copy of an archive as far as a ledger has committed it. Files only grow: a writer may go on meanwhile."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.warc.files import ORPHANS, make_folder, write_file
from holdfast.adapters.warc.recovery import stretch
from holdfast.adapters.warc.shelf import Shelf

__all__ = ["copy_archive"]


def copy_archive(archive: Shelf, orphans: Shelf, copy: Path, ends: dict[str, int]) -> int:
    """The archive's files up to there, and what lies beside them."""
    make_folder(copy)
    size = 0
    for name, end in ends.items():
        write_file(copy / name, stretch(archive.file(name), 0, end))
        size += end
    aside = copy / ORPHANS
    for path in orphans.files():
        make_folder(aside)
        write_file(aside / Path(path.name).name, stretch(path, 0, None))
        size += (aside / Path(path.name).name).stat().st_size
    return size
