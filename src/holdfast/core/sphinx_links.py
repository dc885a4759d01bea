"""Links that Sphinx resolves: documents by name, labels by the whole project (TRK-11).

1. A reader marks them by their role: `:doc:guide/install`, `:ref:a label`. No URL begins so.
2. `:doc:` names a document without its suffix, from the document's folder, or with a slash at the start from
   the folder of the nearest `conf.py` above. It is judged where that folder is there: folders that a build
   makes are not. With a colon in it it is one of another project.
3. `:ref:` names a label of any document of the project. Labels are told apart without regard to case and runs
   of white space. In a project that takes labels from others (`intersphinx_mapping`), or from code that is
   not here (`automodule`), none is judged.
"""

from __future__ import annotations

import posixpath
from typing import Final

from holdfast.core.file_tree import FileTree
from holdfast.core.nearest import nearest
from holdfast.core.values import dataclass

__all__ = ["DOC", "REF", "ROLES", "ProjectLabels", "conf_folder", "document_named", "label_name", "role_of"]

DOC: Final = ":doc:"
REF: Final = ":ref:"
ROLES: Final = (DOC, REF)
_SUFFIXES: Final = (".rst", ".md", ".txt", ".ipynb", ".rest", ".mdx", ".adoc")
_MADE: Final = frozenset(("genindex", "modindex", "search", "py-modindex"))
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
    folder = posixpath.dirname(document)
    while posixpath.join(folder, "conf.py") not in tree.files:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


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
