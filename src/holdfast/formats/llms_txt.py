"""`llms.txt` and `llms-full.txt`: a mirror as language models are given it (llmstxt.org).

The first is a list of the pages under a heading a host, each with its title and its file. The second is every
page's Markdown, one after another, each under its title and its address. Both are functions of the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from holdfast.core.redaction import redact_url
from holdfast.formats.mirror_index import plain_text

__all__ = ["FULL", "SHORT", "write_full", "write_short"]

SHORT: Final = "llms.txt"
FULL: Final = "llms-full.txt"


def write_short(name: str, pages: Iterable[tuple[str, str, str]]) -> Iterator[bytes]:
    """The list; `pages` are (URL, path, title) in the order of the index."""
    yield f"# {plain_text(name)}\n\n> A mirror in Markdown, made by Holdfast.\n".encode()
    host = None
    for url, path, title in pages:
        own = url.split("/", 3)[2]
        if own != host:
            yield f"\n## {plain_text(own)}\n\n".encode()
            host = own
        link = quote(path, safe="/!$*+,;=@~:")
        yield f"- [{plain_text(title) or plain_text(redact_url(url))}]({link}): {redact_url(url)}\n".encode()


def write_full(pages: Iterable[tuple[str, str, bytes]]) -> Iterator[bytes]:
    """The texts; `pages` are (URL, title, Markdown) in the order of the index."""
    gap = ""
    for url, title, markdown in pages:
        shown = redact_url(url)
        yield f"{gap}# {plain_text(title) or plain_text(shown)}\n\nSource: {shown}\n\n".encode()
        yield markdown if markdown.endswith(b"\n") or not markdown else markdown + b"\n"
        gap = "\n---\n\n"
