"""The URL of a mirrored file (PATH-8)."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.mirror_lookup import find_file
from holdfast.core.mirror_plan import Layout, url_in_name

__all__ = ["url_of_file"]


def url_of_file(file: Path, layout: Layout) -> str | None:
    """The URL of a mirrored file: from its name, else from the sidecar, else from the manifest (PATH-8)."""
    found = find_file(file)
    named = Layout(found.layout) if found.layout in set(Layout) else layout
    in_name = url_in_name(found.path, named, found.scheme or "https")
    return in_name or found.sidecar_url or found.manifest_urls.get(found.path)
