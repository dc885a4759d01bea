"""URLs in AsciiDoc: bare, macros (`link:`, `image:`, `video:`, `audio:`), attributes that hold them.

1. Which lines are text is said by `asciidoc_blocks`; a passthrough block (`++++`) holds HTML. Inline
   passthroughs hide what they hold, and a backslash before a URL or a macro makes it text.
2. A bare URL starts after white space, `<`, `>`, `(`, `)`, `[`, `]`, `;` or a formatting mark, or at the
   start of a line. With `[text]` it goes up to the bracket, in `<…>` up to the `>`. Alone it does not end in
   `.` or `,`, nor in one of `)`, `?`, `!`, `;`, `:`; after a quotation mark it is no link. Monospace does not
   hide it: AsciiDoc links URLs there too. In `compat-mode` backticks are passthroughs, and pluses are not.
3. `{name}` stands for the attribute's value where one is set in the same file; such a URL stands where it is
   used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdfast.core.page import LinkKind
from holdfast.formats.documents.asciidoc_blocks import AttributeEntry, CommentText, RawHtml, Text, blocks
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.source import decode

__all__ = ["read_asciidoc"]

_PASSED: Final = rb"\+\+\+.*?\+\+\+|\$\$.*?\$\$|pass:[a-z,]*\[.*?[^\\]\]|stem:\[.*?[^\\]\]"
_PLUS: Final = rb"|(?<!link:)\+\+(?!\+).+?\+\+|(?<![\w+;:])\+(?![\s+])[^+]*(?<!\s)\+(?![\w+])"
_HIDDEN = re.compile(_PASSED + _PLUS, re.DOTALL)
_HIDDEN_IN_COMPAT = re.compile(_PASSED + rb"|(?<![\w`])`(?![\s`])[^`]*(?<!\s)`(?![\w`])", re.DOTALL)
_MARKS: Final = b"`*_#~^"
_MARKS_IN_COMPAT: Final = b"*_#~^+'"
_LINK = re.compile(
    rb"(?P<escaped>\\)?(?:"
    rb"(?P<macro>link|image|video|audio)::?(?P<plus>\+\+)?(?P<target>[^\s\[\]:+](?:[^\[\]\n+]|\+(?!\+))*?)(?(plus)\+\+)"
    rb"\[(?P<label>(?:[^\]\\]|\\.)*)\]"
    rb"|(?:(?<![\s\S])|(?<=[\s<>()\[\];\"'`*_#~^+|]))(?P<url>(?:(?:https?|ftp|irc)://|\{[\w][\w-]*\})[^\s\[\]<]*)"
    rb"(?:\[(?P<text>(?:[^\]\\]|\\.)*)\])?)",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\{([\w][\w-]*)\}")
_KINDS = {
    b"link": LinkKind.ANCHOR,
    b"image": LinkKind.IMAGE,
    b"video": LinkKind.MEDIA,
    b"audio": LinkKind.MEDIA,
}


def read_asciidoc(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text, and its comments."""
    found: list[Found] = []
    comments: list[Comment] = []
    attributes: dict[str, str] = {}
    for block in blocks(data):
        match block:
            case Text(start, text):
                found += [_moved(find, start) for find in _links(text, attributes)]
            case RawHtml(start, end):
                finds, _ = read_html(data[start:end])
                found += [_moved(find, start)._replace(kind=LinkKind.HTML) for find in finds]
            case AttributeEntry(name, value):
                attributes[decode(name).lower()] = _substituted(decode(value), attributes)
            case CommentText(start, end):
                comments.append(Comment(decode(data[start:end]), start, end))
    return sorted(found, key=lambda find: find.start), comments


def _moved(find: Found, by: int) -> Found:
    return find._replace(start=find.start + by, end=find.end + by)


def _links(text: bytes, attributes: dict[str, str]) -> Iterator[Found]:
    compat = "compat-mode" in attributes
    hidden, marks = (_HIDDEN_IN_COMPAT, _MARKS_IN_COMPAT) if compat else (_HIDDEN, _MARKS)
    text = hidden.sub(lambda match: b"\x00" * len(match[0]), text)
    for match in _LINK.finditer(text):
        if not match["escaped"] and (find := _macro(match) if match["macro"] else _bare(match, text, marks)):
            yield find._replace(url=_substituted(find.url, attributes))


def _macro(match: re.Match[bytes]) -> Found:
    start, end = match.span("target")
    return Found(decode(match["target"]), _words(match["label"]), _KINDS[match["macro"]], start, end)


def _bare(match: re.Match[bytes], text: bytes, marks: bytes) -> Found | None:
    start, end = match.span("url")
    before = text[start - 1 : start] if start else b""
    if match["text"] is not None:
        return Found(decode(text[start:end]), _words(match["text"]), LinkKind.ANCHOR, start, end)
    url = text[start:end].rstrip(b".,")
    closing = url.find(b">")
    pointed = before == b"<" and closing > 0
    if before in (b'"', b"'", b"+") and before not in marks:
        return None
    written = url[:closing] if pointed else _trimmed(url, before if before in marks else b"")
    if written.endswith(b"://") or (written.startswith(b"{") and b"}" not in written):
        return None
    kind = LinkKind.AUTOLINK if pointed else LinkKind.BARE
    return Found(decode(written), "", kind, start, start + len(written))


def _trimmed(url: bytes, mark: bytes) -> bytes:
    """A bare URL without the punctuation and the formatting marks that follow it; `mark` stands before it."""
    if mark and (closing := re.search(re.escape(mark) + rb"(?!\w)", url)):
        url = url[: closing.start()]
    url = url.rstrip(b"`*_|\"'")
    if url.endswith((b")", b"?", b"!")):
        if url.endswith(b")") and url[:-1].endswith((b".", b"?", b"!")):
            url = url[:-1]
        return url[:-1]
    return url[:-1].removesuffix(b")") if url.endswith((b";", b":")) else url


def _words(label: bytes) -> str:
    return " ".join(decode(label).partition(",")[0].split()).rstrip("^")


def _substituted(text: str, attributes: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: attributes.get(match[1].lower(), match[0]), text)
