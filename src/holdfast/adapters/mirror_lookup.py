"""What a mirror on disk says about one of its files (PATH-8): manifest above it, sidecar beside it.

Read-only, and forgiving: a file that is missing, torn or of another kind tells nothing.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Any

from holdfast.core.plain_data import read_json
from holdfast.core.values import dataclass

__all__ = ["FoundFile", "find_file"]

_MANIFEST = "_manifest.json"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file's path within its mirror, and what is written about it."""

    path: str
    layout: str | None = None
    scheme: str | None = None
    sidecar_url: str | None = None
    manifest_urls: dict[str, str] = field(default_factory=dict)


def find_file(file: Path) -> FoundFile:
    """Look a file up in the mirror it is in; a bare relative path is taken as one within a mirror."""
    sidecar = _read(file.with_suffix(".json"))
    url = sidecar.get("canonical_url")
    root = next((folder for folder in file.absolute().parents if (folder / _MANIFEST).is_file()), None)
    if root is None:
        return FoundFile(file.as_posix().removeprefix("./"), sidecar_url=url)
    manifest = _read(root / _MANIFEST)
    layout = manifest.get("layout", {})
    pages = {page.get("path"): page.get("url") for page in manifest.get("pages", [])}
    path = file.absolute().relative_to(root).as_posix()
    return FoundFile(path, layout.get("name"), layout.get("scheme"), url, pages)


def _read(file: Path) -> dict[str, Any]:
    try:
        value = read_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
