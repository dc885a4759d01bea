"""Places inside a document, as links name them.

1. An explicit id counts as it is written. Of a heading all ids count that a common renderer makes: GitHub,
   GitLab, Docusaurus, mdBook, Hugo, MkDocs, VitePress, Jupyter, docutils, asciidoctor; Markdig and
   Pandoc call one without a letter `section`. A second heading of one text gets a number, and one may have
   the id of the heading above before its own. Case is not told apart: some renderers keep it, and forges
   find both. In HTML, that no renderer touches, it is.
2. Of an open document nobody can say that it has no such place; nor of a piece of others what the page has
   that it becomes part of.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from holdfast.core.base.errors import nearest
from holdfast.core.base.values import dataclass
from holdfast.core.page.fragment import ElementTarget, read_fragment

_NOT_WORD = re.compile(r"[^\w\- ]")
_NOT_WORD_OR_SPACE = re.compile(r"[^\w\s-]")
_DASHES = re.compile(r"[-\s]+")
_HYPHENS = re.compile(r"-{2,}")
_VITE = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
_ASCIIDOC = re.compile(r"[^\w\s.\-]")
_NOT_ASCII_WORD = re.compile(r"[^a-z0-9]+")
_NOT_PLAIN = re.compile(r"[^a-z0-9 ]")
_SPACES = re.compile(r"\s")
_LETTER = re.compile(r"[a-z]")
_FOOTNOTE = re.compile(r"\[\^(.+)\]")


@dataclass(frozen=True, slots=True)
class DocumentAnchors:
    """The ids of a document: as written, and generated ones without regard to case. In an exact document, one
    that browsers read as it is, the case of written ids counts. A piece has no heading of its own. A filled
    document may get ids in the build that its text does not show.
    """

    explicit: frozenset[str] = frozenset()
    generated: frozenset[str] = frozenset()
    is_open: bool = False
    is_exact: bool = False
    is_piece: bool = False
    is_filled: bool = False

    def lacks(self, fragment: str) -> bool:
        """Whether a document certainly has no such place."""
        wanted = read_fragment(fragment)
        if self.is_open or not isinstance(wanted, ElementTarget):
            return False
        if self.is_exact:
            return self.explicit.isdisjoint(wanted.names)
        folded = {name.casefold() for name in wanted.names}
        explicit = {name.casefold() for name in self.explicit}
        return folded.isdisjoint(explicit) and not any(map(self._is_generated, folded))

    def _is_generated(self, name: str) -> bool:
        if name in self.generated:
            return True
        parts = name.split("-")
        halves = (("-".join(parts[:at]), "-".join(parts[at:])) for at in range(1, len(parts)))
        return any(above in self.generated and own in self.generated for above, own in halves)

    def near(self, fragment: str) -> str | None:
        """The id that a fragment was most likely meant to name."""
        return nearest(unquote(fragment), [*self.explicit, *self.generated], cutoff=0.75)


def heading_ids(headings: Iterable[str]) -> frozenset[str]:
    """Every id that a renderer could make of headings, in lower case."""
    counts: dict[str, int] = {}
    made: set[str] = set()
    for text in headings:
        for slug in _slugs(text):
            number = counts.get(slug, 0)
            counts[slug] = number + 1
            made.add(slug)
            if number:
                made |= {
                    f"{slug}-{number}",
                    f"{slug}_{number}",
                    f"{slug}-{number + 1}",
                    f"{slug}_{number + 1}",
                }
    return frozenset(made)


def heading_id(text: str) -> str:
    """The id that forges make of a heading; the marks of a script (vowels, accents) are letters to them."""
    plain = text.strip().casefold()
    if plain.isascii():
        return _NOT_WORD.sub("", plain).replace(" ", "-")
    return "".join(char for char in plain if char in "_- " or _is_letter(char)).replace(" ", "-")


def _is_letter(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def _slugs(text: str) -> set[str]:
    if note := _FOOTNOTE.fullmatch(text):
        name = note[1].casefold()
        return {
            f"{mark}{name}"
            for mark in ("fn:", "fn-", "user-content-fn-", "fnref:", "user-content-fnref-", "fn")
        }
    plain = text.strip().casefold()
    ascii_text = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    bare = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    github = heading_id(text)
    asciidoc = _ASCIIDOC.sub("", plain)
    slugs = {
        github,
        _NOT_WORD.sub("", plain).replace(" ", "-"),
        _HYPHENS.sub("-", github),
        _HYPHENS.sub("-", github).strip("-"),
        _NOT_WORD.sub("", _SPACES.sub("-", plain)),
        _DASHES.sub("-", _NOT_WORD_OR_SPACE.sub("", plain)).strip("-"),
        _DASHES.sub("-", _NOT_WORD_OR_SPACE.sub("", ascii_text).strip()),
        _VITE.sub("-", bare).strip("-"),
        "_" + _VITE.sub("-", bare).strip("-"),
        _NOT_ASCII_WORD.sub("-", ascii_text).strip("-").lstrip("0123456789-"),
        _NOT_ASCII_WORD.sub("-", ascii_text).strip("-"),
        _SPACES.sub("-", plain),
        _NOT_PLAIN.sub("", plain).strip().replace(" ", "-"),
        *(mark + re.sub(r"[\s.\-_]+", sep, asciidoc).strip(sep) for mark in ("_", "") for sep in ("_", "-")),
    }
    return {slug for slug in slugs if slug} | ({"section"} if not _LETTER.search(ascii_text) else set())
