"""URLs in AsciiDoc: bare, macros (`link:`, `image:`, `video:`, `audio:`), attributes that hold them.

1. Which lines are text is said by `asciidoc_blocks`; a passthrough block (`++++`) holds HTML. Inline
   passthroughs hide what they hold, and a backslash before a URL or a macro makes it text.
2. A bare URL starts after white space, `<`, `>`, `(`, `)`, `[`, `]`, `;` or a formatting mark, or at the
   start of a line. With `[text]` it goes up to the bracket, in `<…>` up to the `>`. Alone it does not end in
   `.` or `,`, nor in one of `)`, `?`, `!`, `;`, `:`; after a quotation mark it is not a link. Monospace hides
   no link: AsciiDoc links URLs there too. In `compat-mode` backticks are passthroughs, and pluses are not.
3. `xref:page.adoc#id[text]` and `<<id,text>>` name files and ids of one's own; what has neither a `#` nor the
   suffix of a file is an id, and a file that is named with a `#` may go without its suffix.
4. `{name}` stands for the attribute's value where one is set in the same file; such a URL stands where it is
   used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdfast.core.page import LinkKind
from holdfast.formats.documents.ahead import Ahead
from holdfast.formats.documents.asciidoc_blocks import AttributeEntry, CommentText, RawHtml, Text, blocks
from holdfast.formats.documents.asciidoc_passthrough import without_passthroughs
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.source import decode

__all__ = ["read_asciidoc"]

_MARKS: Final = b"`*_#~^"
_MARKS_IN_COMPAT: Final = b"*_#~^+'"
_START = re.compile(
    rb"(?P<escaped>\\)?(?:"
    rb"(?P<macro>link|image|video|audio|xref)::?(?P<plus>\+\+)?(?=[^\s\[\]:+])"
    rb"|<<(?P<cross>[^\s<>,\[\]\"'][^<>,\n]*+)(?:,[^>\n]*+)?>>"
    rb"|(?:(?<![\s\S])|(?<=[\s<>()\[\];\"'`*_#~^+|]))"
    rb"(?P<url>(?:(?:https?|ftp|irc)://|\{[\w][\w-]*+\})[^\s\[\]<]*+))"
)
_TARGET_END = re.compile(rb"[\[\]\n]|\+\+")
_BRACKET_END = re.compile(rb"(?<!\\)(?:\\\\)*+\]")
_MAX_VALUE: Final = 8192
"""Attributes stand in attributes: a few lines could mean more characters than there is memory."""
_SCHEME = re.compile(r"(?:https?|ftp|irc)://", re.IGNORECASE)
_FILES: Final = (".adoc", ".asciidoc", ".asc", ".html", ".pdf", ".txt", ".md")
_REFERENCE = re.compile(r"\{([\w][\w-]*)\}")
_KINDS = {
    b"link": LinkKind.ANCHOR,
    b"image": LinkKind.IMAGE,
    b"video": LinkKind.MEDIA,
    b"audio": LinkKind.MEDIA,
    b"xref": LinkKind.REFERENCE,
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
    text = without_passthroughs(text, compat=compat)
    target_ends, bracket_ends = Ahead(_TARGET_END, text), Ahead(_BRACKET_END, text)
    at = 0
    while start := _START.search(text, at):
        at = start.end()
        if start["macro"]:
            target_end = target_ends.after(at)
            find = _macro(start, target_end, text, bracket_ends) if target_end else None
            at = start.start() + 1 if find is None else at
            if find is not None and start["macro"] == b"xref":
                find = find._replace(url=_crossed(find.url))
        elif start["cross"]:
            written = decode(start["cross"])
            find = Found(_crossed(written), "", LinkKind.REFERENCE, *start.span("cross"))
        else:
            label = _label(text, at, bracket_ends)
            find = _bare(start, label, text, _MARKS_IN_COMPAT if compat else _MARKS)
        if find is not None and not start["escaped"]:
            find = find._replace(url=_substituted(find.url, attributes))
            if start["url"] is None or _SCHEME.match(find.url):  # an attribute may hold any text
                yield find


def _label(text: bytes, at: int, bracket_ends: Ahead) -> bytes | None:
    """What stands in brackets at a place; None where there are none."""
    closing = bracket_ends.after(at + 1) if text.startswith(b"[", at) else None
    return text[at + 1 : closing.end() - 1] if closing else None


def _macro(
    start: re.Match[bytes], target_end: re.Match[bytes], text: bytes, bracket_ends: Ahead
) -> Found | None:
    end = after = target_end.start()
    if start["plus"]:
        after += len(b"++")
        if target_end[0] != b"++":
            return None
    label = _label(text, after, bracket_ends)
    if label is None:
        return None
    target = text[start.end() : end]
    return Found(decode(target), _words(label), _KINDS[start["macro"]], start.end(), end)


def _bare(match: re.Match[bytes], label: bytes | None, text: bytes, marks: bytes) -> Found | None:
    start, end = match.span("url")
    before = text[start - 1 : start] if start else b""
    if label is not None:
        return Found(decode(text[start:end]), _words(label), LinkKind.ANCHOR, start, end)
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


def _crossed(target: str) -> str:
    """What a cross reference names, as a relative link."""
    path, mark, fragment = target.strip().partition("#")
    if not mark:
        return path if path.endswith(_FILES) or ":" in path else f"#{path}"
    return f"{path}#{fragment}" if fragment else path


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
    """A text with the values of its attributes; as it is where that would be too long."""
    pieces: list[str] = []
    at = length = 0
    for match in _REFERENCE.finditer(text):
        value = attributes.get(match[1].lower(), match[0])
        pieces += (text[at : match.start()], value)
        at = match.end()
        length += len(value)
        if length > _MAX_VALUE:
            return text
    return "".join((*pieces, text[at:]))
