"""URLs in AsciiDoc: bare, macros (`link:`, `image:`, `video:`, `audio:`), attributes that hold them.

1. Listing, literal and comment blocks, source paragraphs, literal paragraphs and passthroughs hold no links;
   a passthrough block (`++++`) holds HTML. A backslash before a URL or a macro makes it text.
2. A bare URL starts after white space, `<`, `>`, `(`, `)`, `[`, `]`, `;`, `"`, `'` or at the start of a line.
   With `[text]` it goes up to the bracket; in `<…>` up to the `>`; alone it does not end in `.`, `,`, `?`,
   `!`, `)`, `;` or `:`. Monospace does not hide it: AsciiDoc links URLs there too.
3. `{name}` stands for the attribute's value where one is set in the same file; such a URL stands where it is
   used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from holdfast.core.page import LinkKind
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.source import decode

__all__ = ["read_asciidoc"]

_FENCES = re.compile(rb"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}|~{4,})[^\s]*\s*\Z|```[\w+-]*\s*\Z")
_STYLE = re.compile(rb"\[(?:source|listing|literal|stem|latexmath|asciimath|comment|pass)\b[^\n]*\]\s*\Z")
_ENTRY = re.compile(rb":([\w][\w-]*):(?:[ \t]+(.*))?\Z")
_HIDDEN = re.compile(
    rb"\+\+\+.*?\+\+\+|(?<!link:)\+\+(?!\+).+?\+\+|\$\$.*?\$\$|pass:[a-z,]*\[.*?[^\\]\]|stem:\[.*?[^\\]\]"
    rb"|(?<![\w+])\+(?![\s+])[^+\n]*(?<!\s)\+(?![\w+])",
    re.DOTALL,
)
_LINK = re.compile(
    rb"(?P<escaped>\\)?(?:"
    rb"(?P<macro>link|image|video|audio)::?(?P<plus>\+\+)?(?P<target>[^\s\[\]:+](?:[^\[\]\n+]|\+(?!\+))*?)(?(plus)\+\+)"
    rb"\[(?P<label>(?:[^\]\\]|\\.)*)\]"
    rb"|(?:(?<![\s\S])|(?<=[\s<>()\[\];\"'`*_#~^|]))(?P<url>(?:(?:https?|ftp|irc)://|\{[\w][\w-]*\})[^\s\[\]<>]*)"
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


@dataclass(slots=True)
class _Document:
    data: bytes
    found: list[Found] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)


def read_asciidoc(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text, and its comments."""
    document = _Document(data)
    fence, fence_start = b"", 0
    paragraph: list[tuple[int, int]] = []
    verbatim = False  # this paragraph shows itself as it is
    at = 0
    for line in [*data.splitlines(keepends=True), b""]:
        text, start, at = line.rstrip(), at, at + len(line)
        if fence:
            if text == fence:
                _close_fence(document, fence, fence_start, start)
                fence = b""
            continue
        opens_fence = _FENCES.match(text) is not None
        if not text or opens_fence:
            _paragraph(document, paragraph, verbatim=verbatim)
            paragraph, verbatim = [], verbatim and opens_fence
        if opens_fence:
            fence, fence_start = (b"```" if text.startswith(b"```") else text), at
        elif text.startswith(b"//") and not text.startswith(b"///"):
            document.comments.append(Comment(decode(text[2:]), start, start + len(text)))
        elif (entry := _ENTRY.match(text)) and not verbatim:
            _attribute(document, entry)
        elif _STYLE.match(text):
            verbatim = True
        elif text:
            verbatim = verbatim or (not paragraph and text[:1] in b" \t" and not _LIST.match(text))
            paragraph.append((start, start + len(text)))
    return sorted(document.found, key=lambda find: find.start), document.comments


_LIST = re.compile(rb"\s*(?:[*\-.]{1,6}|[0-9]+\.|\S.*::)\s")


def _close_fence(document: _Document, fence: bytes, start: int, end: int) -> None:
    if fence.startswith(b"++++"):
        for find in read_html(document.data[start:end])[0]:
            placed = find._replace(start=find.start + start, end=find.end + start, kind=LinkKind.HTML)
            document.found.append(placed)
    elif fence.startswith(b"////"):
        document.comments.append(Comment(decode(document.data[start:end]), start, end))


def _attribute(document: _Document, entry: re.Match[bytes]) -> None:
    value = decode(entry[2] or b"")
    document.attributes[decode(entry[1]).lower()] = _substituted(value, document.attributes)


def _paragraph(document: _Document, lines: list[tuple[int, int]], *, verbatim: bool) -> None:
    if not lines or verbatim:
        return
    start, end = lines[0][0], lines[-1][1]
    text = document.data[start:end]
    for line_start, line_end in zip([end for _, end in lines[:-1]], [s for s, _ in lines[1:]], strict=True):
        if line_end > line_start:  # comment lines inside a paragraph are not its text
            gap = slice(line_start - start, line_end - start)
            text = text[: gap.start] + re.sub(rb"[^\r\n]", b" ", text[gap]) + text[gap.stop :]
    text = _HIDDEN.sub(lambda match: b"\x00" * len(match[0]), text)
    for match in _LINK.finditer(text):
        if match["escaped"]:
            continue
        found = _macro(match) if match["macro"] else _bare(match, text)
        if found is None:
            continue
        url = _substituted(found.url, document.attributes)
        document.found.append(found._replace(url=url, start=found.start + start, end=found.end + start))


def _macro(match: re.Match[bytes]) -> Found:
    start, end = match.span("target")
    label = " ".join(decode(match["label"]).partition(",")[0].split()).rstrip("^")
    return Found(decode(match["target"]), label, _KINDS[match["macro"]], start, end)


def _bare(match: re.Match[bytes], text: bytes) -> Found | None:
    start, end = match.span("url")
    if match["text"] is not None:
        label = " ".join(decode(match["text"]).partition(",")[0].split()).rstrip("^")
        return Found(decode(text[start:end]), label, LinkKind.ANCHOR, start, end)
    pointed = text[start - 1 : start] == b"<" and text[end : end + 1] == b">"
    if not pointed:
        end = start + len(text[start:end].rstrip(b".,?!);:\"'`*_|"))
    url = decode(text[start:end])
    if url.endswith("://") or (url.startswith("{") and "}" not in url):
        return None
    return Found(url, "", LinkKind.AUTOLINK if pointed else LinkKind.BARE, start, end)


def _substituted(text: str, attributes: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: attributes.get(match[1].lower(), match[0]), text)
