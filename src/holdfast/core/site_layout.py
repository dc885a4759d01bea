"""What the files of a project say about who makes pages of them: a forge, or a generator of sites (TRK-11).

1. A forge shows files of certain names by itself (`README`, `CONTRIBUTING`, …). A generator takes those that
   lie among its pages; the ones at the root are the forge's.
2. HTML in a folder of layouts or templates is filled in by a program.
3. Pieces are put into pages: those whose name begins with an underscore, but for an index, and those in a
   folder that is called so.
4. What leads out of a book of mdBook leads to another one.
5. Folders that are called by a language stand for each other, where the generator takes what one lacks from
   another.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from holdfast.core.file_tree import FileTree
from holdfast.core.site_generators import has_generator

__all__ = ["in_another_language", "is_for_forges", "is_layout", "is_piece", "leaves_its_book"]

_FORGE: Final = re.compile(
    r"(?:readme|contributing|changelog|security|support|governance|maintainers|code[-_]of[-_]conduct)"
    r"(?:[.-][\w-]+)?\.(?:md|markdown|rst|adoc|txt)",
    re.IGNORECASE,
)
_PIECES: Final = re.compile(r"(?:\A|/)_?(?:includes?|partials?|snippets?)/")
_LAYOUTS: Final = re.compile(
    r"(?:\A|/)_?(?:includes?|layouts?|partials?|templates?)/(?:[^/]+/)*[^/]+\.html?\Z"
)
_LANGUAGE: Final = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")


def is_for_forges(document: str, tree: FileTree) -> bool:
    """Whether a document is shown by a forge as it is."""
    folder, name = posixpath.split(document)
    return _FORGE.fullmatch(name) is not None and (folder in ("", ".github") or not has_generator(tree))


def is_piece(document: str) -> bool:
    """Whether a document is put into others, by its name."""
    name = posixpath.basename(document)
    return (name.startswith("_") and not name.startswith("_index.")) or _PIECES.search(document) is not None


def is_layout(document: str) -> bool:
    """Whether HTML is filled in by a program, by its folder."""
    return _LAYOUTS.search(document) is not None


def leaves_its_book(document: str, wanted: str, tree: FileTree) -> bool:
    """Whether a path leads out of the book that a document belongs to."""
    folder = posixpath.dirname(document)
    while folder:
        above, name = posixpath.split(folder)
        if name == "src" and posixpath.join(above, "book.toml") in tree.files:
            return not wanted.startswith(f"{folder}/")
        folder = above
    return False


def in_another_language(wanted: str, tree: FileTree) -> str | None:
    """The file that another language has in this one's place."""
    parts = wanted.split("/")
    for at, part in enumerate(parts[:-1]):
        if not _LANGUAGE.fullmatch(part):
            continue
        for found in tree.called(parts[-1]):
            there = found.split("/")
            is_same = there[:at] == parts[:at] and there[at + 1 :] == parts[at + 1 :]
            if is_same and _LANGUAGE.fullmatch(there[at]):
                return found
    return None
