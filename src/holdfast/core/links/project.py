"""What the files under a root say of who makes pages of them (TRK-11): a forge, or a generator of sites.

1. A forge shows files of certain names by itself (`README`, `CONTRIBUTING`, …). A generator takes those
   that lie among its pages; the ones at the root are the forge's.
2. HTML in a folder of layouts or templates is filled in by a program.
3. Pieces are put into pages: those whose name begins with an underscore, but for an index, and those in a
   folder that is called so.
4. What leads out of a book of mdBook leads to another one.
5. Folders that are called by a language stand for each other, where the generator takes what one lacks from
   another.

Sphinx resolves links to documents by name, to labels by the whole project:

6. A reader marks them by their role: `:doc:guide/install`, `:ref:a label`. No URL begins so.
7. `:doc:` names a document without its suffix, from the document's folder, or with a slash at the start
   from the folder of the nearest `conf.py` above. It is judged where that folder is there: folders that a
   build makes are not. With a colon in it it is one of another project.
8. `:ref:` names a label of any document of the project. Labels are told apart without regard to case and
   runs of white space. In a project that takes labels from others (`intersphinx_mapping`), or from code
   that is not here (`automodule`), none is judged.
9. In Markdown MyST resolves by name, too: `#label` is one of the document's own places, else a label of
   the project, whose root has a `conf.py`, a `myst.yml` or a `_toc.yml`; `package.name` may be an object.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from holdfast.core.base.errors import nearest
from holdfast.core.base.values import dataclass
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.site_generators import has_generator

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


DOC: Final = ":doc:"
REF: Final = ":ref:"
ROLES: Final = (DOC, REF)
_SUFFIXES: Final = (".rst", ".md", ".txt", ".ipynb", ".rest", ".mdx", ".adoc")
_MADE: Final = frozenset(("genindex", "modindex", "search", "py-modindex"))
MYST: Final = (".md", ".markdown", ".ipynb")
_OF_PROJECTS: Final = ("conf.py", "myst.yml", "_toc.yml")
_OBJECT: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FILES: Final = tuple(
    ".md .rst .txt .ipynb .html .htm .pdf .png .svg .jpg .jpeg .gif .webp .css .csv .py .toml .yaml .yml"
    " .zip".split()
)
"""Ends of files that are linked to; objects are seldom called so."""
_NEARLY: Final = 0.85


@dataclass(frozen=True, slots=True)
class ProjectLabels:
    """The labels of a project, as `label_name` writes them; an open one knows those of other projects too."""

    names: frozenset[str]
    is_open: bool = False

    def lacks(self, label: str) -> bool:
        """Whether a label is certainly wrong."""
        name = label_name(label)
        if name in self.names or name in _MADE or any(mark in label for mark in (":", "/", "{")):
            return False
        return not self.is_open

    def near(self, label: str) -> str | None:
        """The label that was most likely meant."""
        return nearest(label_name(label), sorted(self.names), cutoff=_NEARLY)


def label_name(text: str) -> str:
    """A label as Sphinx compares it."""
    return " ".join(text.split()).lower()


def role_of(url: str) -> str:
    """The mark of a link that Sphinx resolves; empty for any other."""
    return next((role for role in ROLES if url.startswith(role)), "")


def conf_folder(document: str, tree: FileTree) -> str | None:
    """The folder of the nearest `conf.py` above a document."""
    return _nearest_with(("conf.py",), document, tree)


def project_folder(document: str, tree: FileTree) -> str | None:
    """The folder of the project that labels belong to."""
    if document.endswith(MYST):
        return _nearest_with(_OF_PROJECTS, document, tree)
    return conf_folder(document, tree)


def _nearest_with(names: tuple[str, ...], document: str, tree: FileTree) -> str | None:
    folder = posixpath.dirname(document)
    while not any(posixpath.join(folder, name) in tree.files for name in names):
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def may_be_an_object(document: str, path: str, tree: FileTree) -> bool:
    """Whether a path may be the name of an object that is described somewhere (`package.name`)."""
    is_name = _OBJECT.fullmatch(path) is not None and not path.endswith(_FILES)
    return is_name and document.endswith(MYST) and conf_folder(document, tree) is not None


def document_named(document: str, name: str, tree: FileTree) -> tuple[str, bool] | None:
    """The document that a name leads to, and whether it is there; None where nobody can tell."""
    base = conf_folder(document, tree) if name.startswith("/") else posixpath.dirname(document)
    if base is None or ":" in name:
        return None
    wanted = posixpath.normpath(posixpath.join(base, name.lstrip("/")))
    found = next((wanted + suffix for suffix in _SUFFIXES if wanted + suffix in tree.files), None)
    if found is not None:
        return found, True
    if wanted.startswith("..") or posixpath.dirname(wanted) not in tree.folders:
        return None
    return wanted + (posixpath.splitext(document)[1] or ".rst"), False
