"""What the commands do, as functions. The library reads neither the home folder nor the environment.

asking    questions: plain functions that read
working   what fetches, writes or takes long: coroutines
upkeep    small works on a state folder, and what needs none
calling   the conventions: settings, event loops

`holdfast` offers all of them as plain functions (here, made of the coroutines), `holdfast.aio` as coroutines.
"""

from __future__ import annotations

from holdfast.faces.library import working
from holdfast.faces.library.asking import (
    backlinks,
    broken,
    changed,
    changes,
    diff,
    export,
    graph,
    history,
    lineage,
    links,
    open_reader,
    pages,
    run_changes,
    runs,
    search,
    section_changes,
    show,
    site_broken,
)
from holdfast.faces.library.calling import blocking
from holdfast.faces.library.upkeep import (
    adopt,
    archive_index,
    back_up,
    check_archive,
    check_ledger,
    config,
    convert,
    copy_ledger,
    forget,
    gc,
    import_warc,
    list_jobs,
    migrate_ledger,
    notices,
    notify,
    paths,
    rebuild_ledger,
    rekey_ledger,
    submit,
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
    "config",
    "convert",
    "copy_ledger",
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
    "list_jobs",
    "migrate_ledger",
    "mirror",
    "mirror_plan",
    "notices",
    "notify",
    "open_reader",
    "pages",
    "paths",
    "rebuild",
    "rebuild_ledger",
    "rekey_ledger",
    "reprocess",
    "run_changes",
    "runs",
    "search",
    "section_changes",
    "show",
    "site_broken",
    "submit",
    "track",
    "verify",
]

fetch = blocking(working.fetch)
fix = blocking(working.fix, consent="fetch_urls")
mirror = blocking(working.mirror)
mirror_plan = blocking(working.mirror_plan)
rebuild = blocking(working.rebuild)
reprocess = blocking(working.reprocess)
track = blocking(working.track, consent="fetch_urls")
verify = blocking(working.verify)
