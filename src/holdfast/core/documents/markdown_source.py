"""URLs in Markdown: CommonMark by its parser, bare URLs by GFM's rules, raw HTML by ours.

1. `pyromark` decides what is a link, an image, code, raw HTML. This file is the only door to it.
2. Nothing comes from code. Front matter counts only at the very start and only if it is a mapping.
3. Bare URLs are read on the source, as GFM does: not inside brackets, and once begun they swallow what looks
   like markup. Where a swallowed mark would have begun a link or a code span, the URL is masked and the text
   parsed again, so that the parser sees what GFM sees.
4. The place of a link is that of its destination: in the link, or in its reference definition.
5. When only external URLs are wanted, what cannot hold one is blanked before parsing (`passages`), and blocks
   without any of their signs are passed over.
6. Inside a raw `<a>` a bare URL is the link's text and no second link.
7. A backslash that escapes nothing is a character of the URL: renderers write `%5C`, and so it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pyromark

from holdfast.core.documents.found import Comment, Found, Region, decode, is_external
from holdfast.core.documents.html_source import read_html
from holdfast.core.documents.markdown_parts import (
    DEFINITION,
    SLASHES,
    WWW,
    BareUrls,
    ListItems,
    Marks,
    blank_passages,
    destination_in_definition,
    destination_in_link,
    empty_fences,
    passages_of,
    places_of,
    signs_of,
    start_of_bare,
    uses_of,
)
from holdfast.core.page.page import LinkKind

_OPTIONS: Final = pyromark.Options
_PARSER: Final = pyromark.Markdown(
    options=_OPTIONS.ENABLE_TABLES
    | _OPTIONS.ENABLE_FOOTNOTES
    | _OPTIONS.ENABLE_STRIKETHROUGH
    | _OPTIONS.ENABLE_TASKLISTS
)
_EXACT_PASSES: Final = 8
_MAX_PASSES: Final = 16
"""How often a text is parsed at most: masking one URL a block at a time, then all that are left at once."""
_INLINES: Final = frozenset(("Emphasis", "Strong", "Strikethrough", "Superscript", "Subscript"))
_BEFORE_WWW: Final = frozenset(b" \t\n\v\f\r*_~(")
_REFERENCES: Final = frozenset(("Reference", "Collapsed", "Shortcut"))
_BRACKET = re.compile(rb"[\[\]]")
_CLOSES_ANCHOR = re.compile(rb"</a\s*>\Z", re.IGNORECASE)

_Definitions = dict[str, tuple[str, int, int]]


def read_markdown(data: bytes, *, external: bool = False) -> tuple[list[Found], list[Comment]]:
    """Every URL of a Markdown text, and its comments; `external` leaves out what names no host."""
    seen, definitions, signs = _narrowed(data) if external else (data, _definitions(data, data), None)
    bare: list[Found] = []
    for done in range(_MAX_PASSES):
        walk = _Walk(seen, data, definitions, signs, one_a_block=done < _EXACT_PASSES)
        swallowing = walk.run()
        if not swallowing:
            break
        bare += swallowing
        seen = _masked(seen, swallowing)
        definitions = _definitions(seen, data)
    found = sorted(bare + walk.found, key=lambda find: find.used_at if find.used_at >= 0 else find.start)
    return found, walk.comments


def markdown_events(text: str) -> Iterator[tuple[Any, Any]]:
    """What the parser sees in a text, in order, and where."""
    events: Iterator[tuple[Any, Any]] = _PARSER.events_with_range(text)
    return events


def _masked(text: bytes, urls: list[Found]) -> bytes:
    """The text with letters in the place of some URLs."""
    pieces: list[bytes] = []
    at = 0
    for url in sorted(urls, key=lambda url: url.start):
        pieces += (text[at : url.start], b"x" * (url.end - url.start))
        at = url.end
    return b"".join((*pieces, text[at:]))


def _narrowed(data: bytes) -> tuple[bytes, _Definitions, list[int]]:
    """What is left to parse when only external URLs are wanted, what it defines, and where to look."""
    text, known = empty_fences(data)
    passages, signs = passages_of(text, known), signs_of(text)
    if not DEFINITION.search(text):
        signs.sort()
        return blank_passages(text, passages, signs), {}, signs
    defining = places_of(DEFINITION, text)
    seen = blank_passages(text, passages, sorted(signs + defining))
    definitions = _definitions(seen, data)
    if any(is_external(url) for url, _, _ in definitions.values()):
        signs += uses_of(text)
        seen = blank_passages(text, passages, sorted(signs + defining))
    signs.sort()
    return seen, definitions, signs


def _definitions(text: bytes, data: bytes) -> _Definitions:
    """The reference definitions by label: what each means, and where its destination stands."""
    if not DEFINITION.search(text):
        return {}
    found: _Definitions = {}
    for name, definition in _PARSER.reference_definitions(decode(text)).items():
        span = definition["span"]
        place = destination_in_definition(data, span["start"], span["end"])
        found.setdefault(_label(name), (definition["dest"], *(place or (-1, -1))))
    return found


class _Open(NamedTuple):
    """A link or an image whose end has not come yet; `place` is where the parser saw it.

    What stands in an image's description is text, and not wanted.
    """

    data: dict[str, Any]
    place: dict[str, int]
    is_image: bool
    is_wanted: bool
    texts: list[str]


class _Walk:
    """One pass over the parser's events. `seen` is what is parsed, `data` what is written.

    `signs` are the places where what is wanted may stand; without them everything is wanted.
    """

    def __init__(
        self,
        seen: bytes,
        data: bytes,
        definitions: _Definitions,
        signs: list[int] | None,
        *,
        one_a_block: bool,
    ) -> None:
        self.seen = seen
        self.data = data
        self.found: list[Found] = []
        self.comments: list[Comment] = []
        self.swallowing: list[Found] = []
        self._definitions = definitions
        self._signs = None if signs is None else Marks(signs)
        self._candidates = Marks(sorted(places_of(SLASHES, seen) + places_of(WWW, seen)))
        self._bare_urls = BareUrls(seen)
        self._items = ListItems(seen)
        self._one_a_block = one_a_block
        self._links: list[_Open] = []
        self._named: list[
            _Open
        ] = []  # those of them that are wanted: a link, an image, or an image in a link
        self._images = 0
        self._html: list[tuple[int, int]] = []
        self._anchor: int = -1  # the find of an open raw <a>, or -1
        self._anchor_text: list[str] = []
        self._footnote_end = 0
        self._texts: list[dict[str, int]] = []  # of this block, outside links, with brackets not yet counted
        self._text_end = 0
        self._brackets = 0
        self._bare_end = 0
        self._swallowed = False  # this block has a URL to mask; what follows in it is not settled
        self._block_end: int | None = None
        self._block_tail = b" \t\r\n"  # what may follow the block's text inside the block

    def run(self) -> list[Found]:  # noqa: C901, PLR0912 - a call costs as much as an event
        """Walk to the end; returns the URLs that must be masked for the next pass."""
        passed = 0  # up to here nothing is wanted
        last: Any = ""
        before: dict[str, int] = {"start": 0, "end": 0}
        links, texts, candidates = self._links, self._texts, self._candidates
        events = markdown_events(decode(self.seen))
        for event, place in events:
            if place["start"] < passed:
                continue
            if "Text" in event:
                if links or self._anchor >= 0:
                    self._name(event["Text"])
                if not links:
                    texts.append(place)
                    if candidates.next < place["end"] and candidates.reach_into(place["start"], place["end"]):
                        self._text(place, after_break=last.__class__ is str or "Start" in last)
            elif "Start" in event:
                tag = event["Start"]
                if tag.__class__ is dict and ("Link" in tag or "Image" in tag):
                    self._open(tag, place)
                elif (tag.__class__ is dict or tag not in _INLINES) and not self._begin(tag, place):
                    passed = place["end"]
            elif "End" in event:
                tag = event["End"]
                if tag == "Link" or tag == "Image":  # noqa: PLR1714 - a tuple of two is no faster to build
                    self._close_link(before)
                elif tag.__class__ is dict or tag not in _INLINES:
                    self._end(tag)
            elif event.__class__ is not str:
                self._leaf(event, place)
            elif links:
                self._name(" ")
            last, before = event, place
        return self.swallowing

    def _open(self, tag: dict[str, Any], place: dict[str, int]) -> None:
        if place["start"] < self._bare_end:
            self._meets()
        is_image = "Image" in tag
        data = tag["Image"] if is_image else tag["Link"]
        wanted = not self._images and (self._signs is None or is_external(data["dest_url"]))
        link = _Open(data, place, is_image, wanted, [])
        self._links.append(link)
        self._images += is_image
        if wanted:
            self._named.append(link)

    def _begin(self, tag: Any, place: dict[str, int]) -> bool:
        """A block begins; False if it holds nothing that is wanted."""
        self._block()
        signs, end = self._signs, place["end"]
        if "CodeBlock" in tag or not (signs is None or signs.reach_into(place["start"], end)):
            return False
        if tag in ("Paragraph", "TableCell"):
            self._block_end = end
        elif "FootnoteDefinition" in tag:
            self._footnote_end = end
        elif "Heading" in tag:
            self._block_end, self._block_tail = end, b" \t\r\n#-="
        elif tag == "HtmlBlock":
            self._html = []
        return True

    def _end(self, tag: Any) -> None:
        if tag == "HtmlBlock":
            self._html_region()
        else:
            self._block()

    def _block(self) -> None:
        """Text of another block begins, or ends: nothing open reaches across."""
        self._texts.clear()
        self._brackets = 0
        self._swallowed = False
        self._block_end = None
        self._block_tail = b" \t\r\n"
        if self._anchor >= 0:
            self._close_anchor()

    def _leaf(self, event: dict[str, Any], place: dict[str, int]) -> None:
        if place["start"] < self._bare_end:
            self._meets()
        if "Code" in event:
            self._name(event["Code"])
        elif "Html" in event:
            self._html.append((place["start"], place["end"]))
        elif "InlineHtml" in event:
            self._inline_html(place)

    def _name(self, text: str) -> None:
        for link in self._named:
            link.texts.append(text)
        if self._anchor >= 0:
            self._anchor_text.append(text)

    def _text(self, place: dict[str, int], *, after_break: bool) -> None:
        """Text in which a bare URL may stand."""
        start, end, candidates = place["start"], place["end"], self._candidates
        while candidates.reach_into(start, end):
            at = start_of_bare(self.seen, candidates.next)
            candidates.pass_by()
            if at >= max(start, self._bare_end):
                self._count_brackets(at)
                if not self._brackets and self._anchor < 0:
                    self._bare(at, first=after_break and at == start)

    def _count_brackets(self, upto: int) -> None:
        """Count what opens and closes in the texts noted so far; the last one counts up to a place."""
        for place in self._texts:
            start, end = place["start"], place["end"]
            if self._text_end != start and self.seen.startswith(b"\\", start - 1):
                start += 1  # an escaped bracket opens nothing
            self._text_end = min(end, upto)
            for match in _BRACKET.finditer(self.seen, max(start, self._bare_end), self._text_end):
                if match[0] == b"[":
                    self._brackets += 1
                elif self._brackets:
                    self._brackets -= 1
        self._texts[:] = [{"start": upto, "end": self._texts[-1]["end"]}]

    def _bare(self, at: int, *, first: bool) -> None:
        is_www = self.seen.startswith(b"www", at)
        if is_www and not (first or at == 0 or self.seen[at - 1] in _BEFORE_WWW):
            return
        stop = self._block_end if self._block_end is not None else self._items.end(at)
        url = self._bare_urls.url_at(at, stop, self._block_tail)
        if url is None:
            return
        self._bare_end = at + len(url.encode())
        kind = LinkKind.FOOTNOTE if at < self._footnote_end else LinkKind.BARE
        meant = url.replace("\\", "%5C")
        found = Found(f"http://{meant}" if is_www else meant, url, kind, at, self._bare_end)
        if url.endswith("\\"):
            self._mask(found)  # its last backslash escapes nothing
        else:
            self.found.append(found)

    def _meets(self) -> None:
        """A mark begins inside the last bare URL, which swallows it."""
        if self.found and self.found[-1].end == self._bare_end:
            self._mask(self.found.pop())

    def _mask(self, swallowing: Found) -> None:
        if not (self._swallowed and self._one_a_block):
            self.swallowing.append(swallowing)
            self._swallowed = True

    def _close_link(self, before: dict[str, int]) -> None:
        data, place, is_image, is_wanted, texts = self._links.pop()
        self._images -= is_image
        if not is_wanted:
            return
        self._named.pop()
        url, how, start, end, used_at = data["dest_url"], data["link_type"], place["start"], place["end"], -1
        meant = url.replace("\\", "%5C") if "\\" in url else url
        kind = LinkKind.IMAGE if is_image else LinkKind.ANCHOR
        if how == "Inline":
            text_end = start + 1 + is_image if before is place else before["end"]
            start, end = destination_in_link(self.data, text_end, end, url) or (start, end)
        elif how in _REFERENCES:
            _, first, last = self._definitions.get(_label(data["id"]), ("", -1, -1))
            if first >= 0:
                used_at, start, end = start, first, last
            kind = kind if is_image else LinkKind.REFERENCE
        elif how in ("Autolink", "Email"):
            start, end, kind = start + 1, end - 1, LinkKind.AUTOLINK
        if place["start"] < self._footnote_end:
            kind = LinkKind.FOOTNOTE
        self.found.append(Found(meant, "".join(texts), kind, start, end, used_at))

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


def _label(name: str) -> str:
    """Labels match without regard to case, runs of white space being one space."""
    return " ".join(name.split()).casefold()
