"""Which attributes of HTML hold URLs, and how.

1. The table has the attributes of the living standard and, since documents live long, those of HTML 4.
2. An element with a hyphen in its name is somebody's own: `href`, `src`, `srcset`, `poster`, `cite` count. In
   MDX every element may be a component, and `to` counts too.
3. `srcset` holds URLs between commas, `ping` and an object's `archive` between spaces, an applet's between
   commas. `<meta http-equiv=refresh>` holds one after its seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from holdfast.core.page import LinkKind

__all__ = ["kind_of", "urls_in"]

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
