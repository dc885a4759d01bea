"""What a disk may hold after a power cut, computed from a record of changes.

    disk = SimulatedDisk.of(folder)           everything there is durable
    image = disk.after(changes[:cut], LAZY, chance)

| disk    | names                                          | bytes that no sync covers                     |
|---------|------------------------------------------------|-----------------------------------------------|
| KEPT    | all                                            | all: this is `kill -9`                        |
| ORDERED | in order, at least up to the last sync (ext4)  | any blocks of 4 KiB                           |
| LAZY    | all                                            | none (LazyFS)                                 |
| STRICT  | only where their folder was synced since       | none: POSIX to the letter                     |
| ANY     | as STRICT, and any of the others               | any blocks of 4 KiB                           |

A sync covers what was changed before it began.
"""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random

from disk.recording import Change

__all__ = ["Disk", "Image", "SimulatedDisk"]

_BLOCK = 4096
_NEVER = -1
_SIZE = -1


class Disk(StrEnum):
    KEPT = "kept"
    ORDERED = "ordered"
    LAZY = "lazy"
    STRICT = "strict"
    ANY = "any"


@dataclass(frozen=True)
class Image:
    """Files and folders below a root."""

    files: dict[str, bytes]
    folders: frozenset[str]

    @classmethod
    def of(cls, root: Path) -> Image:
        files, folders = {}, set()
        for path in root.rglob("*"):
            name = path.relative_to(root).as_posix()
            if path.is_dir():
                folders.add(name)
            elif not name.endswith("-shm"):
                files[name] = path.read_bytes()
        return cls(files, frozenset(folders))

    def put(self, root: Path) -> None:
        """Make a folder this, and nothing else."""
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        for folder in sorted(self.folders):
            (root / folder).mkdir(mode=0o700)
        for name, data in self.files.items():
            handle = os.open(root / name, os.O_WRONLY | os.O_CREAT, 0o600)
            os.write(handle, data)
            os.close(handle)

    @property
    def key(self) -> int:
        return hash((self.folders, tuple(sorted(self.files.items()))))


@dataclass
class _Node:
    """A file or a folder: what it held at first, and what was changed when. `synced`: changes before that."""

    is_folder: bool
    data: bytes = b""
    names: dict[str, int] = field(default_factory=dict)
    changes: list[tuple[int, Change | tuple[str, int | None]]] = field(default_factory=list)
    synced: int = 0


class SimulatedDisk:
    """A folder, and what became of it."""

    def __init__(self) -> None:
        self._nodes: dict[int, _Node] = {0: _Node(is_folder=True)}
        self._numbers: dict[int, int] = {}
        self._now: dict[int, dict[str, int]] = {}
        self._last_sync = 0
        self._length = 0

    @classmethod
    def of(cls, root: Path) -> SimulatedDisk:
        """A folder as it lies, all of it durable."""
        disk = cls()
        disk._numbers[root.stat().st_ino] = 0
        disk._take(root, disk._nodes[0])
        return disk

    def copy(self) -> SimulatedDisk:
        """The same disk, to which something else happens."""
        return copy.deepcopy(self)

    def _take(self, folder: Path, node: _Node) -> None:
        for entry in os.scandir(folder):
            if entry.name.endswith("-shm"):
                continue
            number = len(self._nodes)
            node.names[entry.name] = number
            self._numbers[entry.stat().st_ino] = number
            inner = _Node(entry.is_dir())
            self._nodes[number] = inner
            if inner.is_folder:
                self._take(Path(entry.path), inner)
            else:
                inner.data = Path(entry.path).read_bytes()

    def replay(self, changes: Iterable[Change]) -> None:
        """Take changes in, after those that were taken in before."""
        if not self._now:
            self._now = {number: dict(node.names) for number, node in self._nodes.items() if node.is_folder}
        for change in changes:
            getattr(self, f"_{change.kind}")(self._length, change)
            self._length += 1

    def read(self, path: str) -> bytes:
        """A file as it is now, durable or not."""
        return _bytes(self._nodes[self._find(path)], Disk.KEPT, Random(0))

    def _find(self, path: str) -> int:
        number = 0
        for part in path.split("/") if path else ():
            number = self._now[number][part]
        return number

    def _name(self, index: int, path: str, number: int | None) -> None:
        folder, _, name = path.rpartition("/")
        home = self._find(folder)
        self._nodes[home].changes.append((index, (name, number)))
        if number is None:
            del self._now[home][name]
        else:
            self._now[home][name] = number

    def _create(self, index: int, change: Change) -> None:
        self._make(index, change, is_folder=False)

    def _mkdir(self, index: int, change: Change) -> None:
        self._make(index, change, is_folder=True)

    def _make(self, index: int, change: Change, *, is_folder: bool) -> None:
        number = self._numbers[change.inode] = len(self._nodes)
        self._nodes[number] = _Node(is_folder)
        if is_folder:
            self._now[number] = {}
        self._name(index, change.path, number)

    def _write(self, index: int, change: Change) -> None:
        self._nodes[self._numbers[change.inode]].changes.append((index, change))

    _cut = _write

    def _sync(self, _: int, change: Change) -> None:
        self._nodes[self._numbers[change.inode]].synced = change.at
        self._last_sync = max(self._last_sync, change.at)

    def _sync_all(self, _: int, change: Change) -> None:
        for node in self._nodes.values():
            node.synced = max(node.synced, change.at)
        self._last_sync = max(self._last_sync, change.at)

    def _rename(self, index: int, change: Change) -> None:
        number = self._find(change.path)
        self._name(index, change.path, None)
        self._name(index, change.to, number)

    def _link(self, index: int, change: Change) -> None:
        self._name(index, change.to, self._find(change.path))

    def _unlink(self, index: int, change: Change) -> None:
        self._name(index, change.path, None)

    _rmdir = _unlink

    def loose_folders(self) -> list[str]:
        """Folders whose name in the folder above was not synced since it was made."""
        found = []
        todo = [("", 0)]
        while todo:
            path, number = todo.pop()
            node = self._nodes[number]
            loose = {name for index, (name, _) in node.changes if index >= node.synced}
            for name, inner in self._now[number].items():
                if self._nodes[inner].is_folder:
                    todo.append((f"{path}{name}/", inner))
                    found += [f"{path}{name}"] if name in loose else []
        return found

    def image(self, disk: Disk, chance: Random) -> Image:
        """What may be on the disk now."""
        names_until = chance.randint(self._last_sync, self._length) if disk is Disk.ORDERED else _NEVER
        files: dict[str, bytes] = {}
        folders: set[str] = set()
        todo = [("", 0)]
        while todo:
            path, number = todo.pop()
            node = self._nodes[number]
            if not node.is_folder:
                files[path] = _bytes(node, disk, chance)
                continue
            if path:
                folders.add(path)
            for name, inner in _names(node, disk, names_until, chance).items():
                todo.append((f"{path}/{name}" if path else name, inner))
        return Image(files, frozenset(folders))


def _names(node: _Node, disk: Disk, until: int, chance: Random) -> dict[str, int]:
    names = dict(node.names)
    held: set[str] = set()
    for index, (name, number) in node.changes:
        if index >= node.synced and disk not in (Disk.KEPT, Disk.LAZY):
            if disk is Disk.STRICT or (disk is Disk.ORDERED and index >= until):
                continue
            if disk is Disk.ANY and (name in held or chance.random() < 0.5):
                held.add(name)
                continue
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number
    return names


def _bytes(node: _Node, disk: Disk, chance: Random) -> bytes:
    """The bytes of a file. A block goes to the disk as it is at some moment: with the writes before it."""
    data = bytearray(node.data)
    loose = [index for index, _ in node.changes if index >= node.synced]
    share = {Disk.KEPT: 1.0, Disk.LAZY: 0.0, Disk.STRICT: 0.0}.get(disk)
    share = chance.choice((0.0, 0.5, 1.0)) if share is None else share
    moments: dict[int, int] = {}

    def is_there(index: int, block: int) -> bool:
        if block not in moments:
            taken = share == 1.0 or (loose and chance.random() < share)
            moments[block] = (
                chance.choice(loose) if taken and share < 1.0 else loose[-1] if taken and loose else -1
            )
        return index < node.synced or index <= moments[block]

    for index, change in node.changes:
        if change.kind == "cut":
            if is_there(index, _SIZE):
                data[change.at :] = b"\0" * max(change.at - len(data), 0)
            continue
        for start, piece in _blocks(change):
            if is_there(index, start // _BLOCK):
                data.extend(b"\0" * (start - len(data)))
                data[start : start + len(piece)] = piece
    return bytes(data)


def _blocks(change: Change) -> Iterable[tuple[int, bytes]]:
    """A write, block by block."""
    start, end = change.at, change.at + len(change.data)
    while start < end:
        after = min((start // _BLOCK + 1) * _BLOCK, end)
        yield start, change.data[start - change.at : after - change.at]
        start = after
