"""`_index.md`: the table of contents of a mirror (MIR-10).

1. One heading a host, then nested lists by the path hierarchy of the URLs, sorted by segment.
2. A page is a link to its file, relative to the index, under its title; a folder without a page of its
   own is plain text. Pages that differ in their query stand under their path.
3. Titles are escaped so that they stay text, and paths percent-encoded so that links open.
4. Written line by line, from one flat row a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, unquote

from holdfast.core.redaction import redact_url
from holdfast.core.shown_text import harmless

__all__ = ["INDEX", "index_row", "plain_text", "write_index"]

INDEX: Final = "_index.md"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")
# Below every character that a URL can have, so that a page comes before its queries, and these before
# what lies deeper; then what is not sorted by.
_QUERY, _DEEPER, _FIELD = "\x00", "\x01", "\x02"
_SAFE: Final = "/!$'*+,;=@~:"
_is_safe = re.compile(rf"[A-Za-z0-9_.\-{re.escape(_SAFE)}]*+").fullmatch


def index_row(url: str, path: str, title: str) -> bytes:
    """A page as one row: sorted as bytes, rows stand in the order of host, path segments and query.

    One flat text a page, so that a hundred thousand of them fit where a list of objects would not.
    """
    _, _, authority, rest = url.split("/", 3)
    route, _, query = rest.partition("?")
    segments = _DEEPER.join(filter(None, route.split("/")))
    words = _one_line(title)
    return f"{authority}{_DEEPER}{segments}{_QUERY}{query}{_FIELD}{path}{_FIELD}{words}".encode(
        "utf-8", "replace"
    )


def write_index(rows: Iterable[bytes]) -> Iterator[bytes]:
    """The index's bytes in pieces; the rows come sorted."""
    yield b"# Index\n"
    host: str | None = None
    above: tuple[str, ...] = ()
    for row in rows:
        order, path, title = row.decode().split(_FIELD)
        route, _, query = order.partition(_QUERY)
        authority, *parts = route.split(_DEEPER)
        segments = tuple(filter(None, parts))
        if authority != host:
            yield f"\n## {plain_text(authority)}\n\n".encode()
            host, above = authority, ()
        name = title or (unquote(segments[-1]) if segments else authority)
        yield _lines(above, segments, query, path, name).encode()
        above = segments


def _lines(above: tuple[str, ...], segments: tuple[str, ...], query: str, path: str, title: str) -> str:
    """A page's line, after those of the folders that it is the first to stand in."""
    common = _common(above, segments)
    lines = ""
    for depth in range(common, len(segments) - 1):
        lines += f"{'  ' * depth}- {plain_text(unquote(segments[depth]))}/\n"
    depth = max(len(segments) - 1, 0)
    if query and segments:
        if common < len(segments):
            lines += f"{'  ' * depth}- {plain_text(unquote(segments[-1]))}\n"
        depth += 1
    label, there = plain_text(title), path if _is_safe(path) else quote(path, safe=_SAFE)
    suffix = f" ({plain_text(unquote(redact_url(f'?{query}')))})" if query else ""
    return f"{lines}{'  ' * depth}- [{label}]({there}){suffix}\n"


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def plain_text(text: str) -> str:
    """A text that stays text on one line of Markdown."""
    line = _one_line(text)
    if not line.isprintable():
        line = harmless(line.encode("utf-8", "replace").decode())
    return _MARKUP.sub(r"\\\1", line)


def _one_line(text: str) -> str:
    if text.isprintable() and "  " not in text:  # of all space, a printable text has the space alone
        return text.strip()
    return _SPACE.sub(" ", text).strip()
