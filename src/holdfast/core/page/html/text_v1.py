"""`text_v1`: the text of a page that its content hash is made of (TXT-2). Frozen: a change is a new version.

docs/reference/identity/text.md says the same in prose. On the tree that the WHATWG standard specifies:

1. Nothing of `script`, `style`, `template`, `noscript`, `iframe`, `noembed`, `noframes`, and no comment.
2. The landmark: the first `main` or `[role=main]` in document order, whatever element has the role; else
   the `article`, if there is exactly one; else the `body`. A landmark that has no text is passed over.
   `nav` and `[role=navigation]` inside it are left out; inside a `body` that is the landmark for want of
   another also `header`, `footer`, `aside` and their roles.
3. Its text nodes in document order. A tag of an element that is not in `INLINE` puts a space between.
4. NFC of Unicode 14.0.
5. Runs of the characters in `WHITE_SPACE` are one space; none at the ends.

Nothing here knows a generator, a class name or Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.base.unicode14 import nfc
from holdfast.core.page.html.tokens import TEX, VOID, end_of
from holdfast.core.page.html.tree import ElementSpan, ParsedPage, is_main, one_spaced

INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc "
    "ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
"""Elements that do not part words."""

WHITE_SPACE: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The code points of Unicode's White_Space property."""

_NOT_PARTING: Final = (*INLINE, TEX)
TABLES: Final = {"inline": _NOT_PARTING}
"""What the native reader is told of these tables."""
_PARTING: Final = dict.fromkeys((*_NOT_PARTING, *(f"/{name}" for name in _NOT_PARTING), ""), "")
_NAVIGATION: Final = frozenset(("nav",))
AROUND: Final = _NAVIGATION | {"header", "footer", "aside"}
_ROLES_OF_NAVIGATION: Final = frozenset(("navigation",))
_ROLES_AROUND: Final = frozenset(("navigation", "banner", "contentinfo", "complementary"))


def page_text(document: ParsedPage) -> str:
    """The normalized text of a page."""
    landmark = page_landmark(document)
    return landmark[2] if landmark is not None else ""


def page_landmark(document: ParsedPage) -> tuple[ElementSpan, bool, str] | None:
    """The landmark, whether it is read as a body, and its text; None where there is no text."""
    for landmark, body in _candidates(document.landmarks()):
        if text := text_between(document, landmark.start, landmark.end, body=body):
            return landmark, body, text
    return None


def text_between(document: ParsedPage, start: int, end: int, *, body: bool) -> str:
    """The normalized text from the tag at one token to another; of a body without what stands around."""
    return text_of(texts_between(document, start, end, body=body))


def text_of(parts: list[str]) -> str:
    """The normalized text of parts in order."""
    return collapse(nfc("".join(parts)))


def is_left_out(name: str, role: str, *, body: bool) -> bool:
    """Whether the text of such an element is left out."""
    left_out, roles = _left_out(body=body)
    return name in left_out or role in roles


def _left_out(*, body: bool) -> tuple[frozenset[str], frozenset[str]]:
    return (AROUND, _ROLES_AROUND) if body else (_NAVIGATION, _ROLES_OF_NAVIGATION)


def collapse(text: str) -> str:
    """White space collapsed to single spaces, none at the ends."""
    for character in WHITE_SPACE:
        text = text.replace(character, " ")
    return one_spaced(text)


def _candidates(landmarks: list[ElementSpan]) -> list[tuple[ElementSpan, bool]]:
    """What may be the landmark, in order, and whether it is read as a body."""
    mains = [mark for mark in landmarks if is_main(mark.element)]
    articles = [mark for mark in landmarks if mark.element.tag == "article"]
    bodies = [mark for mark in landmarks if mark.element.tag == "body"]
    marked = mains[:1] + (articles if len(articles) == 1 else [])
    return [(mark, False) for mark in marked] + [(body, True) for body in bodies[:1]]


def texts_between(document: ParsedPage, first: int, end: int, *, body: bool) -> list[str]:
    """The text from a tag on, two parts a token: the space that its tag is, or nothing, and the text after
    it. The first tag is not asked what it is.
    """
    left_out, left_out_roles = _left_out(body=body)
    start = first + 1
    names = document.names[start:end]
    parting = _PARTING.get
    parts = [""] * (2 * len(names))  # by columns: a space, or nothing, then the text, of each token
    parts[::2] = [parting(name, " ") for name in names]
    parts[1::2] = document.texts[start:end]
    if TEX in names:
        for at in [at for at, name in enumerate(names) if name == TEX]:
            parts[2 * at + 1] = ""
    for opens, closes in _spans_left_out(document, names, start, left_out, left_out_roles):
        parts[2 * opens : 2 * closes] = [""] * (2 * (closes - opens))
        if closes < len(names):  # the end tag itself parts, whatever it is
            parts[2 * closes] = " "
    return ["", document.texts[first], *parts]


def _spans_left_out(
    document: ParsedPage, names: list[str], start: int, left_out: frozenset[str], roles: frozenset[str]
) -> Iterator[tuple[int, int]]:
    """From the start tag of each outermost element that is left out to its end tag, in order."""
    suspects = (
        [at for at, name in enumerate(names) if name in left_out] if not left_out.isdisjoint(names) else []
    )
    suspects += [at - start for at, role in document.roles.items() if role in roles]
    done = 0
    for at in sorted(suspects):
        if done <= at < len(names) and names[at] not in VOID:
            end = end_of(names, at)
            yield at, end
            done = end + 1
