"""The `Documents` port on a folder.

1. A folder is walked in the order of names. Hidden files and folders, `node_modules` and other people's
   mirrors (a folder with Holdfast's own `_manifest.json`) are passed over; links to elsewhere are not
   followed.
2. `.gitignore` and `.holdfastignore`, from the root down, decide what else is passed over. A file that was
   named itself is always read, unless `force_exclude` holds it to the same rules: hooks name files.
3. Files that are ours, such as a baseline, are not documents, whatever they are called.
4. A file that vanishes while we look was not there; a pipe, a socket or a device is no document.
5. A file that was named itself and is none of the known formats is read as text, if it is text.
6. A document that is given (standard input) counts like a file of its name, and in its place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from holdfast.adapters.ports import DocumentFile, GivenDocument, UnusedIgnore
from holdfast.adapters.system import NEW_FILE, cannot_write, open_file, sync_folder
from holdfast.core.base.errors import FailedError, UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.documents.document_kinds import DocumentFormat, DocumentKinds
from holdfast.core.documents.ignore_file import OWN_IGNORES, IgnorePattern, deciding, read_ignore_file
from holdfast.core.links.url_manifest import PEER_SUFFIXES

_IGNORE_FILES = (".gitignore", OWN_IGNORES)
_PASSED_OVER = frozenset(("node_modules", "__pycache__"))
_CLOSED = _PASSED_OVER | {".git", ".hg", ".svn", ".holdfast", ".venv", "venv"}
_SNIFFED = 8192
_MIRROR_MARK = b'"schema": "holdfast.'


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a folder are documents: of which kinds, hidden ones too, whatever ignore files say."""

    kinds: DocumentKinds = field(default_factory=DocumentKinds)
    hidden: bool = False
    ignores: bool = True


class DocumentFolder:
    """Files under a root."""

    def __init__(
        self,
        root: Path,
        passed_over: Iterable[Path] = (),
        *,
        force_exclude: bool = False,
        selection: Selection | None = None,
        given: Iterable[GivenDocument] = (),
    ) -> None:
        self._root = root.resolve()
        self._selection = selection or Selection()
        self._kinds = self._selection.kinds
        self._given = {document.path: document for document in given}
        self._named_as_text: set[str] = set()
        self._force_exclude = force_exclude
        self._passed_over = frozenset(path.resolve() for path in passed_over)
        self._own: set[IgnorePattern] = set()
        self._patterns: dict[str, tuple[IgnorePattern, ...]] = {}
        self._used: set[IgnorePattern] = set()

    def relative(self, path: Path) -> str:
        """A path as the root sees it; a path outside is an error."""
        resolved = path.resolve()
        if not resolved.exists():
            raise UsageError(f"there is no {path}", hint="name a document or a folder of documents")
        if not resolved.is_relative_to(self._root):
            raise UsageError(
                f"{path} is not under {self._root}",
                hint="track documents of one root at a time; a root is the nearest folder with a "
                "holdfast.toml, else the version-control root, else the folder given",
            )
        return "" if resolved == self._root else resolved.relative_to(self._root).as_posix()

    def kind_of(self, path: str) -> DocumentFormat | None:
        """What a file is read as; None for what is not a document."""
        if path in self._given:
            return self._given[path].kind
        return self._kinds.of(path) or (DocumentFormat.TEXT if path in self._named_as_text else None)

    def walk(self, paths: Sequence[str]) -> Iterator[DocumentFile]:
        """The documents in these files and folders, sorted by path."""
        found: dict[str, DocumentFile] = {}
        for path in paths:
            place = self._root / path
            if path in self._given:
                found[path] = DocumentFile(path, len(self._given[path].content), 0)
            elif place.is_dir():
                found |= {file.path: file for file in self._folder(path, self._patterns_above(path))}
            elif self._force_exclude and self._is_left_out(path):
                continue
            elif (file := self._named(path)) is not None:
                found[path] = file
        kept = (path for path in sorted(found) if self._root / path not in self._passed_over)
        yield from (found[path] for path in kept)

    def is_ignored(self, path: str) -> bool:
        """Whether a `.gitignore` leaves out a path, whether it is there or not."""
        parts = path.split("/")
        patterns: tuple[IgnorePattern, ...] = ()
        for depth in range(1, len(parts) + 1):
            patterns += self._read_patterns("/".join(parts[: depth - 1]), ".gitignore")
            is_folder = depth < len(parts)
            pattern = deciding("/".join(parts[:depth]), patterns, is_folder=is_folder)
            if pattern is not None and not pattern.takes_back:
                return True
        return False

    def unused_ignores(self) -> tuple[UnusedIgnore, ...]:
        """Lines of `.holdfastignore` that decided about nothing in what was walked."""
        unused = sorted(self._own - self._used, key=lambda pattern: (pattern.folder, pattern.line))
        return tuple(
            UnusedIgnore(f"{p.folder}/{OWN_IGNORES}" if p.folder else OWN_IGNORES, p.line, p.written)
            for p in unused
        )

    def listing(self) -> tuple[list[str], list[str]]:
        """Every file under the root; not looked into are other people's packages, and links to folders."""
        files: list[str] = list(self._given)
        closed: list[str] = []
        todo = [""]
        while todo:
            folder = todo.pop()
            try:
                with os.scandir(self._root / folder) as entries:
                    for entry in entries:
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        if not entry.is_dir():
                            files.append(path)
                        elif entry.is_symlink() or entry.name in _CLOSED:
                            closed.append(path)
                        else:
                            todo.append(path)
            except OSError:
                closed.append(folder)
        return files, closed

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none. A pipe is no file: nobody may ever write to it."""
        if path in self._given:
            return self._given[path].content
        place = self._root / path
        try:
            if not stat.S_ISREG(place.stat().st_mode):
                return None
            with os.fdopen(open_file(place), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise FailedError(f"cannot read {self._root / path}: {error.strerror}") from error

    def write(self, path: str, content: bytes) -> None:
        """Replace a file atomically and durably. A draft that a crash left behind is written over."""
        target = self._root / path
        draft = target.with_name(f".{target.name}.holdfast-draft")
        try:
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, NEW_FILE, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.chmod(target.stat().st_mode if target.exists() else 0o644)
            draft.replace(target)
            sync_folder(target.parent)
        except OSError as error:
            raise cannot_write(target, error) from error

    def remove(self, path: str) -> None:
        """Remove a file if it is there."""
        (self._root / path).unlink(missing_ok=True)

    def _named(self, path: str) -> DocumentFile | None:
        if self.kind_of(path) is None:
            if b"\0" in (self.read(path) or b"")[:_SNIFFED]:
                raise UsageError(f"{path} is not text", hint="name documents, or folders of documents")
            self._named_as_text.add(path)
        try:
            facts = (self._root / path).stat()
        except OSError:
            return None
        folder = (self._root / path).parent
        names = frozenset(entry.name for entry in folder.iterdir())
        return DocumentFile(path, facts.st_size, facts.st_mtime_ns, _peer(path, names))

    def _is_left_out(self, path: str) -> bool:
        """Whether a file that was named would not have been found by walking."""
        if self.kind_of(path) is None:
            return True
        parts = path.split("/")
        patterns: tuple[IgnorePattern, ...] = ()
        for depth, name in enumerate(parts, 1):
            patterns += self._patterns_in("/".join(parts[: depth - 1]))
            hidden = self._is_passed_over(name)
            here = "/".join(parts[:depth])
            if hidden or self._is_ignored(here, patterns, is_folder=depth < len(parts)):
                return True
        return False

    def _patterns_above(self, path: str) -> tuple[IgnorePattern, ...]:
        patterns: tuple[IgnorePattern, ...] = ()
        parts = path.split("/") if path else []
        for depth in range(len(parts)):
            patterns += self._patterns_in("/".join(parts[:depth]))
        return patterns

    def _patterns_in(self, folder: str) -> tuple[IgnorePattern, ...]:
        patterns: tuple[IgnorePattern, ...] = ()
        for name in _IGNORE_FILES if self._selection.ignores else ():
            read = self._read_patterns(folder, name)
            self._own.update(read if name == OWN_IGNORES else ())
            patterns += read
        return patterns

    def _read_patterns(self, folder: str, name: str) -> tuple[IgnorePattern, ...]:
        path = f"{folder}/{name}" if folder else name
        if path not in self._patterns:
            data = self.read(path)
            text = data.decode("utf-8", "replace") if data is not None else ""
            self._patterns[path] = read_ignore_file(text, folder)
        return self._patterns[path]

    def _folder(self, folder: str, above: tuple[IgnorePattern, ...]) -> Iterator[DocumentFile]:
        try:
            with os.scandir(self._root / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            return
        names = frozenset(entry.name for entry in entries)
        if folder and "_manifest.json" in names and self._is_mirror(folder):
            return
        patterns = above + (self._patterns_in(folder) if names.intersection(_IGNORE_FILES) else ())
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if self._is_passed_over(entry.name) or entry.is_symlink():
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and (self._kinds.of(path) is None or not entry.is_file(follow_symlinks=False)):
                continue
            if patterns and self._is_ignored(path, patterns, is_folder=is_folder):
                continue
            if is_folder:
                yield from self._folder(path, patterns)
            else:
                facts = entry.stat(follow_symlinks=False)
                yield DocumentFile(path, facts.st_size, facts.st_mtime_ns, _peer(path, names))

    def _is_ignored(self, path: str, patterns: tuple[IgnorePattern, ...], *, is_folder: bool) -> bool:
        pattern = deciding(path, patterns, is_folder=is_folder)
        if pattern is None:
            return False
        self._used.add(pattern)
        return not pattern.takes_back

    def _is_passed_over(self, name: str) -> bool:
        hidden = name.startswith(".") and not (self._selection.hidden and name not in _CLOSED)
        return hidden or name in _PASSED_OVER

    def _is_mirror(self, folder: str) -> bool:
        return _MIRROR_MARK in (self.read(f"{folder}/_manifest.json") or b"")[:4096]


def name_under(root: Path, path: Path) -> str:
    """What a file would be called from the root, whether it is there or not."""
    resolved, top = path.resolve(), root.resolve()
    if not resolved.is_relative_to(top) or resolved == top:
        raise UsageError(f"{path} is not under {top}", hint="give a name that is under the root")
    return resolved.relative_to(top).as_posix()


def _peer(path: str, names: frozenset[str]) -> str | None:
    """The metadata file beside a document, if there is one."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    peer = next((stem + suffix for suffix in PEER_SUFFIXES if stem + suffix in names), None)
    return None if peer is None else f"{folder}/{peer}" if folder else peer
