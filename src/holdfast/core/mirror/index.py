"""What lists the pages of a mirror: `_index.md` (MIR-10), `llms.txt` and `llms-full.txt`.

`_index.md` is the table of contents:

1. One heading a host, then nested lists by the path hierarchy of the URLs, sorted by segment.
2. A page is a link to its file, relative to the index, under its title; a folder without a page of its
   own is plain text. Pages that differ in their query stand under their path.
3. Titles are escaped so that they stay text, and paths percent-encoded so that links open.
4. Written line by line, from one flat row a page.

The other two are a mirror as language models are given it (llmstxt.org):

5. The first has the site's title, a line on what it is, and the pages under a heading a folder, each with
   its title (without the site's) and its file. The site's title is what its pages add to theirs; else the
   host.
6. The second is every page's Markdown, one after another, each with its address under its own first
   heading; a page without one has its title instead.
7. Both are functions of the pages.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote, unquote

from holdfast.core.base.long_lists import Rows
from holdfast.core.base.shown_text import harmless
from holdfast.core.url.redaction import redact_url

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


SHORT: Final = "llms.txt"
FULL: Final = "llms-full.txt"
APART: Final = b"\x03"
"""Between what rows are sorted by and what they say: no address, path or JSON has it."""

Listed = Callable[[], Iterable[tuple[str, str, str]]]
_FRONT_MATTER = re.compile(rb"---\n.*?\n---\n\n?", re.DOTALL)
_FIRST_HEADING = re.compile(rb"# [^\n]+\n")


def write_short(pages: Listed, sites: Mapping[str, str], rows: Rows) -> Iterator[bytes]:
    """The list; `pages` are (URL, path, title) in the order of the index, as often as they are asked for,
    `sites` the names of hosts, `rows` where the pages are sorted by folder.
    """
    counts = Counter(url.split("/", 3)[2] for url, _, _ in pages())
    hosts, total = list(counts), counts.total()
    names = [sites[host] for host in hosts]
    counted = f"{total} page{'' if total == 1 else 's'}"
    name = plain_text(", ".join(names)) or "An empty mirror"
    yield f"# {name}\n\n> {counted} of {plain_text(', '.join(hosts))} as Markdown.\n".encode()
    for number, page in enumerate(pages()):
        is_folder, folder = _folder(page[0], several=len(hosts) > 1)
        order = f"{is_folder:d}{folder}".encode("utf-8", "replace")
        rows.add(order + APART + b"%012d" % number + APART + json.dumps(page).encode())
    above = None
    for row in rows:
        order, _, own = row.split(APART)
        url, path, title = json.loads(own)
        if order != above:
            yield f"\n## {plain_text(order[1:].decode() or names[0])}\n\n".encode()
            above = order
        label = title or unquote(url.rstrip("/").rpartition("/")[2])
        link = quote(path, safe="/!$*+,;=@~:")
        yield f"- [{plain_text(label)}]({link}): {redact_url(url)}\n".encode()


def write_full(pages: Iterable[tuple[str, str, bytes]]) -> Iterator[bytes]:
    """The texts; `pages` are (URL, title, Markdown) in the order of the index."""
    gap = b""
    for url, title, markdown in pages:
        body = markdown[found.end() :] if (found := _FRONT_MATTER.match(markdown)) else markdown
        heading = _FIRST_HEADING.match(body)
        first = heading[0] if heading else f"# {plain_text(title) or plain_text(redact_url(url))}\n".encode()
        rest = body[heading.end() :].lstrip(b"\n") if heading else body
        yield gap + first + f"\nSource: {redact_url(url)}\n".encode() + (b"\n" if rest else b"")
        yield rest if rest.endswith(b"\n") or not rest else rest + b"\n"
        gap = b"\n---\n\n"


def _folder(url: str, *, several: bool) -> tuple[bool, str]:
    """What a page stands under: its first folder; those without one come first."""
    host, _, path = url.split("/", 2)[2].partition("/")
    folder, parted, _ = path.partition("?")[0].partition("/")
    name = unquote(folder) if parted else ""
    return (bool(name) or several, f"{host}/{name}".rstrip("/") if several else name)
