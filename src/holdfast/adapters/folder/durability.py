"""How what was written becomes durable: each file by itself, or a whole filesystem at once.

`syncfs` makes everything durable that was written before it, names and bytes, in one wait: for a hundred
small files a quarter of the time of as many `fsync`. It is used where it is known to hold: on Linux, on
filesystems that write what they have to a disk of their own. A filesystem in user space is not told of it,
one on the network need not be; there, and everywhere else, each file is synced, and each folder.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final

__all__ = ["Loose", "can_sync_at_once", "sync_all", "sync_at_once"]

_LOCAL: Final = frozenset(
    (
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # XFS
        0x9123683E,  # Btrfs
        0xF2F52010,  # F2FS
        0x01021994,  # tmpfs
    )
)


class Loose:
    """Files and folders that were changed and are not durable yet; noted on one thread, taken on another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def note(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """These are to be synced."""
        with self._lock:
            self._files.update(files)
            self._folders.update(folders)

    def take(self) -> tuple[set[str], set[str]]:
        """All that was noted before; whoever takes it syncs it."""
        with self._lock:
            taken = self._files, self._folders
            self._files, self._folders = set(), set()
        return taken


def can_sync_at_once(handle: int) -> bool:
    """Whether `syncfs` holds for what lies on the filesystem of an open folder."""
    if sys.platform != "linux":
        return False
    facts = ctypes.create_string_buffer(256)
    if struct.calcsize("l") != 8 or ctypes.CDLL(None).fstatfs(handle, facts) != 0:
        return False
    (kind,) = struct.unpack_from("l", facts)
    return kind in _LOCAL


def sync_at_once(handle: int) -> None:
    """Everything on the filesystem of an open folder is durable when this returns."""
    if ctypes.CDLL(None, use_errno=True).syncfs(handle) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def sync_all(handles: Sequence[int]) -> None:
    """Sync files; where the system can be told, all begin to be written before the first is waited for."""
    if len(handles) > 1 and hasattr(os, "posix_fadvise"):
        for handle in handles:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    for handle in handles:
        os.fsync(handle)
