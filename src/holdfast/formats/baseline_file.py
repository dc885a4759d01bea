"""The baseline file: one finding a line, sorted, made to be read and merged.

    # holdfast baseline 1
    dead https://example.com/old
    fragment-missing https://example.com/guide#setup

1. A line is a kind, a space, and a URL (or whatever else the finding is about). `#` begins a comment
   line.
2. Lines stand in the order of their URLs' bytes, then kinds: what belongs together is together, and equal
   baselines are equal bytes.
3. Read is any order, doubled lines, CR LF: whatever a union merge leaves is a baseline. Marks of a merge
   that was not finished are an error that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from holdfast.core.errors import FormatError
from holdfast.core.report import FindingKey

__all__ = ["read_baseline", "write_baseline"]

HEAD: Final = "# holdfast baseline 1"
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_LINE = re.compile(r"([a-z][a-z-]*) (\S.*)")
_VERSION = re.compile(r"# holdfast baseline (\d+)")


def write_baseline(keys: Iterable[FindingKey]) -> str:
    """The file's text."""
    ordered = sorted(set(keys), key=lambda key: (key.subject.encode(), key.kind))
    return "\n".join([HEAD, *(f"{key.kind} {key.subject}" for key in ordered)]) + "\n"


def read_baseline(text: str, place: str = "the baseline") -> frozenset[FindingKey]:
    """What a baseline holds; `place` is how messages name it."""
    keys = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if version := _VERSION.fullmatch(words):
            if version[1] != "1":
                raise FormatError(f"{place}: line {number}: a baseline of version {version[1]}; known is 1")
        elif words.startswith(_CONFLICT):
            raise FormatError(
                f"{place}: line {number} is the mark of a merge conflict",
                hint="keep the lines of both sides, and let git do it next time: "
                "write `<the baseline> merge=union` into .gitattributes",
            )
        elif words and not words.startswith("#"):
            match = _LINE.fullmatch(words)
            if match is None:
                raise FormatError(f"{place}: line {number} is not `KIND URL`: {words[:80]!r}")
            keys.add(FindingKey(match[1], match[2]))
    return frozenset(keys)
