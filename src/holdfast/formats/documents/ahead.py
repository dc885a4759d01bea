"""Looking ahead without looking twice: what makes the readers linear (SEC-8).

A reader that meets an opening mark asks where its closing mark is. Asked anew for each of many openings, a
text without closings is searched to its end each time. Here the answer is kept: places are asked in order,
and as long as the closing that was found last lies ahead, it is the answer.
"""

from __future__ import annotations

import re

__all__ = ["Ahead", "Behind"]


class Ahead:
    """The next match of a pattern from a place on; no part of the text is searched twice.

    The pattern must find the same next match from every place that is asked before it.
    """

    __slots__ = ("_match", "_pattern", "_searched", "_text")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern = pattern
        self._text = text
        self._match: re.Match[bytes] | None = None
        self._searched = False

    def after(self, place: int) -> re.Match[bytes] | None:
        """The first match that starts at or after a place; places are asked in order."""
        if not self._searched or (self._match is not None and self._match.start() < place):
            self._match = self._pattern.search(self._text, place)
            self._searched = True
        return self._match


class Behind:
    """Where the last match of a pattern before a place starts; places are asked in order."""

    __slots__ = ("_ahead", "_last")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._ahead = Ahead(pattern, text)
        self._last = -1

    def before(self, place: int) -> int:
        """Where the last match that ends at or before a place starts; -1 where there is none."""
        found = self._ahead.after(self._last + 1)
        while found is not None and found.end() <= place:
            self._last = found.start()
            found = self._ahead.after(self._last + 1)
        return self._last
