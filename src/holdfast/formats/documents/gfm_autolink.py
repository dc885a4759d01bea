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
6. The domain is judged before anything after it is read, and a domain in which several URLs could start is
   measured once: a text costs as much as it is long, whatever is in it.
"""

from __future__ import annotations

import re
import unicodedata
from string import punctuation
from typing import Final

from holdfast.formats.documents.source import decode

__all__ = ["BareUrls", "start_of_bare"]

_RUN = re.compile(rb"[^ \t\n\v\f\r<]*+")
_SCHEME = re.compile(rb"(?:\A|[^A-Za-z])(https?|ftp):\Z", re.IGNORECASE)
_DOMAIN = re.compile(rb"[A-Za-z0-9._-]*+(?:\\[A-Za-z0-9._-][A-Za-z0-9._-]*+)*+")
_ENDS_RUN: Final = frozenset(b" \t\n\v\f\r<")
_TRIMMED: Final = frozenset("?!.,:*_~'\"")
_ASCII_PUNCTUATION: Final = frozenset(punctuation)
_LONGEST_CHAR: Final = 4
_MANY_DOTS: Final = 11


def start_of_bare(data: bytes, mark: int) -> int:
    """Where the bare URL starts whose `//` or `www.` stands at a place; -1 where none does."""
    if data[mark] != 0x2F:
        return mark
    scheme = _SCHEME.search(data, max(mark - 7, 0), mark)
    return scheme.start(1) if scheme else -1


class BareUrls:
    """The bare URLs of one text; places are asked in order."""

    __slots__ = ("_content_end", "_data", "_domain", "_dots", "_stop")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._domain = (0, 0)  # the domain that was measured last
        self._dots: list[int] = []  # its last dots, the last one first
        self._stop = self._content_end = -1

    def url_at(self, at: int, stop: int, tail: bytes) -> str | None:
        """The URL that starts at a place, as written; None where there is none.

        The block's text ends at `stop`; `tail` are the characters that may follow it. The rules leave the
        last character of a block out of the domain check.
        """
        data = self._data
        is_www = data.startswith(b"www", at)
        host = at if is_www else data.index(b"//", at) + 2
        if host >= stop or not (is_www or _is_host_char(decode(data[host : host + _LONGEST_CHAR])[:1])):
            return None
        if not self._is_domain(host, stop, tail, is_www=is_www):
            return None
        run = _RUN.match(data, at, stop)
        return _trimmed(decode(run[0])) if run else None

    def _is_domain(self, host: int, stop: int, tail: bytes, *, is_www: bool) -> bool:
        data, first = self._data, host + 1
        if data[host] > 0x7F:
            return not is_www  # the check ends at the first character that is not ASCII
        begun, end = self._domain
        if not begun <= host < end:
            end = self._measure(host, stop)
        if end >= stop or data[end] in _ENDS_RUN:
            end -= end >= self._end_of_content(host, stop, tail)
        dots = [dot for dot in self._dots if first <= dot < end]
        if len(dots) >= _MANY_DOTS:
            return True
        if is_www and not dots:
            return False
        last_two = max(dots[1] if len(dots) > 1 else first, first)
        return data.find(b"_", last_two, end) < 0

    def _measure(self, host: int, stop: int) -> int:
        domain = _DOMAIN.match(self._data, host + 1, stop)
        end = domain.end() if domain else host + 1
        self._domain, self._dots = (host, end), []
        at = end
        while len(self._dots) <= _MANY_DOTS and (at := self._data.rfind(b".", host, at)) >= 0:
            self._dots.append(at)
        return end

    def _end_of_content(self, at: int, stop: int, tail: bytes) -> int:
        if self._stop != stop:
            self._stop = stop
            self._content_end = at + len(self._data[at:stop].rstrip(tail))
        return self._content_end


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
            mark = end - 1
            while mark and url[mark - 1].isascii() and url[mark - 1].isalpha():
                mark -= 1
            is_entity = mark < end - 1 and url[mark - 1 : mark] == "&"
            end = mark - 1 if is_entity else end - 1
        else:
            break
    return url[:end]
