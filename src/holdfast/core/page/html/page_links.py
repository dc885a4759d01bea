"""Where a page points to: every link resolved once, whoever asks (ID-1, TXT-1).

1. The base is the first `<base href>`, resolved against the URL that answered; else that URL.
2. A reference of plain ASCII path and fragment, on the page's own site, is resolved by cutting and joining;
   everything else by the URL parser. Both give the same (a property test holds them together); the first is
   ten times as fast.
3. `mailto:`, `tel:` and their kin stay as they are; `javascript:` and `data:` are not links at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from holdfast.core.page.html.tokens import Tag
from holdfast.core.page.html.tree import ParsedPage
from holdfast.core.page.page import Link, LinkKind
from holdfast.core.url.url import Refused, Url, parse_url

_SEGMENT: Final = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*"
_PLAIN = re.compile(
    rf"(/|(?:\.\./)*)((?:{_SEGMENT}/)*(?:{_SEGMENT})?)(?:#([A-Za-z0-9_.~:/?@!$&()*+,;=%-]*))?"
)
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-\t\r\n]*):")
_DEAD_SCHEMES: Final = frozenset(("javascript", "data", "vbscript", "blob", "about", "file", "filesystem"))
TABLES: Final = {"dead schemes": _DEAD_SCHEMES}
"""What the native reader is told of these tables."""
_UNSAFE = re.compile(r"[\x00-\x20<>\\\x7f]")

_SOURCES: Final = {
    "iframe": "frame",
    "frame": "frame",
    "video": "media",
    "audio": "media",
    "source": "media",
    "embed": "media",
}
_KINDS: Final = {str(kind): kind for kind in LinkKind}


class Resolver:
    """Resolves the references of one page, each distinct one once."""

    __slots__ = ("_absolute", "_folder", "_local", "_root", "_seen", "_written", "base")

    def __init__(self, base: Url, *, absolute: bool = True, local: Mapping[str, str] | None = None) -> None:
        self.base = base
        self._local = local
        self._absolute = absolute
        self._root = f"{base.origin}/"
        self._folder = base.path.rpartition("/")[0].split("/")
        self._seen: dict[str, Url | None] = {}
        self._written: dict[str, str] = {}

    def url(self, reference: str) -> Url | None:
        """The http(s) URL that a reference means; None where it means none."""
        if reference in self._seen:
            return self._seen[reference]
        url = self._seen[reference] = self._resolve(reference.strip("\t\n\f\r "))
        return url

    def destination(self, reference: str) -> str:
        """A reference as a Markdown link destination: absolute, closed; empty where it leads nowhere."""
        written = self._written.get(reference)
        if written is None:
            written = self._written[reference] = self._nearby(reference) or self._write(reference)
        return written

    def _nearby(self, reference: str) -> str | None:
        """The file that stands for a reference, where there is one."""
        if not self._local or (url := self.url(reference)) is None:
            return None
        path = self._local.get(url.href)
        return _closed(f"{path}#{url.fragment}") if path and url.fragment else path

    def _resolve(self, reference: str) -> Url | None:
        own = reference[len(self._root) - 1 :] if reference.startswith(self._root) else reference
        match = _PLAIN.fullmatch(own)
        if match is None:
            url = parse_url(reference, self.base)
            return None if isinstance(url, Refused) else url
        up, path, fragment = match.groups()
        base = self.base
        if not up and not path:
            query = base.query
            whole = base.path
        else:
            query = None
            steps = len(self._folder) if up == "/" else len(up) // 3
            kept = self._folder[: max(1, len(self._folder) - steps)]
            whole = "/".join((*kept, path))
        return Url(base.scheme, base.host, base.port, whole, query, fragment or "")

    def _write(self, reference: str) -> str:
        scheme = _SCHEME.match(reference)
        if self._absolute or scheme is not None:
            url = self.url(reference)
            if url is not None:
                return _closed(str(url))
            if scheme is None or scheme[1].lower() in _DEAD_SCHEMES:
                return ""
        return _closed(_UNSAFE.sub(lambda bad: f"%{ord(bad[0]):02X}", reference.strip("\t\n\f\r ")))


def _closed(text: str) -> str:
    """Parentheses that do not pair would end a destination early."""
    if "(" in text or ")" in text:
        depth = 0
        for character in text:
            depth += (character == "(") - (character == ")")
            if depth < 0 or depth > 30:
                break
        if depth:
            return text.replace("(", "%28").replace(")", "%29")
    return text


def image_source(attrs: dict[str, str]) -> str:
    """Where an image really is: lazy loaders and `srcset` hide it."""
    for name in ("src", "data-src", "data-original", "data-lazy-src"):
        source = attrs.get(name, "").strip()
        if source and not source.startswith("data:"):
            return source
    for name in ("srcset", "data-srcset"):
        for candidate in attrs.get(name, "").split(","):
            source = candidate.strip().partition(" ")[0]
            if source and not source.startswith("data:"):
                return source
    return ""


def page_links(document: ParsedPage, resolver: Resolver) -> tuple[Link, ...]:
    """Every link of the page, in document order; the same reference, text and kind once."""
    links: dict[tuple[str, str, str], Link] = {}
    for at in document.collected:
        tag = document.tags[at]
        reading = _reading(tag) if tag.name != "a" else _anchor(tag, document, at)
        kind, reference, text = reading
        if reference and reading not in links and (target := resolver.url(reference)) is not None:
            rel = tag.attrs.get("rel")
            nofollow = rel is not None and "nofollow" in rel.lower().split()
            links[reading] = Link(target, text, _KINDS[kind], nofollow)
    return tuple(links.values())


def _anchor(tag: Tag, document: ParsedPage, at: int) -> tuple[str, str, str]:
    reference = tag.attrs.get("href", "")
    if not reference:
        return "anchor", "", ""
    if document.names[at + 1] == "/a":  # plain text, as in most
        return "anchor", reference, " ".join(document.texts[at].split())
    return "anchor", reference, document.text_at(at)


def _reading(tag: Tag) -> tuple[str, str, str]:
    """Kind, reference and text. The kind by its name, which is quicker to hash than a member of an enum."""
    name, attrs = tag.name, tag.attrs
    if name == "img":
        return "image", image_source(attrs), attrs.get("alt", "")
    if name == "area":
        return "anchor", attrs.get("href", ""), attrs.get("alt", "")
    if name in _SOURCES:
        return _SOURCES[name], attrs.get("src", ""), attrs.get("title", "")
    return "", "", ""
