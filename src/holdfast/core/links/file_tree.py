"""The files under a root, as links see them: by exact name, by name without regard to case, by last name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property


class FileTree:
    """A listing: files and folders by path from the root, in POSIX form.

    `closed` are folders that were not looked into (other people's packages, links to elsewhere): whatever is
    under them is taken to be there.
    """

    def __init__(self, files: Iterable[str], closed: Iterable[str] = ()) -> None:
        self.files = frozenset(files)
        self._closed = frozenset(closed)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file; the root is the empty path."""
        found = {""}
        for path in (*self.files, *self._closed):
            folder = path.rpartition("/")[0]
            while folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found | self._closed)

    def has(self, path: str) -> bool:
        """Whether there is such a file or folder, or nobody looked."""
        return path in self.files or path in self.folders or self._is_closed(path)

    def in_other_case(self, path: str) -> str | None:
        """The file or folder that has this path but for the case of letters."""
        return self._folded.get(path.casefold())

    def called(self, name: str) -> list[str]:
        """The files with a last name."""
        return self._by_name.get(name, [])

    def _is_closed(self, path: str) -> bool:
        while path and self._closed:
            if path in self._closed:
                return True
            path = path.rpartition("/")[0]
        return False

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {path.casefold(): path for path in sorted((*self.folders, *self.files), reverse=True)}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for path in sorted(self.files):
            names.setdefault(path.rpartition("/")[2], []).append(path)
        return names
