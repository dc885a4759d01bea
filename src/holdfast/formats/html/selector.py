"""One compound selector of the generator table: `tag#id.class[name=value][name^=value]`."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.formats.html.tokens import Tag

__all__ = ["Selector", "parse_selector"]

_PART = re.compile(r"([a-z][a-z0-9-]*)|([.#][A-Za-z0-9_-]+)|\[([a-z-]+)(\^?=)([A-Za-z0-9_-]+)\]")


class Selector(NamedTuple):
    """What an element must be and have."""

    tag: str
    names: frozenset[str]
    values: tuple[tuple[str, str, str], ...]

    def matches(self, tag: Tag) -> bool:
        """Whether the element of this tag is one of them."""
        return (
            (not self.tag or tag.name == self.tag)
            and self.names <= tag.names
            and all(self._holds(tag, *value) for value in self.values)
        )

    @staticmethod
    def _holds(tag: Tag, name: str, operator: str, value: str) -> bool:
        actual = tag.attrs.get(name, "").lower()
        return actual.startswith(value) if operator == "^=" else actual == value


def parse_selector(text: str) -> Selector:
    """Read a selector of the table; a wrong one is a bug."""
    tag, names, values, place = "", set(), [], 0
    while place < len(text):
        match = _PART.match(text, place)
        if match is None:
            raise AssertionError(f"{text!r} is not a selector of the table")
        if match[1]:
            tag = match[1]
        elif match[2]:
            names.add(match[2].removeprefix("."))
        else:
            values.append((match[3], match[4], match[5].lower()))
        place = match.end()
    return Selector(tag, frozenset(names), tuple(values))
