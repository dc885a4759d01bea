"""A question in the words of the full-text table, and whether a text says it.

1. The table is asked once for the sections that have all words, the best first. What must stand in a row
   (`"a phrase"`, `asyncio.run`, the question as a whole) is looked for in their texts: asking the table for
   rows of words walks the places of every common word.
2. Words are those of the table's own tokenizer: lower case, without diacritics; for rows of words as they
   are, not their stems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from holdfast.core.search import SearchQuery

__all__ = ["MatchWords", "Tokenize", "match_words"]

Tokenize = Callable[[str], list[str]]


class _Run(NamedTuple):
    """Words that stand in a row; of a beginning the last one goes on."""

    words: tuple[str, ...]
    is_prefix: bool = False

    def is_in(self, said: Sequence[str]) -> bool:
        """Whether words hold these, one after the other."""
        *whole, last = self.words
        size = len(whole)
        for first in range(len(said) - size):
            end = said[first + size]
            if (end.startswith(last) if self.is_prefix else end == last) and (
                not whole or list(said[first : first + size]) == whole
            ):
                return True
        return False


class MatchWords(NamedTuple):
    """`titled`: all words in names and titles; `every`: anywhere; `some`: any of them. `rows` are the terms
    of several words; `phrase` is the whole question, where it is plain words and more than one.
    """

    titled: str
    every: str
    some: str
    rows: tuple[_Run, ...]
    phrase: _Run | None

    def are_in(self, parts: Iterable[Sequence[str]]) -> bool:
        """Whether each term of several words stands in one of the parts of a section."""
        said = list(parts)
        return all(any(run.is_in(part) for part in said) for run in self.rows)


def match_words(query: SearchQuery, tokenize: Tokenize) -> MatchWords:
    """What to look for."""
    runs = [_Run(tuple(tokenize(term.text)), term.is_prefix) for term in query.terms]
    runs = [run for run in runs if run.words]
    asked = list(dict.fromkeys(word for run in runs for word in _quoted(run)))
    every = " AND ".join(asked)
    whole = tuple(tokenize(query.text))
    return MatchWords(
        titled=f"{{name title}} : ({every})" if asked else "",
        every=every,
        some=" OR ".join(asked) if len(asked) > 1 else "",
        rows=tuple(run for run in runs if len(run.words) > 1),
        phrase=_Run(whole) if query.is_plain and len(whole) > 1 else None,
    )


def _quoted(run: _Run) -> list[str]:
    words = ['"' + word.replace('"', '""') + '"' for word in run.words]
    return [*words[:-1], f"{words[-1]} *"] if run.is_prefix else words
