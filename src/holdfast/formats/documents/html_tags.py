"""URLs in HTML, with the bytes of each attribute's value. Parsers give a tree and no places, so this reads
tags.

1. The tokens are those of the WHATWG tokenizer: tags with quoted, single-quoted and bare attributes, comments
   (also `<!-->` and `--!>`), bogus comments. Of two attributes with one name the first counts.
2. What is not markup is not read: `script`, `style`, `textarea`, `title`, `xmp`, `iframe`, `noembed`,
   `noframes`, and all after `plaintext`. Text is not a link, even if it looks like a URL.
3. `html_attributes` says which attributes hold URLs. A `link` that only warms up a connection
   (`preconnect`, `dns-prefetch`) cites nothing. `style` elements and attributes hold CSS.
4. The first `base` resolves relative URLs that follow from it.
5. Places are bytes: the file is read as Latin-1, one character a byte, and values are decoded afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from holdfast.core.page import LinkKind
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass
from holdfast.formats.documents.css import css_urls
from holdfast.formats.documents.entities import unescape_attribute
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.html_attributes import kind_of, urls_in
from holdfast.formats.documents.source import decode

__all__ = ["EndTag", "StartTag", "read_html", "tags"]

_RAW: Final = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
_WARM_UP: Final = frozenset(("preconnect", "dns-prefetch"))
_SPACE: Final = " \t\n\f\r"
_NEXT = re.compile(r"<(?=[a-zA-Z!?/])")
_NAME = re.compile(r"[^\t\n\f\r />]*")
_COMMENT_END = re.compile(r"--!?>")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*(?:(=?[^\t\n\f\r />=]*)"
    r"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)(?:\"|\Z)|'([^']*)(?:'|\Z)|([^\t\n\f\r >]*)))?)"
)


@dataclass(slots=True)
class StartTag:
    """A start tag: its attributes by name, each with the place of its value."""

    name: str
    start: int
    end: int
    attributes: dict[str, tuple[str, int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndTag:
    """An end tag."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CommentTag:
    """A comment, bogus ones included."""

    text: str
    start: int
    end: int


Token = StartTag | EndTag | CommentTag


def read_html(data: bytes, *, components: bool = False) -> tuple[list[Found], list[Comment]]:
    """Every URL of a document or a fragment, and its comments; `components` reads any element as one."""
    found: list[Found] = []
    comments: list[Comment] = []
    base: Url | None = None
    open_anchor: tuple[int, int] | None = None  # index of its first find, end of its start tag
    style_from = -1
    text = data.decode("latin-1")
    for token in tags(text):
        if style_from >= 0:
            found += _found_in(css_urls(text[style_from : token.start]), style_from, base)
        style_from = token.end if isinstance(token, StartTag) and token.name == "style" else -1
        match token:
            case CommentTag(inside, start, end):
                comments.append(Comment(decode(inside.encode("latin-1")), start, end))
            case StartTag("base"):
                base = base or _base_of(token)
            case StartTag():
                at = len(found)
                found.extend(_citations(token, base, components=components))
                if token.name == "a" and len(found) > at:
                    open_anchor = at, token.end
            case EndTag("a") if open_anchor:
                index, text_start = open_anchor
                found[index] = found[index]._replace(text=_plain(data[text_start : token.start]))
                open_anchor = None
    return found, comments


def tags(text: str) -> list[Token]:
    """The markup of a text, in order."""
    tokens: list[Token] = []
    at = 0
    while (match := _NEXT.search(text, at)) is not None:
        token = _token(text, match.start())
        if token is None:
            break
        tokens.append(token)
        at = token.end
        if isinstance(token, StartTag):
            if token.name == "plaintext":
                break
            if token.name in _RAW:
                close = re.compile(rf"</{token.name}(?=[\t\n\f\r />])", re.IGNORECASE).search(text, at)
                at = close.start() if close else len(text)
    return tokens


def _token(text: str, at: int) -> Token | None:
    after = text[at + 1]
    if after in "!?" or (after == "/" and not text[at + 2 : at + 3].isalpha()):
        return _comment(text, at)
    closing = after == "/"
    name_match = _NAME.match(text, at + 2 if closing else at + 1)
    if name_match is None:
        return None
    tag = StartTag(name_match[0].lower(), at, len(text))
    place = name_match.end()
    while place < len(text) and text[place] != ">":
        place = _attribute(text, place, tag)
    if place >= len(text):
        return None  # the file ends inside the tag: no tag was made
    tag.end = place + 1
    return EndTag(tag.name, at, tag.end) if closing else tag


def _attribute(text: str, at: int, tag: StartTag) -> int:
    match = _ATTRIBUTE.match(text, at)
    if match is None or match.end() == at:
        return at + 1
    name = match[1].lower()
    if name and name not in tag.attributes:
        group = next((g for g in (2, 3, 4) if match[g] is not None), None)
        value = (match[group], match.start(group), match.end(group)) if group else ("", at, at)
        tag.attributes[name] = value
    return match.end()


def _comment(text: str, at: int) -> CommentTag:
    if not text.startswith("<!--", at):
        end = text.find(">", at)
        end = len(text) if end < 0 else end + 1
        return CommentTag(text[at + 2 : end - 1], at, end)
    for empty in ("<!-->", "<!--->"):
        if text.startswith(empty, at):
            return CommentTag("", at, at + len(empty))
    close = _COMMENT_END.search(text, at + 4)
    start, end = (close.start(), close.end()) if close else (len(text), len(text))
    return CommentTag(text[at + 4 : start], at, end)


def _citations(tag: StartTag, base: Url | None, *, components: bool) -> list[Found]:
    if tag.name == "link" and _warms_up(tag):
        return []
    values = {name: value for name, (value, _, _) in tag.attributes.items()}
    found = []
    for name, (value, start, _) in tag.attributes.items():
        if name == "style":
            found += _found_in(css_urls(value), start, base)
        elif (kind := kind_of(tag.name, name, values, components=components)) is not None:
            for written, place in urls_in(tag.name, name, value):
                stripped = written.strip(_SPACE)
                first = start + place + len(written) - len(written.lstrip(_SPACE))
                if stripped:
                    url = _resolved(_unescaped(stripped), base)
                    found.append(Found(url, _name_of(tag), kind, first, first + len(stripped)))
    return found


def _found_in(urls: Iterator[tuple[str, int]], start: int, base: Url | None) -> list[Found]:
    """What a style sheet that starts at a place cites."""
    return [
        Found(_resolved(_unescaped(url), base), "", LinkKind.MEDIA, start + at, start + at + len(url))
        for url, at in urls
    ]


def _unescaped(value: str) -> str:
    return unescape_attribute(decode(value.encode("latin-1")))


def _resolved(url: str, base: Url | None) -> str:
    if base is None or not isinstance(resolved := parse_url(url, base), Url):
        return url
    return url if "://" in url else str(resolved)


def _base_of(tag: StartTag) -> Url | None:
    value = tag.attributes.get("href", ("", 0, 0))[0]
    parsed = parse_url(unescape_attribute(decode(value.encode("latin-1"))))
    return parsed if isinstance(parsed, Url) else None


def _warms_up(tag: StartTag) -> bool:
    return bool(_WARM_UP & set(tag.attributes.get("rel", ("", 0, 0))[0].lower().split()))


def _name_of(tag: StartTag) -> str:
    for name in ("alt", "title"):
        if name in tag.attributes:
            return unescape_attribute(decode(tag.attributes[name][0].encode("latin-1")))
    return ""


def _plain(data: bytes) -> str:
    """The text between a link's tags, without the markup in it."""
    text = data.decode("latin-1")
    pieces, at = [], 0
    for token in tags(text):
        pieces.append(text[at : token.start])
        at = token.end
        if isinstance(token, StartTag) and token.name == "img":
            pieces.append(token.attributes.get("alt", ("", 0, 0))[0])
    pieces.append(text[at:])
    return " ".join(unescape_attribute(decode("".join(pieces).encode("latin-1"))).split())
