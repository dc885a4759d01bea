"""URLs in HTML and CSS, byte by byte.

Parsers give a tree and no places, so this reads tags, with the bytes of each attribute's value:

1. The tokens are those of the WHATWG tokenizer: tags with quoted, single-quoted and bare attributes,
   comments (also `<!-->` and `--!>`), bogus comments. Of two attributes with one name the first counts.
2. What is not markup is not read: `script`, `style`, `textarea`, `title`, `xmp`, `iframe`, `noembed`,
   `noframes`, and all after `plaintext`. Text is not a link, even if it looks like a URL.
3. `kind_of` says which attributes hold URLs. A `link` that only warms up a connection (`preconnect`,
   `dns-prefetch`) cites nothing. `style` elements and attributes hold CSS.
4. The first `base` resolves relative URLs that follow from it.
5. Places are bytes: the file is read as Latin-1, one character a byte, and values are decoded afterwards.

Which attributes hold URLs, and how:

6. The table has the attributes of the living standard and, since documents live long, those of HTML 4.
7. An element with a hyphen in its name is somebody's own: `href`, `src`, `srcset`, `poster`, `cite` count.
   In MDX every element may be a component, and `to` counts too.
8. `srcset` holds URLs between commas, `ping` and an object's `archive` between spaces, an applet's between
   commas. `<meta http-equiv=refresh>` holds one after its seconds.
9. Character references in attributes are those of the WHATWG rules: as in text, but an old name without
   semicolon stays as it is when `=` or a letter or a digit follows, so that `?a=1&copy=2` is a query.
10. In CSS, in a file, a `style` element or attribute, URLs are `url(…)` and `@import "…"`. What stands in
    comments is not read, but for ignores.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from html.entities import html5
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.documents.found import Comment, Found, decode
from holdfast.core.page.page import LinkKind
from holdfast.core.url.url import Url, parse_url

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


_A, _I, _M, _F = LinkKind.ANCHOR, LinkKind.IMAGE, LinkKind.MEDIA, LinkKind.FRAME
_CITING: Final = {
    "a": {"href": _A, "ping": _A, "xlink:href": _A},
    "applet": {"archive": _M, "code": _M, "codebase": _A, "object": _M, "src": _M},
    "area": {"href": _A, "ping": _A},
    "audio": {"src": _M},
    "blockquote": {"cite": _A},
    "body": {"background": _I},
    "button": {"formaction": _A},
    "del": {"cite": _A},
    "embed": {"src": _M},
    "form": {"action": _A},
    "frame": {"longdesc": _A, "src": _F},
    "head": {"profile": _A},
    "html": {"manifest": _M},
    "iframe": {"longdesc": _A, "src": _F},
    "image": {"href": _I, "xlink:href": _I},
    "img": {"longdesc": _A, "src": _I, "srcset": _I},
    "input": {"formaction": _A, "src": _I},
    "ins": {"cite": _A},
    "link": {"href": _A, "imagesrcset": _I},
    "menuitem": {"icon": _I},
    "meta": {"content": _A},
    "object": {"archive": _M, "codebase": _A, "data": _M},
    "q": {"cite": _A},
    "script": {"src": _M},
    "source": {"src": _M, "srcset": _I},
    "table": {"background": _I},
    "tbody": {"background": _I},
    "td": {"background": _I},
    "tfoot": {"background": _I},
    "th": {"background": _I},
    "thead": {"background": _I},
    "tr": {"background": _I},
    "track": {"src": _M},
    "use": {"href": _M, "xlink:href": _M},
    "video": {"poster": _I, "src": _M},
}
_OWN: Final = {"href": _A, "src": _M, "srcset": _I, "poster": _I, "cite": _A}
_COMPONENT: Final = {**_OWN, "to": _A}
_SRCSET = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]*[^\t\n\f\r ,])[^,]*+")
_WORD = re.compile(r"[^\t\n\f\r ]++")
_PART = re.compile(r"[^,]++")
_REFRESH = re.compile(r"\s*+[0-9.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?", re.IGNORECASE)
_LISTS: Final = {
    "srcset": _SRCSET,
    "imagesrcset": _SRCSET,
    "ping": _WORD,
    "object archive": _WORD,
    "applet archive": _PART,
}


def kind_of(element: str, attribute: str, values: Mapping[str, str], *, components: bool) -> LinkKind | None:
    """How an attribute of an element points to a URL, if it does. `values` are all its attributes."""
    if element == "meta":
        is_refresh = values.get("http-equiv", "").strip().lower() == "refresh"
        return LinkKind.ANCHOR if attribute == "content" and is_refresh else None
    known = _CITING.get(element, {})
    if components:
        return known.get(attribute) or _COMPONENT.get(attribute)
    return known.get(attribute) or (_OWN.get(attribute) if "-" in element else None)


def urls_in(element: str, attribute: str, value: str) -> Iterator[tuple[str, int]]:
    """Each URL of an attribute's value, and where it stands there."""
    if element == "meta":
        if head := _REFRESH.match(value):
            url, start = value[head.end() :], head.end()
            if url[:1] in ("'", '"'):
                url, start = url[1:].partition(url[0])[0], start + 1
            yield url, start
        return
    pattern = _LISTS.get(attribute) or _LISTS.get(f"{element} {attribute}")
    if pattern is None:
        yield value, 0
        return
    group = pattern.groups
    for match in pattern.finditer(value):
        yield match[group], match.start(group)


_LONGEST_NUMBER = 64  # digits of a number that no character has; Python converts no endless ones
_LONGEST_NAME = max(map(len, html5))
_IN_ATTRIBUTE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")


def unescape_attribute(text: str) -> str:
    """Character references of an attribute's value, resolved as browsers do."""
    return _IN_ATTRIBUTE.sub(lambda match: _attribute_char(match, text), text) if "&" in text else text


def _attribute_char(match: re.Match[str], text: str) -> str:
    reference = match[1]
    if reference[0] == "#":
        return html.unescape(match[0]) if len(reference) < _LONGEST_NUMBER else "\ufffd"
    if reference[-1] == ";" and reference in html5:
        return html5[reference]
    longest = min(len(reference), _LONGEST_NAME)
    known = next((reference[:n] for n in range(longest, 1, -1) if reference[:n] in html5), None)
    if known is None:
        return match[0]
    at = match.start(1) + len(known)
    follows = text[at : at + 1]
    if follows == "=" or (follows.isascii() and follows.isalnum()):
        return match[0]
    return html5[known] + reference[len(known) :]


_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|(?:\burl\(\s*+|@import\s++(?!url))(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([^\s\"'();]++))",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


def css_urls(text: str) -> Iterator[tuple[str, int]]:
    """Each URL as written, and where it stands."""
    for match in _TOKEN.finditer(text):
        for group in (1, 2, 3):
            if match[group]:
                yield match[group], match.start(group)


def read_css(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a style sheet, and its comments."""
    text = data.decode("latin-1")  # one character a byte
    found = [
        Found(decode(url.encode("latin-1")), "", LinkKind.MEDIA, at, at + len(url))
        for url, at in css_urls(text)
    ]
    comments = [Comment(decode(m[0][2:-2].encode("latin-1")), *m.span()) for m in _COMMENT.finditer(text)]
    return found, comments
