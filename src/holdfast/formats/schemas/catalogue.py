"""Every JSON that Holdfast publishes, by name. `make docs` writes docs/reference/schemas from this list.

A definition is imported when it is asked for: a command pays for its own alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final

from holdfast.formats.schemas.shape import Schema

__all__ = ["HOMES", "all_schemas", "schema_of"]

HOMES: Final = {
    "acting": ("action", "actions"),
    "browsing": ("cited", "documents", "overview", "page-links", "page-list", "run"),
    "citations": ("backlinks", "broken", "changed", "graph", "links", "site-broken"),
    "exporting": ("export",),
    "history": (
        "changes", "diff", "digest", "history", "lineage", "mirrors", "pages", "runs", "search",
        "search-everywhere", "section-changes", "show",
    ),
    "identity": ("canon", "fetch", "page", "path"),
    "mirror_files": (
        "mirror_manifest", "mirror_plan", "mirror_summary", "progress", "sidecar", "url-manifest",
    ),
    "notices": ("deliveries", "notices", "notices-dropped", "notification"),
    "sharing": ("jobs",),
    "tracking": (
        "fix", "proposed-fixes", "track", "track-change", "track-plan", "track_finding", "track_report",
    ),
    "upkeep": (
        "archive-check", "archive-pack", "archive-repair", "config", "config-trust", "db-adopt", "db-backup",
        "db-check", "db-copy", "db-migrate", "db-rebuild", "db-rekey", "error", "forget", "gc", "gc-orphans",
        "import-warc", "rebuild", "reprocess", "verify",
    ),
}  # fmt: skip
"""Which module defines which schemas."""

_MODULES: Final = {name: module for module, names in HOMES.items() for name in names}


def schema_of(name: str) -> Schema:
    """A schema by its name."""
    module = import_module(f"holdfast.formats.schemas.{_MODULES[name]}")
    schema: Schema = getattr(module, name.upper().replace("-", "_"))
    return schema


def all_schemas() -> Iterator[Schema]:
    """All of them, by name."""
    return map(schema_of, sorted(_MODULES))
