"""Whether a mirror reads offline: relative links and images are files, and what it has is not absolute."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from helpers.sites.static import load

_RAW = re.compile(r"""<(a|img)\b[^>]*?\b(?:href|src)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)


@dataclass
class Read:
    """What the pages of a mirror point to."""

    pages: int = 0
    links: int = 0
    images: int = 0
    to_the_web: int = 0
    images_on_the_web: int = 0


def check_offline(output: Path, origin: str, folder: Path) -> Read:
    """Every destination of every page: a file, or something that the mirror cannot have."""
    served = load(folder, "/")
    manifest = json.loads((output / "_manifest.json").read_text())
    mirrored = {page["url"] for page in manifest["pages"]}
    read = Read()
    for page in manifest["pages"]:
        file = output / page["path"]
        read.pages += 1
        for is_image, destination in destinations(file.read_text()):
            if re.match(r"[a-z][a-z0-9+.-]*:", destination, re.IGNORECASE):
                read.to_the_web += not is_image
                read.images_on_the_web += is_image
                where = urldefrag(destination).url
                assert where not in mirrored, f"{file}: {destination} is in the mirror"
                if is_image and where.startswith(origin):
                    assert where.removeprefix(origin) not in served, f"{file}: {destination} could be fetched"
                continue
            read.images += is_image
            read.links += not is_image
            target = (file.parent / unquote(urlsplit(destination).path)).resolve() if destination else file
            assert target.is_file() or destination.startswith("#"), f"{file}: {destination} is not a file"
            assert target.is_relative_to(output.resolve()), f"{file}: {destination} leaves the mirror"
    return read


def destinations(markdown: str) -> Iterator[tuple[bool, str]]:
    """Whether it is an image, and where it points, for everything in a page."""
    waiting: list[Token] = MarkdownIt("commonmark").enable("table").parse(markdown)
    while waiting:
        token = waiting.pop()
        waiting += token.children or ()
        if token.type in ("html_block", "html_inline"):
            yield from ((name.lower() == "img", where) for name, where in _RAW.findall(token.content))
        for name in ("href", "src"):
            if name in token.attrs:
                yield name == "src", str(token.attrs[name])
