"""What a folder holds, as Holdfast itself tells it; run in a fork of the stage."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from holdfast.core.base.errors import ArchiveError, LedgerError, VersionError
from holdfast.core.settings.resolve import resolve
from holdfast.jobs.session import read_store

__all__ = ["Survey", "outcome", "survey"]

_OF_ONE_RUN = ("_progress.json", "_failed.log", "lock")
_TIMES = ("fetched_at", "crawl")


def outcome(root: str) -> dict[str, str]:
    """Everything that is a function of what the site said: files without their times, what the ledger has."""
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".holdfast")]
        for name in names:
            if name not in _OF_ONE_RUN and not name.endswith(".corrupt"):
                path = Path(folder, name)
                found[path.relative_to(root).as_posix()] = _digest(path)
    for state in Path(root).rglob(".holdfast"):
        with contextlib.suppress(LedgerError, VersionError):
            found |= {f"ledger: {key}": value for key, value in _ledger(state).items()}
    return found


def _digest(path: Path) -> str:
    data = path.read_bytes()
    if path.name == "_processed.txt":
        data = b"".join(sorted(set(data.splitlines(keepends=True))))
    elif path.suffix == ".json":
        with contextlib.suppress(ValueError):  # torn: then it is like nothing
            data = json.dumps(_timeless(json.loads(data)), sort_keys=True).encode()
    elif path.name.startswith(".url-manifest"):
        data = b"".join(line for line in data.splitlines(keepends=True) if b"_at" not in line)
    return hashlib.sha256(data).hexdigest()


def _timeless(value):
    if isinstance(value, dict):
        return {key: _timeless(inner) for key, inner in value.items() if key not in _TIMES}
    return value


def _ledger(state: Path) -> dict[str, str]:
    """Which versions of which address are known, in their order, under each recipe; and what is cited."""
    found = {}
    with read_store(resolve(), state) as store:
        ledger = store.ledger
        for web_key in sorted({record.place.web_key for record in ledger.archived.captures()}):
            versions: dict[str, list[str]] = {}
            for seen in ledger.history.of_url(web_key):
                if seen.item is not None:
                    known = versions.setdefault(f"{seen.item.recipe} {seen.item.place.url}", [])
                    if seen.item.content_sha256 not in known[-1:]:
                        known.append(seen.item.content_sha256)
            for name, hashes in versions.items():
                found[name] = " ".join(hashes)
        for label in {record.run.label for record in ledger.runs.latest_first()}:
            for row in ledger.pages.by_path(label):
                found[f"{label}/{row.facts.path}"] = f"{row.facts.file_sha256} {row.gone_at is not None}"
    return found


@dataclass(frozen=True)
class Survey:
    """Captures that a ledger knows and its archive gives back whole; pages that have one, and their files."""

    captures: frozenset[str]
    pages: dict[str, str]


def survey(root: str) -> Survey:
    """What the stores below a folder hold, as Holdfast reads it."""
    captures: set[str] = set()
    pages: dict[str, str] = {}
    for state in Path(root).rglob(".holdfast"):
        if (state / "ledger.db").is_file():
            with contextlib.suppress(LedgerError, VersionError):  # what cannot be read knows nothing
                _look_through(state, Path(root), captures, pages)
    return Survey(frozenset(captures), pages)


def _look_through(state: Path, root: Path, captures: set[str], pages: dict[str, str]) -> None:
    with read_store(resolve(), state) as store:
        for record in store.ledger.archived.captures():
            with contextlib.suppress(ArchiveError):
                if record.ref is None or store.archive.read(record.ref) is not None:
                    captures.add(record.capture_id)
        for label in {record.run.label for record in store.ledger.runs.latest_first()}:
            for row in store.ledger.pages.by_path(label):
                seen = store.ledger.history.of_url(row.place.web_key)
                if any(one.item and one.capture.capture_id in captures for one in seen):
                    path = (state.parent / label / row.facts.path).relative_to(root)
                    pages[row.place.url] = path.as_posix()
