"""Which tests are nearest to a module: those that import it, then those that its room names.

A mutant is judged by these alone, as far as they take a bounded time: a test far away may notice it too, but
then by chance, and nobody would learn from it where the fault is.
"""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["nearest_tests"]

TESTS = Path(__file__).parent.parent
_ROOMS = (
    "core", "formats", "distill", "adapters", "contracts", "jobs", "properties", "state", "questions",
    "track", "notify", "teams", "watch", "editor",
)  # fmt: skip
_BY_ROOM = {
    "holdfast.core.crawl": ("core/test_crawl_decision.py", "jobs/test_mirror_scenarios.py"),
    "holdfast.core.settings": ("faces/test_config.py",),
    "holdfast.core": ("core/test_vectors.py",),
    "holdfast.adapters.sql.frontier": ("contracts/test_frontier.py",),
    "holdfast.adapters.sql.joining": ("state/test_adopting.py",),
    "holdfast.adapters.sql.outbox": ("contracts/test_outbox.py",),
    "holdfast.adapters.sql.pages": ("contracts/test_pages.py",),
    "holdfast.adapters.sql": (
        "adapters/test_sqlite_ledger.py", "contracts/test_ledger_model.py", "contracts/test_forgetting.py",
        "contracts/test_history.py", "contracts/test_pages.py", "contracts/test_frontier.py",
        "contracts/test_citations.py", "contracts/test_sections.py", "contracts/test_runs.py",
        "contracts/test_archived.py", "state/test_ledger_made_anew.py",
    ),
    "holdfast.adapters.sqlite": ("adapters/test_sqlite_ledger.py", "adapters/test_store_faults.py"),
    "holdfast.adapters.warc": (
        "adapters/test_warc_archive.py", "adapters/test_store_faults.py",
        "state/test_nothing_is_destroyed.py",
        "state/test_damaged_archive.py", "state/test_import_warc.py", "state/test_ledger_made_anew.py",
    ),
    "holdfast.jobs.mirror": (
        "jobs/test_mirror_scenarios.py", "jobs/test_mirror_final_pass.py", "jobs/test_mirror_discovery.py",
        "jobs/test_update.py", "jobs/test_mirror_ends.py", "jobs/test_raw_first.py",
    ),
    "holdfast.jobs.track": (
        "faces/test_track.py", "jobs/test_track_nodes.py", "jobs/test_track_reading.py",
        "faces/test_track_library.py",
    ),
    "holdfast.jobs.forgetting": ("jobs/test_forget.py", "state/test_forgetting_is_whole.py"),
    "holdfast.jobs.rebuild": ("jobs/test_rebuild.py",),
    "holdfast.jobs.reprocess": ("jobs/test_reprocess.py",),
    "holdfast.jobs.verify": ("jobs/test_verify.py", "state/test_every_column.py"),
    "holdfast.jobs.verify_ledger": ("jobs/test_verify.py", "state/test_every_column.py"),
    "holdfast.jobs.fix": ("teams/test_fix_job.py",),
    "holdfast.jobs.moving": ("jobs/test_versions_side_by_side.py",),
    "holdfast.jobs.removal": ("jobs/test_forget.py", "state/test_forgetting_is_whole.py"),
    "holdfast.jobs.taking_in": ("state/test_import_warc.py",),
    "holdfast.jobs.indexing": ("jobs/test_indexing.py",),
    "holdfast.jobs.editing": ("editor/test_answers.py",),
    "holdfast.jobs": ("jobs/test_rebuild.py", "jobs/test_verify.py", "jobs/test_mirror_clean.py"),
}  # fmt: skip


def nearest_tests(module: str) -> list[Path]:
    """Test files, the nearest first."""
    importing = [file for file in _test_files() if module in _imports(file)]
    importing.sort(key=lambda file: len(_imports(file)))  # what imports little is about little
    rooms = [name for name in _BY_ROOM if module == name or module.startswith(f"{name}.")]
    named = [TESTS / path for name in sorted(rooms, key=len, reverse=True) for path in _BY_ROOM[name]]
    return [path for path in dict.fromkeys((*importing, *named)) if path.is_file()]


def _test_files() -> list[Path]:
    return sorted(file for room in _ROOMS for file in (TESTS / room).glob("test_*.py"))


_known: dict[Path, frozenset[str]] = {}


def _imports(file: Path) -> frozenset[str]:
    """The modules that a test names."""
    if file not in _known:
        found: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
            elif isinstance(node, ast.Import):
                found |= {name.name for name in node.names}
        _known[file] = frozenset(found)
    return _known[file]
