"""How captures and pages travel between processes: plain tuples, since those are cheap to pickle.

A page has hundreds of links; as objects they cost more to send than the page costs to distill.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import replace
from typing import IO, Any, Final

from holdfast.core.page import Heading, Link, LinkKind, Page
from holdfast.core.url import Url

__all__ = ["page_from_wire", "page_to_wire", "receive", "send"]

_LENGTH: Final = struct.Struct("<Q")
_KINDS: Final = {str(kind): kind for kind in LinkKind}


def send(stream: IO[bytes], message: Any) -> None:
    """One message: its length, then its bytes."""
    data = pickle.dumps(message, protocol=5)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; EOFError when the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)  # both ends are this program


def page_to_wire(page: Page) -> tuple[Any, ...]:
    """A page as tuples."""
    urls: dict[Url, int] = {}
    links = [
        (urls.setdefault(link.target, len(urls)), link.text, str(link.kind), link.nofollow)
        for link in page.links
    ]
    places = [(u.scheme, u.host, u.port, u.path, u.query, u.fragment) for u in urls]
    headings = [(h.level, h.text, h.anchor) for h in page.headings]
    return replace(page, links=(), headings=()), places, links, headings


def page_from_wire(wire: tuple[Any, ...]) -> Page:
    """The page again, equal to what it was."""
    page: Page = wire[0]
    _, places, links, headings = wire
    urls = [Url(*place) for place in places]
    return replace(
        page,
        links=tuple(Link(urls[at], text, _KINDS[kind], nofollow) for at, text, kind, nofollow in links),
        headings=tuple(Heading(*heading) for heading in headings),
    )
