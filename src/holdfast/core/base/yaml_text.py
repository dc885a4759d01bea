"""YAML, read safely.

Plain data only: mappings, lists, texts, numbers, booleans, null. Times stay texts. No tags, and no aliases,
which let a short file mean an endless one.
"""

from __future__ import annotations

from typing import Any


class YamlError(ValueError):
    """The text is not YAML that is read here; the message says where."""


def read_yaml(text: str) -> Any:
    """The value of one YAML document."""
    from holdfast.core.base.yaml_parser import parse_yaml  # noqa: PLC0415 # lazy: 10 ms, for few folders

    return parse_yaml(text, YamlError)
