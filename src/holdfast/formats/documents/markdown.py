"""URLs in Markdown: CommonMark by its parser, bare URLs by GFM's rules, raw HTML by ours.

1. `pyromark` decides what is a link, an image, code, raw HTML. This file is the only door to it.
2. Nothing comes from code. Front matter counts only at the very start and only if it is a mapping.
3. Bare URLs are read on the source, as GFM does: not inside brackets, and once begun they swallow what looks
   like markup. Where a swallowed mark would have begun a link or a code span, the URL is masked and the text
   parsed again, so that the parser sees what GFM sees.
4. The place of a link is that of its destination: in the link, or in its reference definition.
5. A block without any of the signs of an external URL is passed over when only those are wanted.
6. Inside a raw `<a>` a bare URL is the link's text and no second link.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pyromark

from holdfast.core.page import LinkKind
from holdfast.formats.documents.destination import destination_in_definition, destination_in_link
from holdfast.formats.documents.external import is_external
from holdfast.formats.documents.found import Comment, Found, Region
from holdfast.formats.documents.gfm_autolink import URL_RUN, bare_url, candidates, places_of
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.source import decode

__all__ = ["read_markdown"]

_OPTIONS: Final = pyromark.Options
_PARSER: Final = pyromark.Markdown(
    options=_OPTIONS.ENABLE_TABLES
    | _OPTIONS.ENABLE_FOOTNOTES
    | _OPTIONS.ENABLE_STRIKETHROUGH
    | _OPTIONS.ENABLE_TASKLISTS
)
_MAX_PASSES: Final = 64
_MANY_LABELS: Final = 40
_OTHER_SIGNS: Final = (b"&", b"holdfast:")
"""With `//` and `www.`, what an external URL or an ignore cannot be written without."""
_POINTING: Final = ("Link", "Image")
_INLINES: Final = frozenset(("Emphasis", "Strong", "Strikethrough", "Superscript", "Subscript"))
_BEFORE_WWW: Final = frozenset(b" \t\n\v\f\r*_~(")
_REFERENCES: Final = frozenset(("Reference", "Collapsed", "Shortcut"))
_MARK = rb"(?:[\r\n]|[-+*][ \t\r\n]|[0-9]{1,9}[.)][ \t\r\n]|\Z)"
_ITEM_END = re.compile(rb"[\r\n]+[ \t]*(?:>|" + _MARK + rb")")
_QUOTED_ITEM_END = re.compile(rb"[\r\n]+[ \t>]*" + _MARK)
_BRACKET = re.compile(rb"[\[\]]")
_CLOSES_ANCHOR = re.compile(rb"</a\s*>\Z", re.IGNORECASE)


def read_markdown(data: bytes, *, external: bool = False) -> tuple[list[Found], list[Comment]]:
    """Every URL of a Markdown text, and its comments; `external` leaves out what names no host."""
    bare: list[Found] = []
    masked = data
    for _ in range(_MAX_PASSES):
        walk = _Walk(masked, data, external=external)
        swallowing = walk.run()
        if not swallowing:
            break
        bare += swallowing
        for url in swallowing:
            masked = masked[: url.start] + b"x" * (url.end - url.start) + masked[url.end :]
    found = sorted(bare + walk.found, key=lambda find: find.used_at if find.used_at >= 0 else find.start)
    return found, walk.comments


@dataclass(slots=True)
class _Open:
    """A link or an image whose end has not come yet; `place` is where the parser saw it."""

    data: dict[str, Any]
    place: dict[str, int]
    is_image: bool
    is_wanted: bool
    texts: list[str] = field(default_factory=list)


class _Marks:
    """Places in order, passed one by one."""

    __slots__ = ("_at", "_places", "next")

    def __init__(self, places: list[int]) -> None:
        self._places = [*places, sys.maxsize]
        self._at = 0
        self.next = self._places[0]

    def pass_by(self) -> None:
        """Go on to the next place."""
        self._at += 1
        self.next = self._places[self._at]

    def reach_into(self, start: int, end: int) -> bool:
        """Whether a place stands in a range; ranges are asked for in order."""
        if self.next < start:
            self._at = bisect_left(self._places, start, self._at)
            self.next = self._places[self._at]
        return self.next < end


class _Walk:
    """One pass over the parser's events. `seen` is what is parsed, `data` what is written."""

    def __init__(self, seen: bytes, data: bytes, *, external: bool) -> None:
        self.seen = seen
        self.data = data
        self.found: list[Found] = []
        self.comments: list[Comment] = []
        self.swallowing: list[Found] = []
        self._external = external
        self._links: list[_Open] = []
        self._html: list[tuple[int, int]] = []
        self._anchor: int = -1  # the find of an open raw <a>, or -1
        self._anchor_text: list[str] = []
        self._footnote_end = 0
        self._brackets = 0
        self._bare_end = 0
        self._text_end = 0
        self._swallowed = False  # this block has a URL to mask; what follows in it is not settled
        self._block_end: int | None = None
        self._block_tail = b" \t\r\n"  # what may follow the block's text inside the block
        self._definitions = self._read_definitions()
        slashes, wide = places_of(seen, b"//"), places_of(seen, b"www.")
        self._signs = _Marks(self._places_of_signs(slashes, wide))
        self._candidates = _Marks(candidates(seen, slashes, wide))

    def _places_of_signs(self, slashes: list[int], wide: list[int]) -> list[int]:
        """Where something stands that a wanted link needs; every byte, if all links are wanted."""
        if not self._external:
            return [*range(len(self.seen))]
        places = [*slashes, *wide]
        for sign in _OTHER_SIGNS:
            places += places_of(self.seen, sign)
        labels = [name for name, (url, _, _) in self._definitions.items() if is_external(url)]
        if labels:
            places += [match.start() for match in _uses(labels).finditer(self.seen)]
        places.sort()
        return places

    def _read_definitions(self) -> dict[str, tuple[str, int, int]]:
        """The reference definitions by label: what each means, and where its destination stands."""
        if b"]:" not in self.seen:
            return {}
        found: dict[str, tuple[str, int, int]] = {}
        for name, definition in _PARSER.reference_definitions(decode(self.seen)).items():
            span = definition["span"]
            place = destination_in_definition(self.data, span["start"], span["end"])
            found.setdefault(_label(name), (definition["dest"], *(place or (-1, -1))))
        return found

    def run(self) -> list[Found]:
        """Walk to the end; returns the URLs that must be masked for the next pass."""
        passed = 0  # up to here nothing is wanted
        before: dict[str, int] = {"start": 0, "end": 0}
        after_break = True
        links = self._links
        events: Iterator[tuple[Any, Any]] = _PARSER.events_with_range(decode(self.seen))
        for event, place in events:
            if place["start"] < passed:
                continue
            if event.__class__ is str:
                after_break = True
            elif "Text" in event:
                if links:
                    self._name(event["Text"])
                else:
                    self._text(event["Text"], place, after_break=after_break)
                after_break = False
            elif "Start" in event:
                if not self._start(event["Start"], place):
                    passed = place["end"]
                after_break = True
            elif "End" in event:
                after_break = False
                self._end(event["End"], before)
            else:
                self._leaf(event, place)
                after_break = False
            before = place
        return self.swallowing

    def _start(self, tag: Any, place: dict[str, int]) -> bool:
        """Note what begins; False for a block that holds nothing that is wanted."""
        if tag.__class__ is dict:
            for name in _POINTING:
                if name in tag:
                    self._meets(place["start"])
                    wanted = not self._external or is_external(tag[name]["dest_url"])
                    self._links.append(_Open(tag[name], place, name == "Image", wanted))
                    return True
        elif tag in _INLINES:
            return True
        if "CodeBlock" in tag or not self._signs.reach_into(place["start"], place["end"]):
            return False
        self._block()
        if "FootnoteDefinition" in tag:
            self._footnote_end = place["end"]
        elif "Heading" in tag:
            self._block_end, self._block_tail = place["end"], b" \t\r\n#-="
        elif tag in ("Paragraph", "TableCell"):
            self._block_end = place["end"]
        elif tag == "HtmlBlock":
            self._html = []
        return True

    def _end(self, tag: Any, before: dict[str, int]) -> None:
        if tag in _POINTING:
            self._close_link(before)
        elif tag == "HtmlBlock":
            self._html_region()
        elif tag.__class__ is dict or tag not in _INLINES:
            self._block()

    def _block(self) -> None:
        """Text of another block begins, or ends: nothing open reaches across."""
        self._brackets = 0
        self._swallowed = False
        self._block_end = None
        self._block_tail = b" \t\r\n"
        if self._anchor >= 0:
            self._close_anchor()

    def _leaf(self, event: dict[str, Any], place: dict[str, int]) -> None:
        self._meets(place["start"])
        if "Html" in event:
            self._html.append((place["start"], place["end"]))
        elif "InlineHtml" in event:
            self._inline_html(place)
        elif "Code" in event:
            self._name(event["Code"])

    def _name(self, text: str) -> None:
        for link in self._links:
            if link.is_wanted:
                link.texts.append(text)
        if self._anchor >= 0:
            self._anchor_text.append(text)

    def _text(self, text: str, place: dict[str, int], *, after_break: bool) -> None:
        if self._anchor >= 0:
            self._anchor_text.append(text)
        start, end = place["start"], place["end"]
        if self._text_end != start and self.seen.startswith(b"\\", start - 1):
            start += 1  # an escaped bracket opens nothing
        self._text_end = end
        while (at := self._candidates.next) < end:
            self._candidates.pass_by()
            if at >= max(start, self._bare_end):
                self._count_brackets(start, at)
                start = at
                if not self._brackets and self._anchor < 0:
                    self._bare(at, first=after_break and at == place["start"])
        if "[" in text or "]" in text:
            self._count_brackets(start, end)

    def _count_brackets(self, start: int, end: int) -> None:
        for match in _BRACKET.finditer(self.seen, max(start, self._bare_end), end):
            if match[0] == b"[":
                self._brackets += 1
            elif self._brackets:
                self._brackets -= 1

    def _bare(self, at: int, *, first: bool) -> None:
        is_www = self.seen.startswith(b"www", at)
        if is_www and not (first or at == 0 or self.seen[at - 1] in _BEFORE_WWW):
            return
        block_end = self._block_end if self._block_end is not None else _item_end(self.seen, at)
        run = URL_RUN.match(self.seen, at, block_end)
        if run is None:
            return
        url = bare_url(decode(run[0]), at_end=not self.seen[run.end() : block_end].strip(self._block_tail))
        if url is None:
            return
        self._bare_end = at + len(url.encode())
        kind = LinkKind.FOOTNOTE if at < self._footnote_end else LinkKind.BARE
        found = Found(f"http://{url}" if is_www else url, url, kind, at, self._bare_end)
        if url.endswith("\\"):
            self._mask(found)  # its last backslash escapes nothing
        else:
            self.found.append(found)

    def _meets(self, start: int) -> None:
        """A mark begins at `start`: if a bare URL covers it, the mark is swallowed."""
        if start < self._bare_end and self.found and self.found[-1].end == self._bare_end:
            self._mask(self.found.pop())

    def _mask(self, swallowing: Found) -> None:
        if not self._swallowed:
            self.swallowing.append(swallowing)
            self._swallowed = True

    def _close_link(self, before: dict[str, int]) -> None:
        link = self._links.pop()
        if not link.is_wanted or any(outer.is_image for outer in self._links):
            return  # also: an image's description is text
        data, start, end = link.data, link.place["start"], link.place["end"]
        text_end = start + 1 + link.is_image if before is link.place else before["end"]
        kind = LinkKind.IMAGE if link.is_image else LinkKind.ANCHOR
        used_at = -1
        match data["link_type"]:
            case "Inline":
                start, end = destination_in_link(self.data, text_end, end) or (start, end)
            case "Autolink" | "Email":
                start, end, kind = start + 1, end - 1, LinkKind.AUTOLINK
            case reference if reference in _REFERENCES:
                _, first, last = self._definitions.get(_label(data["id"]), ("", -1, -1))
                if first >= 0:
                    used_at, start, end = start, first, last
                kind = kind if link.is_image else LinkKind.REFERENCE
        if link.place["start"] < self._footnote_end:
            kind = LinkKind.FOOTNOTE
        self.found.append(Found(data["dest_url"], "".join(link.texts), kind, start, end, used_at))

    def _html_region(self) -> None:
        region = Region.of([(start, end - start) for start, end in self._html])
        text = b"".join(self.data[start:end] for start, end in self._html)
        found, comments = read_html(text)
        for find in found:
            placed = region.place(find)
            in_footnote = placed.start < self._footnote_end
            self.found.append(placed._replace(kind=LinkKind.FOOTNOTE if in_footnote else LinkKind.HTML))
        for comment in comments:
            start, end = region.back(comment.start), region.back_end(comment.end)
            self.comments.append(Comment(comment.text, start, end))
        self._html = []

    def _inline_html(self, place: dict[str, int]) -> None:
        start, end = place["start"], place["end"]
        source = self.data[start:end]
        if _CLOSES_ANCHOR.match(source):
            self._close_anchor()
            return
        found, comments = read_html(source)
        for find in found:
            self.found.append(
                find._replace(kind=LinkKind.HTML, start=find.start + start, end=find.end + start)
            )
        self.comments += [Comment(c.text, c.start + start, c.end + start) for c in comments]
        if found and source[1:2] in b"aA" and not source[2:3].isalnum():
            self._anchor, self._anchor_text = len(self.found) - 1, []

    def _close_anchor(self) -> None:
        if self._anchor >= 0:
            text = "".join(self._anchor_text)
            self.found[self._anchor] = self.found[self._anchor]._replace(text=text)
            self._anchor, self._anchor_text = -1, []


def _uses(labels: list[str]) -> re.Pattern[bytes]:
    """What finds every use of these labels, and perhaps more."""
    if len(labels) > _MANY_LABELS or not all(label.isascii() for label in labels):
        return re.compile(rb"\]")
    names = "|".join(r"[\s>]+".join(map(re.escape, label.split())) for label in labels)
    return re.compile(rf"\[[\s>]*(?:{names})[\s>]*\]".encode(), re.IGNORECASE)


def _item_end(data: bytes, at: int) -> int:
    """Where the text of a tight list item ends, for which the parser gives no block of its own."""
    line = data.rfind(b"\n", 0, at) + 1
    quoted = data[line:at].lstrip().startswith(b">")
    match = (_QUOTED_ITEM_END if quoted else _ITEM_END).search(data, at)
    return match.start() if match else len(data)


def _label(name: str) -> str:
    """Labels match without regard to case, runs of white space being one space."""
    return " ".join(name.split()).casefold()
