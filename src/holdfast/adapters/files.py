"""The user's own files, with errors in words."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapters.system import cannot_write, followed
from holdfast.core.errors import ConfigError, FailedError, UsageError

__all__ = ["read_bytes", "read_text", "replaceable", "write_text"]


def read_text(path: Path, what: str) -> str:
    """A UTF-8 file's text; `what` is how an error calls it."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{what} {path}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise ConfigError(f"{what} {path}: {error.strerror}") from error


def read_bytes(path: Path, what: str) -> bytes:
    """A file's bytes; `what` is how an error calls it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FailedError(f"{what} {path}: {error.strerror}") from error


def replaceable(path: Path) -> Path:
    """The file that a name stands for, behind any links: another may take its name. That of a device or a
    pipe no file may take, for it would be gone for everybody.
    """
    try:
        file = followed(path)
        if file.is_file() or not file.exists():
            return file
    except OSError as error:
        raise cannot_write(path, error) from error
    what = "a folder" if file.is_dir() else "a device or a pipe"
    raise UsageError(f"cannot write {path}: it is {what}", hint="name a file")


def write_text(path: Path, text: str) -> None:
    """Replace a UTF-8 file atomically: what is there after a power cut is whole, the old text or the new."""
    path = replaceable(path)
    draft = path.with_name(f".{path.name}.holdfast-draft")
    try:
        draft.unlink(missing_ok=True)
        with draft.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
