"""The library as coroutines: `await holdfast.aio.mirror(…)` where `holdfast.mirror(…)` would wait.

Every function has the name, the arguments and the answer of its plain form. What fetches runs in the loop;
what only reads runs in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from os import PathLike
from typing import Any, ParamSpec, TypeVar, Unpack, cast

from holdfast.core.answers.mirrors import MirrorPage
from holdfast.core.export import ExportRecord
from holdfast.faces.library import asking, upkeep, working
from holdfast.faces.library.given_settings import GivenSettings

P = ParamSpec("P")
T = TypeVar("T")


def _in_thread(ask: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The coroutine form of a plain function."""

    @wraps(ask)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(ask, *args, **kwargs)

    call.__module__ = "holdfast.aio"
    return cast("Callable[P, Coroutine[Any, Any, T]]", call)


adopt = _in_thread(upkeep.adopt)
archive_index = _in_thread(upkeep.archive_index)
back_up = _in_thread(upkeep.back_up)
backlinks = _in_thread(asking.backlinks)
broken = _in_thread(asking.broken)
changed = _in_thread(asking.changed)
changes = _in_thread(asking.changes)
check_archive = _in_thread(upkeep.check_archive)
check_ledger = _in_thread(upkeep.check_ledger)
convert = _in_thread(upkeep.convert)
copy_ledger = _in_thread(upkeep.copy_ledger)
diff = _in_thread(asking.diff)
fetch = working.fetch
fix = working.fix
forget = _in_thread(upkeep.forget)
gc = _in_thread(upkeep.gc)
graph = _in_thread(asking.graph)
history = _in_thread(asking.history)
import_warc = _in_thread(upkeep.import_warc)
lineage = _in_thread(asking.lineage)
links = _in_thread(asking.links)
list_jobs = _in_thread(upkeep.list_jobs)
migrate_ledger = _in_thread(upkeep.migrate_ledger)
mirror = working.mirror
mirror_plan = working.mirror_plan
notices = _in_thread(upkeep.notices)
notify = _in_thread(upkeep.notify)
rebuild = working.rebuild
rebuild_ledger = _in_thread(upkeep.rebuild_ledger)
rekey_ledger = _in_thread(upkeep.rekey_ledger)
reprocess = working.reprocess
run_changes = _in_thread(asking.run_changes)
runs = _in_thread(asking.runs)
search = _in_thread(asking.search)
section_changes = _in_thread(asking.section_changes)
show = _in_thread(asking.show)
site_broken = _in_thread(asking.site_broken)
submit = _in_thread(upkeep.submit)
track = working.track
verify = working.verify


@_in_thread
def pages(folder: str | PathLike[str] = ".", **settings: Unpack[GivenSettings]) -> list[MirrorPage]:
    """The pages of a mirror, by path, all at once."""
    return list(asking.pages(folder, **settings))


@_in_thread
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
