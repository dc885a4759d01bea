"""Bare URLs in Markdown, as GFM's autolink extension reads them.

1. A URL starts at `http://`, `https://` or `ftp://` (in any case, no letter before it), or at `www.` at the
   start of the text, after white space, or after one of `*`, `_`, `~`, `(`.
2. A domain follows: after `www.` with at least one dot; no underscore in its last two segments (unless there
   are more than ten dots), as far as it is ASCII. Its first character is neither space nor punctuation.
3. It goes on to the next ASCII white space or `<`.
4. From its end are cut, again and again: `?`, `!`, `.`, `,`, `:`, `*`, `_`, `~`, `'`, `"`; a `)` that has no
   partner inside; a `;`, together with the `&name` before it if it looks like an entity.
5. What is left is the URL, character for character: nothing in it is an escape, an entity or emphasis. After
   `www.` the scheme is `http`.
"""

from __future__ import annotations

import re
import unicodedata
from string import punctuation

__all__ = ["URL_RUN", "bare_url", "start_of_bare"]

URL_RUN = re.compile(rb"[^ \t\n\v\f\r<]*")
_SCHEME = re.compile(rb"(?:\A|[^A-Za-z])(https?|ftp):\Z", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z]+")
_TRIMMED = frozenset("?!.,:*_~'\"")
_ASCII_PUNCTUATION = frozenset(punctuation)


def start_of_bare(data: bytes, mark: int) -> int:
    """Where the bare URL starts whose `//` or `www.` stands at a place; -1 where none does."""
    if data[mark] != 0x2F:
        return mark
    scheme = _SCHEME.search(data, max(mark - 7, 0), mark)
    return scheme.start(1) if scheme else -1


def bare_url(run: str, *, at_end: bool) -> str | None:
    """The URL at the start of a run of characters without white space, as written; None where there is none.

    `at_end` says that nothing but white space follows the run: the rules then leave its last character
    out of the domain check.
    """
    if run.startswith("www."):
        domain, short = run, False
    else:
        domain, short = run.partition("://")[2], True
        if not domain or not _is_host_char(domain[0]):
            return None
    if not _is_domain(domain, short=short, at_end=at_end):
        return None
    return _trimmed(run) or None


def _is_domain(text: str, *, short: bool, at_end: bool) -> bool:
    dots = underscores = underscores_before = 0
    last = len(text) - 1 if at_end else len(text)
    at = 1 if text[0].isascii() else last  # the check ends at the first character that is not ASCII
    while at < last:
        char = text[at]
        if char == "\\" and at + 1 < last:
            at += 1
            char = text[at]
        if char == "_":
            underscores += 1
        elif char == ".":
            underscores_before, underscores = underscores, 0
            dots += 1
        elif char != "-" and not (char.isascii() and char.isalnum()):
            break
        at += 1
    if (underscores or underscores_before) and dots <= 10:
        return False
    return short or dots > 0


def _is_host_char(char: str) -> bool:
    return not (char.isspace() or char in _ASCII_PUNCTUATION or unicodedata.category(char)[0] == "P")


def _trimmed(url: str) -> str:
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
            end -= 1
        elif last in _TRIMMED:
            end -= 1
        elif last == ";":
            mark = url.rfind("&", 0, end)
            entity = mark >= 0 and _NAME.fullmatch(url, mark + 1, end - 1)
            end = mark if entity else end - 1
        else:
            break
    return url[:end]
