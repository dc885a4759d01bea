"""Limits that decide before the parser sees a page, so that the same bytes always end the same (SEC-2).

The parser is linear on the pages people write and quadratic on some that nobody does. One linear scan of
the tags, without parsing, bounds what it can be made to do:

1. `MAX_TAGS` tags in all; `MAX_ATTRIBUTES` attributes in one tag (each is compared with those before).
2. `MAX_OPEN` elements open at once (each start tag looks up the open ones).
3. `MAX_REBUILT` formatting elements rebuilt in all: an unclosed `<b>` is opened again in every block after
   it, so open formatting elements times blocks is work and memory.

An element counts as open from its start tag to an end tag of its name. Void elements do not count, and
`p`, `li`, `dt`, `dd`, `tr`, `td`, `th`, `option` close the one before them.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MAX_ATTRIBUTES", "MAX_OPEN", "MAX_REBUILT", "MAX_TAGS", "breach"]

MAX_TAGS: Final = 1_500_000
MAX_ATTRIBUTES: Final = 2_000
MAX_OPEN: Final = 1_000
MAX_REBUILT: Final = 1_000_000
_HARMLESS_SIZE: Final = 4_096

_TAG = re.compile(r"<(/?[a-zA-Z][^\s/>]*)")
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{4096}")
_SPACES = re.compile(r"[\s/]+")

_VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
_SELF_CLOSING: Final = frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option"))
_FORMATTING: Final = frozenset("a b big code em font i nobr s small strike strong tt u".split())


def breach(html: str) -> str | None:
    """The limit that a page exceeds, in words; None for nearly every page there is."""
    if len(html) <= _HARMLESS_SIZE:
        return None
    if (long_tag := _LONG_TAG.search(html)) is not None and (found := _attributes(html, long_tag.start())):
        return found
    tags = _TAG.findall(html)
    if len(tags) > MAX_TAGS:
        return f"{len(tags)} tags; the limit is {MAX_TAGS}"
    return _too_much_open(tags)


def _too_much_open(tags: list[str]) -> str | None:
    opened: dict[str, int] = {}
    depth = formatting = rebuilt = 0
    for tag in tags:
        if tag[0] != "/":
            if tag in _VOID:
                continue
            if tag in _SELF_CLOSING:
                if opened.get(tag):
                    rebuilt += formatting
                    continue
            elif tag in _FORMATTING:
                formatting += 1
            rebuilt += formatting
            opened[tag] = opened.get(tag, 0) + 1
            depth += 1
            if depth > MAX_OPEN:
                return f"more than {MAX_OPEN} elements open at once"
            if rebuilt > MAX_REBUILT:
                return f"unclosed formatting elements would be rebuilt more than {MAX_REBUILT} times"
        else:
            name = tag[1:]
            if opened.get(name):
                opened[name] -= 1
                depth -= 1
                if name in _FORMATTING:
                    formatting -= 1
    return None


def _attributes(html: str, start: int) -> str | None:
    """Every tag of more than 4 KB from here on, by the number of its words."""
    for tag in re.finditer(r"<[a-zA-Z][^>]*", html[start:]):
        if len(tag[0]) > 4096 and len(_SPACES.findall(tag[0])) > MAX_ATTRIBUTES:
            return f"more than {MAX_ATTRIBUTES} attributes in one tag"
    return None
