"""Links that Sphinx resolves: documents by name, labels by the whole project (TRK-11).

1. A reader marks them by their role: `:doc:guide/install`, `:ref:a label`. No URL begins so.
2. `:doc:` names a document without its suffix, from the document's folder, or with a slash at the start from
   the folder of the nearest `conf.py` above. It is judged where that folder is there: folders that a build
   makes are not. With a colon in it it is one of another project.
3. `:ref:` names a label of any document of the project. Labels are told apart without regard to case and runs
   of white space. In a project that takes labels from others (`intersphinx_mapping`), or from code that is
   not here (`automodule`), none is judged.
4. In Markdown MyST resolves by name, too: `#label` is one of the document's own places, else a label of the
   project, whose root has a `conf.py`, a `myst.yml` or a `_toc.yml`; `package.name` may be an object.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from holdfast.core.file_tree import FileTree
from holdfast.core.nearest import nearest
from holdfast.core.values import dataclass

__all__ = [
    "DOC",
    "MYST",
    "REF",
    "ROLES",
    "ProjectLabels",
    "conf_folder",
    "document_named",
    "label_name",
    "may_be_an_object",
    "project_folder",
    "role_of",
]

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
