"""`text_v1`: the text of a page that its content hash is made of (TXT-2). Frozen: a change is a new version.

docs/concepts/text-identity.md says the same in prose. On the tree that the WHATWG standard specifies:

1. Nothing of `script`, `style`, `template`, `noscript`, `iframe`, `noembed`, `noframes`, and no comment.
2. The landmark: the first `main` or `[role=main]` in document order; else the `article`, if there is
   exactly one; else the `body`, without any `nav`, `header`, `footer` and `aside` in it. A landmark that
   has no text is passed over.
3. Its text nodes in document order. A tag of an element that is not in `INLINE` puts a space between.
4. NFC of Unicode 14.0.
5. Runs of the characters in `WHITE_SPACE` are one space; none at the ends.

Nothing here knows a generator, a class name or Markdown.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.formats.html.tree import Document, Landmark, Token, unescape
from holdfast.formats.unicode14 import nfc

__all__ = ["AROUND", "INLINE", "WHITE_SPACE", "collapse", "page_text", "text_of_tokens"]

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

_SPACES = re.compile(" {2,}")
_SILENT: Final = frozenset(("script-tex",))
AROUND: Final = frozenset(("nav", "header", "footer", "aside"))
"""What stands around the content of a body."""
_PARTING: Final = dict.fromkeys((*INLINE, *(f"/{name}" for name in INLINE), ""), "")


def page_text(document: Document) -> str:
    """The normalized text of a page."""
    for landmark in _candidates(document.landmarks):
        skipped = AROUND if landmark.element.tag == "body" else frozenset[str]()
        text = text_of_tokens(document.tokens[landmark.start : landmark.end], skipped)
        if text:
            return text
    return ""


def text_of_tokens(tokens: list[Token], skipped: frozenset[str]) -> str:
    """The normalized text of a part of a page, without the elements that are skipped."""
    return collapse(nfc(_text_of(tokens, skipped | _SILENT)))


def collapse(text: str) -> str:
    """White space collapsed to single spaces, none at the ends."""
    for character in WHITE_SPACE:
        text = text.replace(character, " ")
    return _SPACES.sub(" ", text).strip(" ")


def _candidates(landmarks: list[Landmark]) -> list[Landmark]:
    mains = [mark for mark in landmarks if mark.element.tag not in ("article", "body")]
    articles = [mark for mark in landmarks if mark.element.tag == "article"]
    bodies = [mark for mark in landmarks if mark.element.tag == "body"]
    return mains[:1] + (articles if len(articles) == 1 else []) + bodies[:1]


def _text_of(tokens: list[Token], skipped: frozenset[str]) -> str:
    parts: list[str] = []
    parting = _PARTING.get
    depth_of: list[str] = []
    for tag, _, text in tokens:
        if tag in skipped:
            depth_of.append(tag)
        if depth_of:
            if tag[1:] == depth_of[-1] and tag[:1] == "/":
                depth_of.pop()
            if depth_of:
                continue
        parts.append(parting(tag, " "))
        parts.append(text)
    return unescape("".join(parts))
