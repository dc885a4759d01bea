"""MDX: Markdown with components; and wiki links in Markdown.

MDX is turned into Markdown of the same length, so that every byte keeps its place, and the URLs of
components are read beside it.

1. `import` and `export` at the start of a block are code, up to the next blank line; so are fences, at any
   indentation, and code spans. `{/* … */}` is a comment.
2. A tag counts wherever it stands outside of code: its attributes are texts in quotes, or expressions in
   braces. A text in braces (`href={"…"}`) is a text. Tags are blanked: what stands between them is
   Markdown.
3. Indentation means no code: a line end moves behind the white space that follows it.
4. Wiki links are `[[page]]`, `[[page#part|words]]`, `![[image.png]]`, as Obsidian has them. Nothing comes
   from code. A page is named as a file is, without its extension.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.documents.found import Ahead, Comment, Found, decode
from holdfast.core.documents.html_source import read_html
from holdfast.core.page.page import LinkKind

_FENCE = re.compile(rb"^[ \t]*+(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_MODULE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))(?:import|export)\b(?s:.*?)(?=\n\r?\n|\Z)")
_COMMENT_OPENS = re.compile(rb"\{\s*+/\*")
_STAR_SLASH = re.compile(rb"\*/")
_COMMENT_CLOSES = re.compile(rb"\*/\s*+\}")
_TICKS_OR_BREAK = re.compile(rb"`++|\n[ \t\r]*+\n")
_TAG = re.compile(rb"</?[A-Za-z][\w.:-]*+|</?>")
_SPACE = re.compile(rb"\s*+")
_ATTRIBUTE = re.compile(rb"[A-Za-z_$][\w.:$-]*+(?:\s*+=\s*+)?")
_IN_BRACES = re.compile(rb"[{}\"'`]")
_PLAIN_TEXT = re.compile(rb"\{\s*+(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|`([^`$\n]*+)`)\s*+\}")
_INDENT = re.compile(rb"\n[ \t]++")
_NOT_LINE_END = re.compile(rb"[^\r\n]")
_MAX_TAG: Final = 20_000
_PATIENCE: Final = 20
"""A tag that does not end costs as much as it may be long; a text of nothing else is given up."""


class Mdx:
    """A document as Markdown, what its components cite, and its comments."""

    __slots__ = ("comments", "found", "markdown")

    def __init__(self, markdown: bytes, found: list[Found], comments: list[Comment]) -> None:
        self.markdown = markdown
        self.found = found
        self.comments = comments


def read_mdx_tags(data: bytes) -> Mdx:
    """The Markdown of an MDX text, and what is beside it."""
    text = bytearray(_without_fences(data))
    for module in _MODULE.finditer(bytes(text)):
        _blank(text, module.start(), module.end())
    comments = _comments(bytes(text))
    for comment in comments:
        _blank(text, comment.start, comment.end)
    found = _tags(text, _code_spans(bytes(text)))
    moved = _INDENT.sub(lambda match: match[0][1:] + b"\n", bytes(text))
    return Mdx(moved, found, comments)


def _comments(text: bytes) -> list[Comment]:
    comments: list[Comment] = []
    ends = Ahead(_STAR_SLASH, text)
    at = 0
    while opener := _COMMENT_OPENS.search(text, at):
        at = opener.end()
        inside = ends.after(at)
        end = _COMMENT_CLOSES.match(text, inside.start()) if inside else None
        if inside and end:
            comments.append(Comment(decode(text[at : inside.start()]), opener.start(), end.end()))
            at = end.end()
    return comments


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = _NOT_LINE_END.sub(b" ", text[start:end])


def _without_fences(data: bytes) -> bytes:
    text = bytearray(data)
    opened: tuple[int, bytes] | None = None
    for line in _FENCE.finditer(data):
        mark, info = line[1], line[2]
        if opened is None:
            if mark[:1] == b"~" or b"`" not in info:
                opened = line.start(), mark
        elif mark.startswith(opened[1]) and not info.strip():
            _blank(text, opened[0], line.end())
            opened = None
    if opened is not None:
        _blank(text, opened[0], len(text))
    return bytes(text)


def _code_spans(text: bytes) -> list[tuple[int, int]]:
    """Where code spans are: runs of as many backticks, in one block."""
    spans: list[tuple[int, int]] = []
    block: list[tuple[int, int]] = []
    for token in _TICKS_OR_BREAK.finditer(text):
        if token[0].startswith(b"`"):
            block.append(token.span())
        else:
            spans += _pairs(block)
            block = []
    return spans + _pairs(block)


def _pairs(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        later.setdefault(end - start, []).append(index)
    pairs, at = [], 0
    while at < len(runs):
        start, end = runs[at]
        same = later[end - start]
        while same and same[-1] <= at:
            same.pop()
        if same:
            pairs.append((start, runs[same[-1]][1]))
            at = same[-1] + 1
        else:
            at += 1
    return pairs


def _tags(text: bytearray, code: list[tuple[int, int]]) -> list[Found]:
    """What the tags of components cite; they are blanked."""
    found: list[Found] = []
    whole = bytes(text)
    spans = iter([*code, (len(whole), len(whole))])
    span_start, span_end = next(spans)
    at, patience = 0, _PATIENCE * len(whole) + _MAX_TAG
    while (tag := _TAG.search(whole, at)) and patience > 0:
        while span_end <= tag.start():
            span_start, span_end = next(spans)
        if span_start <= tag.start():
            at = span_end
            continue
        end, html = _tag(whole, tag.start(), tag.end())
        if html is None:
            at = tag.end()
            patience -= end - at
            continue
        html[: tag.end() - tag.start()] = tag[0]
        finds, _ = read_html(bytes(html), components=True)
        kinds = (LinkKind.HTML if find.kind is LinkKind.ANCHOR else find.kind for find in finds)
        found += [
            find._replace(kind=kind, start=find.start + tag.start(), end=find.end + tag.start())
            for find, kind in zip(finds, kinds, strict=True)
        ]
        _blank(text, tag.start(), end)
        at = end
    return found


def _tag(text: bytes, begun: int, at: int) -> tuple[int, bytearray | None]:
    """How far a tag goes whose name ends at a place, and the tag as HTML of the same length."""
    limit = min(at + _MAX_TAG, len(text))
    parts: list[tuple[int, bytes]] = []
    while at < limit:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if text.startswith((b">", b"/>"), at):
            end = text.index(b">", at) + 1
            html = bytearray(b" " * (end - begun))
            for place, written in parts:
                html[place - begun : place - begun + len(written)] = written
            html[-1:] = b">"
            return end, html
        name = _ATTRIBUTE.match(text, at)
        if text.startswith(b"{", at):
            at = _closing(text, at)
        elif name is None:
            return at, None
        elif name[0].rstrip().endswith(b"="):
            value_end = _value_end(text, name.end())
            if value_end < 0:
                return limit, None
            parts.append((at, name[0] + _as_text(text[name.end() : value_end])))
            at = value_end
        else:
            at = name.end()
        if at < 0:
            break
    return limit, None


def _value_end(text: bytes, at: int) -> int:
    quote = text[at : at + 1]
    if quote in (b'"', b"'") and quote:
        return text.find(quote, at + 1, at + _MAX_TAG) + 1 or -1
    return _closing(text, at) if quote == b"{" else -1


def _as_text(value: bytes) -> bytes:
    """A value as HTML has it: a text in braces in their place, any other expression as nothing."""
    if not value.startswith(b"{"):
        return value
    plain = _PLAIN_TEXT.fullmatch(value)
    if plain is None:
        return b'""' + b" " * (len(value) - 2)
    group = plain.lastindex or 1
    quote = b"'" if b'"' in plain[group] else b'"'
    before = b" " * (plain.start(group) - 1)
    after = b" " * (len(value) - plain.end(group) - 1)
    return before + quote + plain[group] + quote + after


def _closing(text: bytes, at: int) -> int:
    """The end of what begins with a brace; -1 where it does not end. Braces in texts do not count."""
    depth, quote = 0, b""
    for mark in _IN_BRACES.finditer(text, at, at + _MAX_TAG):
        char = mark[0]
        if quote:
            quote = b"" if char == quote else quote
        elif char in (b"{", b"}"):
            depth += 1 if char == b"{" else -1
            if not depth:
                return mark.end()
        else:
            quote = char
    return -1


_CODE = re.compile(
    rb"^[ \t]*+(`{3,}|~{3,})[^\n]*+\n(?s:.*?)(?:^[ \t]*+\1[^\n]*+|\Z)|`[^`\n]++`", re.MULTILINE
)
_LINK = re.compile(rb"(!?)\[\[([^\[\]|\n]++)(?:\|([^\[\]\n]*+))?\]\]")


def read_wiki_links(data: bytes) -> list[Found]:
    """Every wiki link of a text."""
    text = _CODE.sub(lambda match: _NOT_LINE_END.sub(b" ", match[0]), data)
    return [
        Found(
            "wiki:" + decode(match[2]).strip(),
            decode(match[3] or match[2]),
            LinkKind.IMAGE if match[1] else LinkKind.REFERENCE,
            *match.span(2),
        )
        for match in _LINK.finditer(text)
    ]
