"""`_index.md`: the table of contents of a mirror (MIR-10).

1. One heading a host, then nested lists by the path hierarchy of the URLs, sorted by segment.
2. A page is a link to its file, relative to the index, under its title; a folder without a page of its
   own is plain text. Pages that differ in their query stand under their path.
3. Titles are escaped so that they stay text, and paths percent-encoded so that links open.
4. Written line by line: memory does not grow with the number of pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, unquote

__all__ = ["INDEX", "index_order", "plain_text", "write_index"]

INDEX: Final = "_index.md"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")
_SAFE: Final = "/!$'*+,;=@~:"


def index_order(url: str) -> tuple[str, tuple[str, ...], str]:
    """What a page is sorted by: host, path segments, query."""
    _, _, authority, rest = url.split("/", 3)
    path, _, query = rest.partition("?")
    return authority, tuple(part for part in path.split("/") if part), query


def write_index(pages: Iterable[tuple[str, str, str]]) -> Iterator[bytes]:
    """The index's bytes in pieces; `pages` are (canonical URL, path, title) in the order of `index_order`."""
    yield b"# Index\n"
    host: str | None = None
    above: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None
    for url, path, title in pages:
        authority, segments, query = index_order(url)
        if authority != host:
            yield f"\n## {plain_text(authority)}\n\n".encode()
            host, above, listed = authority, (), None
        common = _common(above, segments)
        for depth in range(common, len(segments) - 1):
            yield f"{'  ' * depth}- {plain_text(unquote(segments[depth]))}/\n".encode()
        depth = max(len(segments) - 1, 0)
        if query:
            if listed != segments and segments and common < len(segments):
                yield f"{'  ' * depth}- {plain_text(unquote(segments[-1]))}\n".encode()
            depth += 1 if segments else 0
        label = plain_text(title) or plain_text(unquote(segments[-1] if segments else authority))
        suffix = f" (?{plain_text(unquote(query))})" if query else ""
        yield f"{'  ' * depth}- [{label}]({quote(path, safe=_SAFE)}){suffix}\n".encode()
        above = listed = segments


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def plain_text(text: str) -> str:
    """A text that stays text on one line of Markdown."""
    line = _SPACE.sub(" ", text).strip()
    return _MARKUP.sub(r"\\\1", line.encode("utf-8", "replace").decode())
