"""What is written beside a page, or at its head (PATH-9).

1. The sidecar (`index.json` beside `index.md`) holds everything known of the page's last fetch.
2. Front matter holds only fields that do not move from fetch to fetch, so that a page's bytes stay a
   function of its content. It is YAML in which every value is a JSON string.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

_flat = json.JSONEncoder(ensure_ascii=False, separators=(",\n  ", ": ")).encode

__all__ = ["SCHEMA", "Sidecar", "front_matter", "read_sidecar", "write_sidecar"]

SCHEMA: Final = "holdfast.sidecar/1"
_STEADY: Final = (
    "url_hash",
    "content_hash",
    "source_url",
    "canonical_url",
    "title",
    "normalization_version",
    "markdown_version",
)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The fields of PATH-9, in its order, and the page's warnings (TXT-6)."""

    url_hash: str
    content_hash: str
    source_url: str
    canonical_url: str
    crawl_depth: int
    title: str
    normalization_version: str
    markdown_version: str
    fetched_at: str
    status_code: int
    etag: str | None
    last_modified: str | None
    warnings: tuple[str, ...] = ()
    markdown_source: str | None = None

    def fields(self) -> dict[str, Any]:
        """Name and value of every field; where Markdown came from is said only if the site gave it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        if self.markdown_source is None:
            del fields["markdown_source"]
        return fields


def write_sidecar(sidecar: Sidecar) -> bytes:
    """The sidecar's bytes."""
    fields = {"schema": SCHEMA, **sidecar.fields()}
    if sidecar.warnings:
        return (json.dumps(fields, ensure_ascii=False, indent=2) + "\n").encode()
    # With an indent `json.dumps` is ten times as slow; of values that hold no others the bytes are the same.
    return ("{\n  " + _flat(fields)[1:-1] + "\n}\n").encode()


def read_sidecar(data: bytes | None) -> dict[str, Any]:
    """The fields of a sidecar; none where it is missing, or is not one."""
    try:
        found = json.loads(data or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def front_matter(sidecar: Sidecar) -> str:
    """A YAML block for the head of the page."""
    fields = sidecar.fields()
    lines = (f"{name}: {_quoted(fields[name])}" for name in _STEADY)
    return "\n".join(["---", *lines, "---", "", ""])


def _quoted(text: str) -> str:
    # JSON strings are YAML strings, but for characters that YAML wants escaped and JSON does not.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")
