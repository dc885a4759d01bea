"""What an editor proposes while the address of a link is typed: files, and after a `#` the sections there.

1. The line up to the cursor decides whether an address is being typed, and how much of it is there.
2. Files are proposed folder by folder, from the document's own; those that are hidden are left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from holdfast.core.file_tree import FileTree
from holdfast.formats.documents import DocumentFormat
from holdfast.formats.editor.headings import NamedSection

__all__ = ["Proposal", "Typed", "files_for", "sections_for", "typed_address"]

_HTML: Final = r"(?:href|src)\s*=\s*[\"']([^\"'<>]*)\Z"
_MARKDOWN: Final = rf"\]\(\s*<?([^()<>\s]*)\Z|^\s*\[[^\]]+\]:\s*<?(\S*)\Z|{_HTML}"
_PATTERNS: Final = {
    DocumentFormat.MARKDOWN: re.compile(_MARKDOWN),
    DocumentFormat.MDX: re.compile(_MARKDOWN),
    DocumentFormat.HTML: re.compile(_HTML),
    DocumentFormat.RST: re.compile(
        r"`[^`<>]*<([^`<>]*)\Z|\.\.\s+(?:image|figure|include|literalinclude)::\s*(\S*)\Z|\.\.\s+_[^:]+:\s+(\S*)\Z"
    ),
    DocumentFormat.ASCIIDOC: re.compile(r"(?:link|xref|image:?|include:):([^\[\s]*)\Z|<<([^<>,]*)\Z"),
}
_MAX: Final = 500


class Typed(NamedTuple):
    """The part of an address that stands before the cursor."""

    address: str
    fragment: str | None


class Proposal(NamedTuple):
    """What may be written in the place of the last part of what was typed: a file, a folder or a section."""

    label: str
    text: str
    detail: str = ""
    is_folder: bool = False


def typed_address(before: str, kind: DocumentFormat) -> Typed | None:
    """What of an address is typed on a line; None where none is."""
    pattern = _PATTERNS.get(kind)
    match = pattern.search(before[-2000:]) if pattern else None
    if match is None:
        return None
    written = next(group for group in match.groups() if group is not None)
    address, mark, fragment = written.partition("#")
    return Typed(address, fragment if mark else None)


def files_for(document: str, typed: Typed, tree: FileTree) -> tuple[Proposal, ...]:
    """The files and folders whose names may go on from what was typed."""
    folder, _, start = unquote(typed.address).rpartition("/")
    base = posixpath.normpath(posixpath.join(posixpath.dirname(document), folder)) if folder else None
    base = posixpath.dirname(document) if base is None else "" if base == "." else base
    if base.startswith("..") or typed.address.startswith("/"):
        return ()
    files = {path.rpartition("/")[2] for path in tree.files if path.rpartition("/")[0] == base}
    folders = {path.rpartition("/")[2] for path in tree.folders if path and path.rpartition("/")[0] == base}
    found = [Proposal(name, quote(name), "file") for name in sorted(files) if _fits(name, start)]
    found += [
        Proposal(f"{name}/", f"{quote(name)}/", "folder", is_folder=True)
        for name in sorted(folders)
        if _fits(name, start)
    ]
    return tuple(found[:_MAX])


def sections_for(typed: Typed, sections: Sequence[NamedSection]) -> tuple[Proposal, ...]:
    """The sections whose ids or titles go with what was typed."""
    wanted = (typed.fragment or "").casefold()
    found = (s for s in sections if wanted in s.anchor.casefold() or wanted in s.title.casefold())
    return tuple(Proposal(each.anchor, each.anchor, each.title) for each in list(found)[:_MAX])


def _fits(name: str, start: str) -> bool:
    hidden = name.startswith(".") and not start.startswith(".")
    return not hidden and name.casefold().startswith(start.casefold())
