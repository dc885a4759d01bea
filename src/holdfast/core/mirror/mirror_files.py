"""Which files a mirror should have. `verify` compares them with the folder, a rebuild writes them.

    kind           there where                                    made of
    ------------   --------------------------------------------   ------------------------------------
    page           the mirror holds the page                      its capture (`page_files.page_of`)
    sidecar        the same, and `sidecar` is `json`              the same
    manifest       always                                         the pages, and how the last run ended
    index          always                                         the pages
    list           `llms_txt`                                     the pages, and the text of their files
    checkpoint     always, in the mirror's own folder             what the runs were done with
    placeholder    a URL failed or was skipped when last asked    the ledger, the skipped one's capture

Images have the hash of their bytes as their names: they tell themselves whether they are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import Enum, auto
from typing import Final, NamedTuple

from holdfast.core.base.long_lists import Rows
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.mirror.checkpoint import FAILED_LOG, PROCESSED, PROGRESS
from holdfast.core.mirror.description import Pages, index_pieces, llms_files
from holdfast.core.mirror.index import FULL, INDEX, SHORT
from holdfast.core.mirror.manifest import MANIFEST
from holdfast.core.url.name_plan import sidecar_of

_NAMED: Final = (MANIFEST, INDEX, PROCESSED, PROGRESS, FAILED_LOG)
ADMITTED: Final = (*_NAMED, SHORT, FULL, *(f"{name}.corrupt" for name in _NAMED))
"""The files of our own that may be there, whether or not they should."""


class FileKind(Enum):
    """A row of the table."""

    PAGE = auto()
    SIDECAR = auto()
    MANIFEST = auto()
    INDEX = auto()
    LIST = auto()
    CHECKPOINT = auto()
    PLACEHOLDER = auto()


class MirrorFile(NamedTuple):
    """A file that should be there. `pieces` makes its bytes, as often as asked; None where it takes a capture
    or a run to make them, or where nobody can tell them any more. `time`: when its URL answered.
    """

    path: str
    kind: FileKind
    pieces: Callable[[], Iterable[bytes]] | None = None
    time: datetime | None = None


def mirror_files(
    order: Order,
    pages: Pages,
    placeholders: Iterable[MirrorFile],
    read: Callable[[str], bytes | None],
    rows: Callable[[], Rows],
) -> Iterator[MirrorFile]:
    """The files, in the order of the table; `read` gives a page's file, `rows` sort what is long."""
    for page in pages():
        path = page.facts.path
        yield MirrorFile(path, FileKind.PAGE)
        if order.has_sidecars:
            yield MirrorFile(sidecar_of(path), FileKind.SIDECAR)
    yield MirrorFile(MANIFEST, FileKind.MANIFEST)
    yield MirrorFile(INDEX, FileKind.INDEX, lambda: index_pieces(pages, rows()))
    if order.settings.files.llms_txt:
        for path, pieces in llms_files(pages, read, rows):
            yield MirrorFile(path, FileKind.LIST, pieces)
    yield MirrorFile(PROCESSED, FileKind.CHECKPOINT)
    yield from placeholders
