"""What the documents of one folder cite, for people who review changes (TRK-5), and the bids they carry.

The manifest is `.url-manifest.{toml|json|yaml}`:

1. Keys stand in one order, entries in the order of their URLs, and every value has one spelling: equal
   manifests are equal bytes, on every machine.
2. An absent value is a missing key in TOML, `null` in JSON and YAML.
3. Reading what was written gives the same manifest, in all three formats.
4. Only what is meaningful is here. `fetched_at` is the fetch that established what is recorded; when a URL
   was last looked at, how often it failed, and what is only suspected, stays in the ledger.

Documents and folders carry `bid`s themselves (TRK-3):

    paper.md   its peer `paper.toml`, `paper.json`, `paper.yaml` (first that has one), else its front matter
    a folder   its `BeliefNode.toml`, `BeliefNode.json`, `BeliefNode.yaml`; also the format of its manifest

5. A bid is a text without white space, written `bid:<uuid>`; a bare UUID gets its `bid:`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple

from holdfast.core.base.errors import FormatError
from holdfast.core.base.plain_data import read_json, read_toml
from holdfast.core.base.shown_text import harmless_json
from holdfast.core.base.values import dataclass
from holdfast.core.base.yaml_text import read_yaml
from holdfast.core.links.citation import Bid


class DataFormat(StrEnum):
    """The formats of metadata and manifests."""

    TOML = "toml"
    JSON = "json"
    YAML = "yaml"


PEER_SUFFIXES: Final = {
    ".toml": DataFormat.TOML,
    ".json": DataFormat.JSON,
    ".yaml": DataFormat.YAML,
    ".yml": DataFormat.YAML,
}
FOLDER_FILES: Final = {f"BeliefNode{suffix}": kind for suffix, kind in PEER_SUFFIXES.items()}
_UUID: Final = re.compile(r"(?:bid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)


def read_mapping(text: str, kind: DataFormat) -> Mapping[str, Any] | None:
    """The mapping that a metadata file holds; None where it holds anything else."""
    try:
        match kind:
            case DataFormat.TOML:
                value: Any = read_toml(text)
            case DataFormat.JSON:
                value = read_json(text)
            case DataFormat.YAML:
                value = read_yaml(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def bid_in(metadata: Mapping[str, Any] | None) -> Bid | None:
    """The bid that metadata carries."""
    value = metadata.get("bid") if metadata else None
    if not isinstance(value, str) or not (value := value.strip()) or any(map(str.isspace, value)):
        return None
    if match := _UUID.fullmatch(value):
        return Bid(f"bid:{match[1].lower()}")
    return Bid(value if value.startswith("bid:") else f"bid:{value}")


MANIFEST_NAME: Final = ".url-manifest"
SCHEMA: Final = "holdfast.url-manifest/1"
VERSION: Final = "0.1"
_QUOTED: Final = json.encoder.encode_basestring
_ESCAPED = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


class UrlAnswer(NamedTuple):
    """What the fetch said that established what is recorded; nothing before something was fetched."""

    bid: str | None = None
    content_hash: str | None = None
    status_code: int | None = None
    fetched_at: str | None = None
    content_type: str | None = None
    last_modified: str | None = None
    final_url: str | None = None
    normalization_version: str | None = None


class UrlEntry(NamedTuple):
    """One cited URL, the documents that cite it, the words of the first link, and what it answered."""

    url: str
    url_bid: str
    state: str
    documents: tuple[str, ...]
    link_text: str | None = None
    answer: UrlAnswer = UrlAnswer()


ORDER: Final = (
    "bid",
    "url_bid",
    "url",
    "final_url",
    "state",
    "status_code",
    "content_hash",
    "content_type",
    "fetched_at",
    "last_modified",
    "normalization_version",
    "link_text",
    "documents",
)
"""The keys of an entry, as they stand in a file."""
_ANSWERED: Final = frozenset(UrlAnswer._fields)
_in_order: Final = attrgetter(*(f"answer.{name}" if name in _ANSWERED else name for name in ORDER))


@dataclass(frozen=True, slots=True)
class UrlManifest:
    """The manifest of one folder."""

    network_bid: str
    urls: tuple[UrlEntry, ...] = ()


def write_manifest(manifest: UrlManifest, kind: DataFormat) -> str:
    """The manifest's text."""
    urls = [_in_order(entry) for entry in sorted(manifest.urls, key=attrgetter("url"))]
    head = {"schema": SCHEMA, "version": VERSION, "network_bid": manifest.network_bid}
    match kind:
        case DataFormat.JSON:
            value = {**head, "urls": [dict(zip(ORDER, values, strict=True)) for values in urls]}
            return harmless_json(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"
        case DataFormat.TOML:
            return _escaped(_toml(head, urls))
        case DataFormat.YAML:
            return _escaped(_yaml(head, urls))


def read_manifest(text: str, kind: DataFormat, place: str = "the manifest") -> UrlManifest:
    """Read a manifest; `place` is how messages name it."""
    try:
        match kind:
            case DataFormat.JSON:
                value: Any = read_json(text)
            case DataFormat.TOML:
                value = read_toml(text)
            case DataFormat.YAML:
                value = read_yaml(text)
    except ValueError as error:
        raise FormatError(f"{place} is not valid {kind}: {error}") from error
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise FormatError(f"{place} is not a URL manifest of version {VERSION}")
    urls = value.get("urls") or []
    if not isinstance(urls, list) or not all(isinstance(entry, dict) for entry in urls):
        raise FormatError(f"{place}: `urls` is not a list of tables")
    return UrlManifest(str(value.get("network_bid", "")), tuple(_read_entry(entry, place) for entry in urls))


def _read_entry(entry: dict[str, Any], place: str) -> UrlEntry:
    known = {name: entry[name] for name in ORDER if entry.get(name) is not None}
    documents = known.get("documents", [])
    if not isinstance(documents, list) or not all(isinstance(path, str) for path in documents):
        raise FormatError(f"{place}: `documents` is not a list of paths")
    known["documents"] = tuple(documents)
    answer = UrlAnswer(**{name: known.pop(name) for name in _ANSWERED & known.keys()})
    try:
        return UrlEntry(**known, answer=answer)
    except TypeError as error:
        raise FormatError(f"{place}: an entry lacks a key: {error}") from error


def _toml(head: dict[str, Any], urls: list[tuple[Any, ...]]) -> str:
    lines = [f"{name} = {_value(value)}" for name, value in head.items()]
    for values in urls:
        lines += ["", "[[urls]]"]
        lines += [
            f"{name} = {_QUOTED(value) if isinstance(value, str) else _value(value)}"
            for name, value in zip(ORDER, values, strict=True)
            if value is not None
        ]
    return "\n".join(lines) + "\n"


def _yaml(head: dict[str, Any], urls: list[tuple[Any, ...]]) -> str:
    lines = [f"{name}: {_value(value)}" for name, value in head.items()]
    lines.append("urls:" if urls else "urls: []")
    for values in urls:
        for index, (name, value) in enumerate(zip(ORDER, values, strict=True)):
            lines.append(f"  {'- ' if index == 0 else '  '}{name}: {_value(value)}")
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """A value as TOML and YAML both write it: texts in double quotes, with JSON's escapes."""
    match value:
        case str():
            return _QUOTED(value)
        case None:
            return "null"
        case tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            return str(value)


def _escaped(text: str) -> str:
    """A file with the few escapes more that its texts need: nothing else in it does."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
