"""A copy of an archive as far as a ledger has committed it. Files only grow: a writer may go on meanwhile."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.warc.files import archive_files, make_folder, write_file
from holdfast.adapters.warc.recovery import ORPHANS, stretch

__all__ = ["copy_archive"]


def copy_archive(archive: Path, copy: Path, ends: dict[str, int]) -> int:
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
