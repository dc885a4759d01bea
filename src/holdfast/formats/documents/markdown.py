"""URLs in Markdown: CommonMark by its parser, bare URLs by GFM's rules, raw HTML by ours.

1. `pyromark` decides what is a link, an image, code, raw HTML. This file is the only door to it.
2. Nothing comes from code. Front matter counts only at the very start and only if it is a mapping.
3. Bare URLs are read on the source, as GFM does: not inside brackets, and once begun they swallow what looks
   like markup. Where a swallowed mark would have begun a link or a code span, the URL is masked and the text
   parsed again, so that the parser sees what GFM sees.
4. The place of a link is that of its destination: in the link, or in its reference definition.
5. Inside a raw `<a>` a bare URL is the link's text and no second link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pyromark

from holdfast.core.page import LinkKind
from holdfast.formats.documents.destination import destination_in_definition, destination_in_link
from holdfast.formats.documents.found import Comment, Found, Region
from holdfast.formats.documents.gfm_autolink import CANDIDATE, URL_RUN, bare_url
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
_BLOCKS: Final = frozenset(("Paragraph", "Item", "TableCell"))
_BEFORE_WWW: Final = frozenset(b" \t\n\v\f\r*_~(")
_REFERENCES: Final = frozenset(("Reference", "Collapsed", "Shortcut"))
_MARK = rb"(?:[\r\n]|[-+*][ \t\r\n]|[0-9]{1,9}[.)][ \t\r\n]|\Z)"
_ITEM_END = re.compile(rb"[\r\n]+[ \t]*(?:>|" + _MARK + rb")")
_QUOTED_ITEM_END = re.compile(rb"[\r\n]+[ \t>]*" + _MARK)
_CLOSES_ANCHOR = re.compile(rb"</a\s*>\Z", re.IGNORECASE)


def read_markdown(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a Markdown text, and its comments."""
    bare: list[Found] = []
    masked = data
    for _ in range(_MAX_PASSES):
        walk = _Walk(masked, data)
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
    texts: list[str] = field(default_factory=list)


class _Walk:
    """One pass over the parser's events. `seen` is what is parsed, `data` what is written."""

    def __init__(self, seen: bytes, data: bytes) -> None:
        self.seen = seen
        self.data = data
        self.found: list[Found] = []
        self.comments: list[Comment] = []
        self.swallowing: list[Found] = []
        self._links: list[_Open] = []
        self._html: list[tuple[int, int]] = []
        self._anchor: int = -1  # the find of an open raw <a>, or -1
        self._anchor_text: list[str] = []
        self._footnotes = 0
        self._brackets = 0
        self._bare_end = 0
        self._text_end = 0
        self._swallowed = False  # this block has a URL to mask; what follows in it is not settled
        self._block_end: int | None = None
        self._block_tail = b" \t\r\n"  # what may follow the block's text inside the block
        self._definitions: dict[str, tuple[int, int]] | None = None
        self._candidates = [match.start() for match in CANDIDATE.finditer(seen)]
        self._next = 0

    def run(self) -> list[Found]:
        """Walk to the end; returns the URLs that must be masked for the next pass."""
        bare = bool(self._candidates)
        verbatim = False
        before: dict[str, int] = {"start": 0, "end": 0}
        after_break = True
        events: Iterator[tuple[Any, Any]] = _PARSER.events_with_range(decode(self.seen))
        for event, place in events:
            if event.__class__ is str:
                after_break = True
            elif "Text" in event:
                if not verbatim:
                    self._text(event["Text"], place, bare=bare, after_break=after_break)
                after_break = False
            elif "Start" in event:
                tag = event["Start"]
                verbatim = tag.__class__ is dict and "CodeBlock" in tag
                self._start(tag, place)
                after_break = True
            elif "End" in event:
                verbatim = after_break = False
                self._end(event["End"], before)
            else:
                self._leaf(event, place)
                after_break = False
            before = place
        return self.swallowing

    def _start(self, tag: Any, place: dict[str, int]) -> None:
        if tag.__class__ is dict:
            for name in ("Link", "Image"):
                if name in tag:
                    self._meets(place["start"])
                    self._links.append(_Open(tag[name], place, name == "Image"))
                    return
            if "FootnoteDefinition" in tag:
                self._footnotes += 1
            self._block()
            if "Heading" in tag:
                self._block_end, self._block_tail = place["end"], b" \t\r\n#-="
        elif tag in _BLOCKS:
            self._block()
            self._block_end = None if tag == "Item" else place["end"]
        elif tag == "HtmlBlock":
            self._block()
            self._html = []

    def _end(self, tag: Any, before: dict[str, int]) -> None:
        if tag in ("Link", "Image"):
            self._close_link(before)
        elif tag == "HtmlBlock":
            self._html_region()
        elif tag == "FootnoteDefinition":
            self._footnotes -= 1
        elif tag.__class__ is dict or tag in _BLOCKS:
            self._block()

    def _block(self) -> None:
        """Text of another block begins, or ends: nothing open reaches across."""
        self._brackets = 0
        self._swallowed = False
        self._block_end = None
        self._block_tail = b" \t\r\n"
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
            link.texts.append(text)
        if self._anchor >= 0:
            self._anchor_text.append(text)

    def _text(self, text: str, place: dict[str, int], *, bare: bool, after_break: bool) -> None:
        if self._links or self._anchor >= 0:
            self._name(text)
        if not bare or self._links:
            return
        start, end = place["start"], place["end"]
        if self._text_end != start and self.seen.startswith(b"\\", start - 1):
            start += 1  # an escaped bracket opens nothing
        self._text_end = end
        while self._next < len(self._candidates) and self._candidates[self._next] < end:
            at = self._candidates[self._next]
            self._next += 1
            if at >= max(start, self._bare_end):
                self._count_brackets(start, at)
                start = at
                if not self._brackets and self._anchor < 0:
                    self._bare(at, first=after_break and at == place["start"])
        self._count_brackets(start, end)

    def _count_brackets(self, start: int, end: int) -> None:
        for char in self.seen[max(start, self._bare_end) : end]:
            if char == 0x5B:
                self._brackets += 1
            elif char == 0x5D and self._brackets:
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
        kind = LinkKind.FOOTNOTE if self._footnotes else LinkKind.BARE
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
        if any(outer.is_image for outer in self._links):
            return  # an image's description is text
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
                definition = self._definition(data["id"])
                if definition:
                    used_at = start
                    start, end = definition
                kind = kind if link.is_image else LinkKind.REFERENCE
        if self._footnotes:
            kind = LinkKind.FOOTNOTE
        self.found.append(Found(data["dest_url"], "".join(link.texts), kind, start, end, used_at))

    def _definition(self, label: str) -> tuple[int, int] | None:
        if self._definitions is None:
            self._definitions = {}
            for name, definition in _PARSER.reference_definitions(decode(self.seen)).items():
                span = definition["span"]
                place = destination_in_definition(self.data, span["start"], span["end"])
                if place:
                    self._definitions.setdefault(_label(name), place)
        return self._definitions.get(_label(label))

    def _html_region(self) -> None:
        region = Region.of([(start, end - start) for start, end in self._html])
        text = b"".join(self.data[start:end] for start, end in self._html)
        found, comments = read_html(text)
        for find in found:
            placed = region.place(find)
            self.found.append(placed._replace(kind=LinkKind.FOOTNOTE if self._footnotes else LinkKind.HTML))
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


def _item_end(data: bytes, at: int) -> int:
    """Where the text of a tight list item ends, for which the parser gives no block of its own."""
    line = data.rfind(b"\n", 0, at) + 1
    quoted = data[line:at].lstrip().startswith(b">")
    match = (_QUOTED_ITEM_END if quoted else _ITEM_END).search(data, at)
    return match.start() if match else len(data)


def _label(name: str) -> str:
    """Labels match without regard to case, runs of white space being one space."""
    return " ".join(name.split()).casefold()
