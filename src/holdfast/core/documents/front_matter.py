"""Front matter: a mapping in YAML between `---` lines or in TOML between `+++` lines, at the very start of a
file.

Text between such lines that is not a mapping (a thematic break, a heading) is not front matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from holdfast.core.base.plain_data import read_toml
from holdfast.core.base.values import dataclass
from holdfast.core.base.yaml_text import read_yaml
from holdfast.core.documents.found import BOM, decode

_BLOCK = re.compile(
    rb"(---|\+\+\+)[ \t]*(?:\r\n|\n|\r)(?P<body>(?:.*?(?:\r\n|\n|\r))??)(?:\1|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)",
    re.DOTALL,
)
_LONGEST = 256 * 1024
"""What is longer is text: parsers of data are not made for endless input."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The mapping, the bytes it stands in, and where the document's own text begins."""

    values: Mapping[str, Any] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    body: int = 0


def front_matter(data: bytes) -> FrontMatter:
    """The front matter of a file; an empty one at its start where there is none."""
    first = len(BOM) if data.startswith(BOM) else 0
    nothing = FrontMatter(start=first, end=first, body=first)
    if data[first : first + 3] not in (b"---", b"+++"):
        return nothing
    match = _BLOCK.match(data, first, first + _LONGEST)
    if match is None:
        return nothing
    values = _mapping(decode(match["body"]), is_toml=match[1] == b"+++")
    return FrontMatter(values, match.start("body"), match.end("body"), match.end()) if values else nothing


def _mapping(text: str, *, is_toml: bool) -> Mapping[str, Any] | None:
    try:
        value = read_toml(text) if is_toml else read_yaml(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
