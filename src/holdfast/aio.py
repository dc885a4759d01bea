"""The library as coroutines: `await holdfast.aio.mirror(…)` where `holdfast.mirror(…)` would wait.

Every function has the name, the arguments and the answer of its plain form. What fetches runs in the loop;
what only reads runs in a thread.
"""

from __future__ import annotations

from os import PathLike
from typing import Unpack

from holdfast.core.answers.mirrors import MirrorPage
from holdfast.core.export import ExportRecord
from holdfast.faces.library import asking, upkeep
from holdfast.faces.library.calling import in_thread
from holdfast.faces.library.given_settings import GivenSettings
from holdfast.faces.library.working import (
    fetch,
    fix,
    mirror,
    mirror_plan,
    rebuild,
    reprocess,
    track,
    verify,
)

__all__ = [
    "adopt",
    "archive_index",
    "back_up",
    "backlinks",
    "broken",
    "changed",
    "changes",
    "check_archive",
    "check_ledger",
    "convert",
    "diff",
    "export",
    "fetch",
    "fix",
    "forget",
    "gc",
    "graph",
    "history",
    "import_warc",
    "lineage",
    "links",
    "migrate_ledger",
    "mirror",
    "mirror_plan",
    "pages",
    "rebuild",
    "rebuild_ledger",
    "reprocess",
    "run_changes",
    "runs",
    "search",
    "show",
    "track",
    "verify",
]

archive_index = in_thread(upkeep.archive_index)
backlinks = in_thread(asking.backlinks)
broken = in_thread(asking.broken)
changed = in_thread(asking.changed)
changes = in_thread(asking.changes)
check_archive = in_thread(upkeep.check_archive)
check_ledger = in_thread(upkeep.check_ledger)
convert = in_thread(upkeep.convert)
diff = in_thread(asking.diff)
forget = in_thread(upkeep.forget)
gc = in_thread(upkeep.gc)
graph = in_thread(asking.graph)
history = in_thread(asking.history)
import_warc = in_thread(upkeep.import_warc)
lineage = in_thread(asking.lineage)
links = in_thread(asking.links)
migrate_ledger = in_thread(upkeep.migrate_ledger)
adopt = in_thread(upkeep.adopt)
back_up = in_thread(upkeep.back_up)
rebuild_ledger = in_thread(upkeep.rebuild_ledger)
run_changes = in_thread(asking.run_changes)
runs = in_thread(asking.runs)
search = in_thread(asking.search)
show = in_thread(asking.show)


@in_thread
def pages(folder: str | PathLike[str] = ".", **settings: Unpack[GivenSettings]) -> list[MirrorPage]:
    """The pages of a mirror, by path, all at once."""
    return list(asking.pages(folder, **settings))


@in_thread
def export(
    folder: str | PathLike[str] = ".",
    *,
    unit: str = "section",
    since: str | None = None,
    same: bool = False,
    max_tokens: int | None = None,
    **settings: Unpack[GivenSettings],
) -> list[ExportRecord]:
    """A mirror as records."""
    found = asking.export(folder, unit=unit, since=since, same=same, max_tokens=max_tokens, **settings)
    return list(found)
