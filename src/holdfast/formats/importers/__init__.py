"""Settings of other link checkers, read into ours: what they mean here, and what has no meaning here.

1. Nothing is executed: a file is data.
2. Every setting that was read ends up somewhere: as a setting of ours, as lines for `.holdfastignore`, or
   as a note that says why not. Nothing is dropped in silence.
3. What is written is a whole `holdfast.toml`, which Holdfast reads.
"""

from __future__ import annotations

from holdfast.formats.importers.imported import Imported, write_settings
from holdfast.formats.importers.lychee import read_lychee, read_lycheecache, read_lycheeignore
from holdfast.formats.importers.sphinx import read_sphinx

__all__ = [
    "Imported",
    "read_lychee",
    "read_lycheecache",
    "read_lycheeignore",
    "read_sphinx",
    "write_settings",
]
