"""`bid`s that documents and folders carry themselves (TRK-3).

    paper.md        its peer `paper.toml`, `paper.json`, `paper.yaml` (first that has one), else its front
    matter a folder        its `BeliefNode.toml`, `BeliefNode.json`, `BeliefNode.yaml`; also the format of its
    manifest

A bid is a text without white space, written `bid:<uuid>`; a bare UUID gets its `bid:`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from holdfast.core.bid import Bid
from holdfast.core.plain_data import read_json, read_toml
from holdfast.formats.yaml_text import read_yaml

__all__ = ["FOLDER_FILES", "PEER_SUFFIXES", "DataFormat", "bid_in", "read_mapping"]


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
