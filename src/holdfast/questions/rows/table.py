"""Every row and every published JSON, by name. Made by `make docs` from the sources: do not edit.

A module is imported when its row or its schema is asked for: a command pays for its own alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdfast.core.base.json_shape import Schema
    from holdfast.questions.rows.question import QuestionRow

ROWS: Final = {
    "diff": "questions.log.diff",
    "items": "questions.log.items",
    "log": "questions.log.log",
    "runs": "questions.log.run_list",
    "show": "questions.show",
    "status": "questions.kept_here",
    "verify": "jobs.upkeep.verify_row",
}
"""Which module defines which row."""

TOOLS: Final = ("diff", "log", "show", "status")
"""The rows that agents have."""

JOBS: Final[dict[str, str]] = {
    "verify": "jobs.upkeep.mirrors:verify_store",
}
"""The rows that do something, and what does it."""

HOMES: Final = {
    "core.events.messages": (
        "notification",
        "notify-deliveries",
        "notify-dropped",
        "notify-list",
    ),
    "core.findings.report_files": (
        "check-finding",
        "track_report",
    ),
    "core.lineage.shared_jobs": ("cluster-jobs",),
    "core.mirror.file_schemas": (
        "mirror_manifest",
        "progress",
        "sidecar",
        "url-manifest",
    ),
    "core.page.corpus": ("export",),
    "jobs.check.check_result": (
        "check-change",
        "check-plan",
        "track",
    ),
    "jobs.check.fixed": ("fix",),
    "jobs.mirror.summary": (
        "mirror-plan",
        "mirror-summary",
    ),
    "jobs.probe": ("url-probe",),
    "jobs.sync.acting": (
        "action",
        "actions",
    ),
    "jobs.sync.sync_result": ("sync",),
    "jobs.upkeep.forget_row": (
        "forget",
        "gc",
        "gc-orphans",
        "store-pack",
    ),
    "jobs.upkeep.restore_row": (
        "restore",
        "store-reprocess",
    ),
    "jobs.upkeep.store_commands": (
        "store-backup",
        "store-copy",
        "store-import",
        "store-join",
        "store-migrate",
        "store-rebuild",
        "store-rekey",
    ),
    "questions.browse": (
        "cited",
        "documents",
        "page-links",
        "page-list",
    ),
    "questions.config": (
        "config",
        "config-trust",
    ),
    "questions.convert": ("page",),
    "questions.fixes": ("proposed-fixes",),
    "questions.link_graph": ("graph",),
    "questions.link_words": (
        "backlinks",
        "broken",
        "changed",
        "links",
        "site-broken",
    ),
    "questions.log.runs": ("pages",),
    "questions.rows.question": ("error",),
    "questions.search": (
        "search",
        "search-everywhere",
    ),
    "questions.url_forms": (
        "url-canon",
        "url-path",
    ),
}
"""Which module defines which schemas, besides those of rows."""

_MODULES: Final = {name: module for module, names in HOMES.items() for name in names}


def question_named(name: str) -> QuestionRow[..., Any]:
    """A row by its name."""
    module = import_module(f"holdfast.{ROWS[name]}")
    found: QuestionRow[..., Any] = getattr(module, name.replace("-", "_"))
    return found


def schema_of(name: str) -> Schema:
    """A schema by its name."""
    if name in ROWS:
        return question_named(name).schema()
    module = import_module(f"holdfast.{_MODULES[name]}")
    schema: Schema = getattr(module, name.upper().replace("-", "_"))
    return schema


def all_schemas() -> Iterator[Schema]:
    """All of them, by name."""
    return map(schema_of, sorted([*ROWS, *_MODULES]))
