"""Matching names and paths by wildcards, as git's `wildmatch` does.

    *  ?  [a-z]  [!a]  [[:alpha:]]  \\x      inside a name
    **                                       any number of names

A matcher that meets a star goes on without it, and comes back to the last star only: what an earlier star
could take more of, the last one can. So a match costs at most the pattern's length times the name's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters, digits, hexdigits, punctuation
from typing import Final

Atom = str | Callable[[str], bool] | None
"""A character as it is, a test of a character, or None for any number of characters."""
Segment = tuple[Atom, ...]

_CLASSES: Final[dict[str, frozenset[str]]] = {
    "alnum": frozenset(ascii_letters + digits),
    "alpha": frozenset(ascii_letters),
    "blank": frozenset(" \t"),
    "cntrl": frozenset(map(chr, (*range(32), 127))),
    "digit": frozenset(digits),
    "graph": frozenset(ascii_letters + digits + punctuation),
    "lower": frozenset(ascii_letters[:26]),
    "print": frozenset(ascii_letters + digits + punctuation + " "),
    "punct": frozenset(punctuation),
    "space": frozenset(" \t\n\v\f\r"),
    "upper": frozenset(ascii_letters[26:]),
    "xdigit": frozenset(hexdigits),
}


def read_segment(pattern: str) -> Segment | None:
    """The atoms of a pattern without slashes; None where it can match nothing (`[a`)."""
    atoms: list[Atom] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            if not (atoms and atoms[-1] is None):
                atoms.append(None)
        elif char == "?":
            atoms.append(_any)
        elif char == "[":
            bracket = _bracket(pattern, at)
            if bracket is None:
                return None
            test, at = bracket
            atoms.append(test)
        elif char == "\\":
            if at == len(pattern):
                return None
            atoms.append(pattern[at])
            at += 1
        else:
            atoms.append(char)
    return tuple(atoms)


def split_segments(pattern: str) -> list[str] | None:
    """A pattern cut at its slashes, but for those in brackets; None for one that matches nothing."""
    parts, begun, at = [], 0, 0
    while at < len(pattern):
        match pattern[at]:
            case "/":
                parts.append(pattern[begun:at])
                begun = at = at + 1
            case "[":
                bracket = _bracket(pattern, at + 1)
                if bracket is None:
                    return None
                at = bracket[1]
            case "\\" if pattern[at + 1 : at + 2] == "/":
                parts.append(pattern[begun:at])
                begun = at = at + 2
            case "\\":
                at += 2
            case _:
                at += 1
    return [*parts, pattern[begun:]]


def glob_matches(atoms: Segment, name: str) -> bool:
    """Whether a whole name matches."""
    return _matches(atoms, name, _atom_matches)


def segments_match(segments: Sequence[Segment | None], names: Sequence[str]) -> bool:
    """Whether a whole path matches; `**` at the end stands for at least one name."""
    if segments and segments[-1] is None:
        return len(names) > 0 and _matches((*segments[:-1], _whatever, None), names, _name_matches)
    return _matches(segments, names, _name_matches)


def _matches(pattern: Sequence[object], text: Sequence[str], fits: Callable[..., bool]) -> bool:
    """Whether a text matches a pattern in which None stands for any number of its parts."""
    if sum(part is not None for part in pattern) > len(text):
        return False
    at = here = 0
    star, resume = -1, 0
    while here < len(text):
        if at < len(pattern) and pattern[at] is None:
            star, resume = at, here
            at += 1
        elif at < len(pattern) and fits(pattern[at], text[here]):
            at += 1
            here += 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return all(part is None for part in pattern[at:])


def _atom_matches(atom: str | Callable[[str], bool], char: str) -> bool:
    return atom == char if isinstance(atom, str) else atom(char)


def _name_matches(segment: Segment | Callable[[str], bool], name: str) -> bool:
    return glob_matches(segment, name) if isinstance(segment, tuple) else segment(name)


def _any(_: str) -> bool:
    return True


_whatever = _any


def _bracket(pattern: str, at: int) -> tuple[Callable[[str], bool], int] | None:
    """The test that a bracket makes, and where it ends; None for one without an end."""
    negated = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
    at += negated
    chars: set[str] = set()
    ranges: list[tuple[str, str]] = []
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        if at >= len(pattern):
            return None
        char = pattern[at]
        if char == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1
            at += pattern[at] == "\\"
            if at >= len(pattern):
                return None
            ranges.append((previous, pattern[at]))
            previous = ""
        elif char == "[" and pattern[at + 1 : at + 2] == ":" and (end := pattern.find(":]", at + 2)) > 0:
            named = _CLASSES.get(pattern[at + 2 : end])
            if named is None:
                return None
            chars |= named
            previous, at = "", end + 1
        else:
            at += char == "\\"
            if at >= len(pattern):
                return None
            previous = pattern[at]
            chars.add(previous)
        at += 1

    def test(char: str) -> bool:
        inside = char in chars or any(low <= char <= high for low, high in ranges)
        return inside is not negated

    return test, at + 1
