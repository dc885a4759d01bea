"""The library as coroutines: `await holdfast.aio.mirror(…)` where `holdfast.mirror(…)` would wait.

Every function has the name, the arguments and the answer of its plain form. What fetches runs in the loop;
what only reads runs in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from holdfast.faces.library import asking, identity, rows, upkeep, working
from holdfast.faces.library.calling import awaited

P = ParamSpec("P")
T = TypeVar("T")


def _in_thread(ask: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The coroutine form of a plain function."""

    @wraps(ask)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(ask, *args, **kwargs)

    call.__module__ = "holdfast.aio"
    return cast("Callable[P, Coroutine[Any, Any, T]]", call)


def _listed(ask: Callable[P, Iterator[T]]) -> Callable[P, Coroutine[Any, Any, list[T]]]:
    """The coroutine form of what answers one after the other: a list of all."""

    @wraps(ask)
    def collect(*args: P.args, **kwargs: P.kwargs) -> list[T]:
        return list(ask(*args, **kwargs))

    return _in_thread(collect)


adopt = _in_thread(upkeep.adopt)
archive_index = _in_thread(upkeep.archive_index)
back_up = _in_thread(upkeep.back_up)
backlinks = _in_thread(asking.backlinks)
broken = _in_thread(asking.broken)
changed = _in_thread(asking.changed)
convert = _in_thread(identity.convert)
copy_ledger = _in_thread(upkeep.copy_ledger)
drop_notices = _in_thread(upkeep.drop_notices)
export = _listed(asking.export)
fetch = awaited(working.fetch)
fix = awaited(working.fix)
forget = _in_thread(upkeep.forget)
gc = _in_thread(upkeep.gc)
graph = _in_thread(asking.graph)
import_warc = _in_thread(upkeep.import_warc)
links = _in_thread(asking.links)
list_jobs = _in_thread(upkeep.list_jobs)
migrate_ledger = _in_thread(upkeep.migrate_ledger)
mirror = awaited(working.mirror)
mirror_plan = awaited(working.mirror_plan)
notices = _in_thread(upkeep.notices)
notify = _in_thread(upkeep.notify)
pack_archive = _in_thread(upkeep.pack_archive)
pages = _listed(asking.pages)
restore = awaited(working.restore)
rebuild_ledger = _in_thread(upkeep.rebuild_ledger)
rekey_ledger = _in_thread(upkeep.rekey_ledger)
remove_orphans = _in_thread(upkeep.remove_orphans)
reprocess = awaited(working.reprocess)
search = _in_thread(asking.search)
site_broken = _in_thread(asking.site_broken)
submit = _in_thread(upkeep.submit)
check = awaited(working.check)
check_plan = awaited(working.check_plan)
urls_of = _in_thread(identity.urls_of)
sync = awaited(working.sync)

if TYPE_CHECKING:
    # Rows, made by `make docs`.
    diff = _in_thread(rows.diff)
    items = _in_thread(rows.items)
    log = _in_thread(rows.log)
    runs = _in_thread(rows.runs)
    show = _in_thread(rows.show)
    status = _in_thread(rows.status)
    verify = _in_thread(rows.verify)
    # End of the rows.
else:

    def __getattr__(name: str) -> Any:
        """The coroutine form of a row, made when it is first asked for."""
        made = globals()[name] = _in_thread(getattr(rows, name))
        return made


def __dir__() -> list[str]:
    return [*globals(), *rows.__dir__()]
