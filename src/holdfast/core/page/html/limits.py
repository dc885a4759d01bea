"""Limits that decide before the parser sees a page, so that the same bytes always end the same (SEC-2).

The parser is linear on the pages people write and quadratic on some that nobody does. In all three cases
below the harm has a bound that costs next to nothing to compute; only a page beyond it is scanned tag by
tag, and only a page whose scan is beyond the limit is reduced before it is parsed (`reduced`, TXT-7).

1. Attributes of one tag are compared with each other. A short page cannot have many; in a longer one a
   tag that could have is looked for, and `MAX_ATTRIBUTES` of them are too many.
2. A start tag looks through the elements that are open. Up to `_FEW_TAGS` tags that is nothing; beyond,
   `MAX_OPEN` open at once are too many.
3. An unclosed formatting element (`<b>`) is opened again in each block after it, but at most three that are
   alike: three times their distinct tags times all tags bounds what is built; `MAX_REBUILT` is too much.

An element counts as open from its start tag to an end tag of its name. Void elements do not count, nor do
those of SVG and MathML that close themselves, and `p`, `li`, `dt`, `dd`, `tr`, `td`, `th`, `option` close the
one before them. The second look is after parsing: a tree that is many times as large as its page is not read
(`tokens.MAX_GROWTH`).
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.page.html.foreign_tags import ForeignContent
from holdfast.core.page.html.tokens import VOID

MAX_TAGS: Final = 1_000_000
MAX_ATTRIBUTES: Final = 1_500
MAX_OPEN: Final = 1_000
MAX_REBUILT: Final = 150_000
_FEW_TAGS: Final = 12_000
_HARMLESS_TAGS: Final = 1_600
_SHORT_PAGE: Final = 30_000
_BOUND: Final = 600_000

_LONG: Final = 3_000
_BRACKET_IN_VALUE = re.compile(r"=\s*+(?:\"[^\"<>]*+[<>]|'[^'<>]*+[<>])")
_NO_TAG: Final = (
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</\1|\Z)|"
)
_NAME: Final = r"<(/?[a-z][^ \t\n\f\r/>]*+)"
_IN_TAG: Final = r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|))"
TAG = re.compile(_NO_TAG + _NAME + rf"({_IN_TAG}*+)", re.DOTALL | re.IGNORECASE)
_SIMPLE_TAG = re.compile(_NO_TAG + _NAME + r"([^>]*+)", re.DOTALL | re.IGNORECASE)
"""The same where no value holds a bracket."""
_FORMATTING_TAG = re.compile(
    r"<(?=[bcefistu])(?:b|big|code|em|font|i|s|small|strike|strong|tt|u)(?:[\s/]" + rf"{_IN_TAG}*+)?>",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BREAKS = re.compile(r"[\s/]+")

SELF_CLOSING: Final = frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option"))
FORMATTING: Final = frozenset("b big code em font i s small strike strong tt u".split())


def breach(html: str) -> str | None:
    """The limit that a page exceeds, in words; None for nearly every page there is."""
    tags = html.count("<")
    if not (
        tags > _FEW_TAGS
        or (tags > _HARMLESS_TAGS and 3 * len(set(_FORMATTING_TAG.findall(html))) * tags > _BOUND)
        or (len(html) > _SHORT_PAGE and _has_long_tag(html))
    ):
        return None
    return _scanned(html)


def _has_long_tag(html: str) -> bool:
    """Whether a tag could have many attributes because it is long."""
    if _BRACKET_IN_VALUE.search(html) is not None:
        return any(len(words) > _LONG for _, _, words in TAG.findall(html))
    # Without brackets in values a tag is long without a bracket; then a window of half its length has none.
    if all(html.find("<", at, at + _LONG // 2) >= 0 for at in range(0, len(html) - _LONG // 2, _LONG // 2)):
        return False
    # Most of what is long is text, after a `>`.
    long = [piece.removeprefix("/") for piece in html.split("<")[1:] if len(piece) > _LONG]
    return any(piece[0].isascii() and piece[0].isalpha() and ">" not in piece[: _LONG + 1] for piece in long)


def _scanned(html: str) -> str | None:
    depth = formatting = rebuilt = tags = 0
    opened: dict[str, int] = {}
    foreign = ForeignContent()
    pattern = TAG if _BRACKET_IN_VALUE.search(html) is not None else _SIMPLE_TAG
    for match in pattern.finditer(html):
        tag = match[2]
        if tag is None:
            if match[1] is not None:
                foreign.pass_raw(match[0])
            continue
        if has_too_many_attributes(match[3]):
            return f"more than {MAX_ATTRIBUTES} attributes in one tag"
        tag = tag.lower()
        tags += 1
        if tag[0] == "/":
            name = tag[1:]
            foreign.end(name)
            if opened.get(name):
                opened[name] -= 1
                depth -= 1
                formatting -= name in FORMATTING
            continue
        rebuilt += formatting
        if foreign.closes_itself(tag, match[3]) or tag in VOID or (tag in SELF_CLOSING and opened.get(tag)):
            continue
        formatting += tag in FORMATTING
        opened[tag] = opened.get(tag, 0) + 1
        depth += 1
        if (found := _beyond(tags, depth, rebuilt)) is not None:
            return found
    return None


def _beyond(tags: int, depth: int, rebuilt: int) -> str | None:
    if depth > MAX_OPEN:
        return f"more than {MAX_OPEN} elements open at once"
    if rebuilt > MAX_REBUILT:
        return f"unclosed formatting elements would be opened again more than {MAX_REBUILT} times"
    return f"more than {MAX_TAGS} tags" if tags > MAX_TAGS else None


def has_too_many_attributes(words: str) -> bool:
    """Whether there are too many in what stands in a tag after its name."""
    return len(words) > MAX_ATTRIBUTES and len(_BREAKS.split(_QUOTED.sub("", words))) > MAX_ATTRIBUTES
