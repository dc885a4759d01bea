"""Lists of URLs as sites publish them: sitemaps, sitemap indexes, text sitemaps, RSS and Atom; gzip or not.

1. What a body is, its bytes tell, not its name or its type: the gzip magic, `<` for XML, else text.
2. Entries come out while the body goes in: memory does not grow with their number.
3. XML entities are not resolved and nothing is loaded from outside. Element names count, namespaces do
   not; an entry's address is its own `loc` or `link`, never that of an image inside it.
4. Dirt is passed over where what is meant is plain: a program's warning or blank lines before the list, and
   ampersands that nobody escaped.
5. Broken input gives what was readable, then one `Flaw` that says what was not. It never raises.
6. Read up to a ceiling: the sitemap protocol allows 50 MB, three times that is read. A list that names
   nothing is a flaw, too.
"""

from __future__ import annotations

import re
import zlib
from calendar import monthrange
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any, Final

from lxml import etree

from holdfast.core.base.figures import in_utc
from holdfast.core.base.values import dataclass

MAX_BYTES: Final = 150_000_000
_CHUNK: Final = 65_536
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_HTML: Final = (b"<!doctype html", b"<html")
_ROOT = re.compile(rb"<\?xml\s|<(?:\w{1,20}:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]")
_BARE = re.compile(rb"&(?!(?:[a-zA-Z][a-zA-Z0-9]{0,30}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_LONGEST_REFERENCE: Final = 34
_ADDRESSES: Final = ("loc", "link", "guid")
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_DATES: Final = ("lastmod", "pubDate", "updated", "date")


@dataclass(frozen=True, slots=True)
class Listed:
    """A page that a list names, and when it changed, in the list's own words."""

    url: str
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Nested:
    """Another list that an index names."""

    url: str
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Flaw:
    """What could not be read."""

    what: str


_ENTRIES: Final[dict[str, type[Listed] | type[Nested]]] = {
    "url": Listed,
    "sitemap": Nested,
    "item": Listed,
    "entry": Listed,
}


def read_sitemap(body: bytes) -> Iterator[Listed | Nested | Flaw]:
    """Everything a list names, in its order."""
    flaws: list[str] = []
    chunks = _chunks(body, flaws)
    head = _without_preface(next(chunks, b""))
    start = head.removeprefix(_BOM).lstrip()
    if not start:
        yield Flaw(flaws[0] if flaws else "the list is empty")
        return
    if start[:14].lower().startswith(_HTML):
        yield Flaw("this is an HTML page, not a sitemap or a feed")
        return
    utf16 = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    found = 0
    entries = _xml(head, chunks, flaws) if start.startswith(b"<") or utf16 else _text(head, chunks, flaws)
    for entry in entries:
        found += 1
        yield entry
    if not found and not flaws:
        flaws.append("the list names no page")
    if flaws:
        yield Flaw(flaws[0])


def parse_lastmod(text: str | None) -> datetime | None:
    """When a list says a page changed, in UTC; a date without time means the end of that day (MIR-11).

    W3C forms (`2024`, `2024-05`, `2024-05-01`, with time and zone) and those of mail; else None.
    """
    if not text:
        return None
    if match := _DATE.fullmatch(text):
        year, month, day = (int(part) if part else None for part in match.groups())
        return _end_of(year or 1, month, day)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError, IndexError, OverflowError):
            return in_utc(read(text))
    return None


def _end_of(year: int, month: int | None, day: int | None) -> datetime | None:
    try:
        if day is None:
            day = monthrange(year, month or 12)[1]
        return datetime(year, month or 12, day, 23, 59, 59, tzinfo=UTC)
    except ValueError:
        return None


def _chunks(body: bytes, flaws: list[str]) -> Iterator[bytes]:
    """The list's bytes in pieces, gzip undone, up to the ceiling."""
    plain = _gunzip(body, flaws) if body.startswith(_GZIP) else _pieces(body)
    size = 0
    for piece in plain:
        size += len(piece)
        if size > MAX_BYTES:
            flaws.append(f"the list is longer than {MAX_BYTES:,} bytes; the rest was not read")
            return
        yield piece


def _pieces(body: bytes) -> Iterator[bytes]:
    view = memoryview(body)
    for at in range(0, len(body), _CHUNK):
        yield bytes(view[at : at + _CHUNK])


def _gunzip(body: bytes, flaws: list[str]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(wbits=31)
    rest = body
    try:
        while rest:
            piece = inflater.decompress(rest, _CHUNK)
            rest = inflater.unconsumed_tail or (inflater.unused_data if inflater.eof else b"")
            if inflater.eof and rest.startswith(_GZIP):
                inflater = zlib.decompressobj(wbits=31)
            elif inflater.eof:
                rest = b""
            if piece:
                yield piece
    except zlib.error as error:
        flaws.append(f"the gzip data is broken ({error})")
        return
    if not inflater.eof:
        flaws.append("the gzip data ends too early")


def _text(head: bytes, chunks: Iterator[bytes], flaws: list[str]) -> Iterator[Listed]:
    rest = head.removeprefix(_BOM)
    odd = 0
    for chunk in chain((b"",), chunks, (b"\n",)):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            url = line.strip().decode("utf-8", "replace")
            if url.lower().startswith(("http://", "https://")):
                yield Listed(url)
            elif url and not url.startswith("#"):
                odd += 1
        if len(rest) > _CHUNK:
            rest = b""
            odd += 1
    if odd:
        single = "one line of the text sitemap is not a URL"
        flaws.append(single if odd == 1 else f"{odd} lines of the text sitemap are not URLs")


def _xml(head: bytes, chunks: Iterator[bytes], flaws: list[str]) -> Iterator[Listed | Nested]:
    parser = etree.XMLPullParser(
        events=("end",),
        tag=[f"{{*}}{name}" for name in _ENTRIES],
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
    )
    for chunk in _with_ampersands(chain((head,), chunks)):
        parser.feed(chunk)
        for _, element in parser.read_events():
            yield from _entry(element, flaws)
    # Closing makes the parser end by force what the document left open. A cut address is not an address:
    # such entries are dropped, and the flaw says where.
    flaw = _close(parser)
    if flaw:
        flaws.append(flaw)
        return
    for _, element in parser.read_events():
        yield from _entry(element, flaws)


def _without_preface(head: bytes) -> bytes:
    """The beginning of a list without what stands before it; of anything else the beginning as it is."""
    found = _ROOT.search(head)
    is_page = head.removeprefix(_BOM).lstrip()[:14].lower().startswith(_HTML)
    return head if found is None or is_page else head[found.start() :]


def _with_ampersands(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same XML, with every ampersand that begins no reference escaped, piece by piece."""
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        cut = text.rfind(b"&", max(0, len(text) - _LONGEST_REFERENCE))
        rest, text = (text[cut:], text[:cut]) if cut >= 0 else (b"", text)
        yield text if b"<![CDATA[" in text else _BARE.sub(b"&amp;", text)
    yield _BARE.sub(b"&amp;", rest)


def _close(parser: Any) -> str | None:
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        return f"the XML is broken: {error.msg}"
    log = parser.feed_error_log
    return f"the XML is broken at line {log[0].line}: {log[0].message.strip()}" if len(log) else None


def _entry(element: Any, flaws: list[str]) -> Iterator[Listed | Nested]:
    kind = _ENTRIES.get(_name(element))
    if kind is None:
        return
    url = lastmod = None
    for child in element:
        name = _name(child)
        if name in _ADDRESSES:
            url = url or _address(child, name, flaws)
        elif name in _DATES and not lastmod:
            lastmod = (child.text or "").strip() or None
    if url:
        yield kind(url, lastmod)
    _forget(element)


def _address(child: Any, name: str, flaws: list[str]) -> str | None:
    if len(child):
        flaws.append(f"an address at line {child.sourceline} uses an XML entity; it was not resolved")
        return None
    if name == "link" and child.get("href") is not None:
        return child.get("href").strip() if child.get("rel", "alternate") == "alternate" else None
    if name == "guid" and child.get("isPermaLink", "true") != "true":
        return None
    return (child.text or "").strip() or None


def _forget(element: Any) -> None:
    """Free an entry and what stands before it: memory does not grow."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _name(element: Any) -> str:
    """The name without its namespace; comments and instructions have none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
