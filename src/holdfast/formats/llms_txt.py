"""`llms.txt` and `llms-full.txt`: a mirror as language models are given it (llmstxt.org).

1. The first has the site's title, a line on what it is, and the pages under a heading a folder, each with its
   title (without the site's) and its file. The site's title is what its pages add to theirs; else the host.
2. The second is every page's Markdown, one after another, each with its address under its own first heading;
   a page without one has its title instead.
3. Both are functions of the pages.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote, unquote

from holdfast.core.redaction import redact_url
from holdfast.core.rows import Rows
from holdfast.formats.mirror_index import plain_text

__all__ = ["APART", "FULL", "SHORT", "write_full", "write_short"]

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
