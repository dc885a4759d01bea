"""What is written beside a page, or at its head (PATH-9).

1. The sidecar (`index.json` beside `index.md`) holds everything known of the page's last fetch.
   `sections` are the page's, in order (SCT-1), each on a line: its id, the titles down to it, its hash, and
   which bytes of the file say it. `title` is without the site's; where that is less, `full_title` is all.
   Sections are encoded where the page is read (`write_outline`), their ids without the page's hash, since
   a page may turn out to be the Markdown of another.
2. Front matter holds only fields that do not move from fetch to fetch, so that a page's bytes stay a
   function of its content. It is YAML in which every value is a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, Final

from holdfast.core.base.plain_data import read_json
from holdfast.core.base.shown_text import harmless_json
from holdfast.core.base.values import dataclass
from holdfast.core.page.section import KeptSection, SectionKind, SectionPlace, section_id

_flat = json.JSONEncoder(ensure_ascii=False, separators=(",\n  ", ": ")).encode
_broken = json.JSONEncoder(ensure_ascii=False, separators=(",\n", ": ")).encode

SCHEMA: Final = "holdfast.sidecar/1"
_STEADY: Final = (
    "url_hash",
    "content_hash",
    "source_url",
    "canonical_url",
    "title",
    "full_title",
    "language",
    "normalization_version",
    "markdown_version",
)
_SECTION_HASH: Final = re.compile(r"section_v1-[0-9a-f]{64}")
_IF_KNOWN: Final = ("markdown_source", "language")


@dataclass(frozen=True, slots=True)
class PageWords:
    """What the page says of itself, and what was odd about it (TXT-6)."""

    title: str
    full_title: str = ""
    language: str | None = None
    warnings: tuple[str, ...] = ()
    outline: bytes = b"[]"


@dataclass(frozen=True, slots=True)
class LastFetch:
    """What the last fetch of the page was told; `fetched_at` is written as it stands in the file."""

    fetched_at: str
    status_code: int
    etag: str | None = None
    last_modified: str | None = None


_FIELDS: Final = (
    "url_hash", "content_hash", "source_url", "canonical_url", "crawl_depth", "page.title",
    "normalization_version", "markdown_version", "fetch.fetched_at", "fetch.status_code", "fetch.etag",
    "fetch.last_modified", "page.warnings", "markdown_source", "page.full_title", "page.language",
)  # fmt: skip
"""The fields of PATH-9, in its order, and where they are found."""
_NAMES: Final = tuple(field.rpartition(".")[2] for field in _FIELDS)
_values: Final = attrgetter(*_FIELDS)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What a sidecar tells: which page it is, by what it was made, what it says, how it was fetched."""

    url_hash: str
    content_hash: str
    source_url: str
    canonical_url: str
    crawl_depth: int
    normalization_version: str
    markdown_version: str
    page: PageWords
    fetch: LastFetch
    markdown_source: str | None = None

    def fields(self) -> dict[str, Any]:
        """Name and value of every field but sections; what is not known, or adds nothing, is left out."""
        fields = dict(zip(_NAMES, _values(self), strict=True))
        if self.page.full_title in ("", self.page.title):
            del fields["full_title"]
        return {name: value for name, value in fields.items() if value is not None or name not in _IF_KNOWN}


def write_sidecar(sidecar: Sidecar) -> bytes:
    """The sidecar's bytes."""
    fields = {"schema": SCHEMA, **sidecar.fields()}
    if sidecar.page.warnings:
        head = json.dumps(fields, ensure_ascii=False, indent=2)[:-2]
    else:
        # With an indent `json.dumps` is ten times as slow; of plain values the bytes are the same.
        head = "{\n  " + _flat(fields)[1:-1]
    # Inside a text every quotation mark is escaped: where this stands, a section begins.
    sections = sidecar.page.outline.replace(b'{"id": "', b'{"id": "%s' % sidecar.url_hash.encode())
    return harmless_json(head).encode("utf-8", "replace") + b',\n  "sections": ' + sections + b"\n}\n"


def write_outline(sections: Iterable[tuple[KeptSection, SectionPlace]]) -> bytes:
    """The sections of a sidecar, each on a line, their ids without the page's hash. All are encoded at once:
    a line break, which is in no encoded text, stands after each value at first, and NUL, which is in none
    either, for those that stay.
    """
    text = _broken([_section(*pair) for pair in sections])[1:-1]
    if not text:
        return b"[]"
    text = text.replace("},\n{", "},\0{").replace(",\n", ", ").replace("\0", "\n    ")
    return harmless_json(f"[\n    {text}\n  ]").encode("utf-8", "replace")


def read_sections(document: Mapping[str, Any], url_hash: str) -> tuple[KeptSection, ...]:
    """The sections that a sidecar names, as the ledger keeps them; none where one of them cannot be read."""
    try:
        return tuple(
            KeptSection(
                str(section["id"]).removeprefix(url_hash).removeprefix("#"),
                tuple(map(str, section["path"])),
                str(section["name"]) if section.get("name") else None,
                str(SectionKind(section["kind"])),
                _hash(section["hash"]),
            )
            for section in document.get("sections", ())
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()


def _hash(text: str) -> str:
    if not _SECTION_HASH.fullmatch(text):
        raise ValueError(f"{text!r} is not the hash of a section")
    return text


def _section(section: KeptSection, place: SectionPlace) -> dict[str, Any]:
    named = {"name": section.name} if section.name else {}
    return {
        "id": section_id("", section.anchor),
        "path": section.path,
        "level": place.level,
        "kind": section.kind,
        **named,
        "hash": section.content,
        "bytes": place.spans,
    }


def read_sidecar(data: bytes | None) -> dict[str, Any]:
    """The fields of a sidecar; none where it is missing, or is not one."""
    try:
        found = read_json(data or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def front_matter(sidecar: Sidecar) -> str:
    """A YAML block for the head of the page."""
    fields = sidecar.fields()
    lines = (f"{name}: {_quoted(fields[name])}" for name in _STEADY if name in fields)
    return "\n".join(["---", *lines, "---", "", ""])


def _quoted(text: str) -> str:
    # JSON strings are YAML strings, but for characters that YAML wants escaped and JSON does not.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")
