"""What `holdfast check` is told to read: documents, folders, patterns, standard input, pages and sitemaps."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.faces.cli.flags import settings_file_of

_MOST_INPUT: Final = 32 * 1024 * 1024
"""Bytes that are taken from standard input: as many as a document may have."""
_STDIN: Final = "-"
_WEB: Final = ("http://", "https://")


class TrackInputs(NamedTuple):
    """Files and folders, documents that are given by name and content, and addresses of pages."""

    paths: list[Path]
    given: list[tuple[str, bytes]]
    pages: list[str]

    @property
    def start(self) -> Path:
        """From where settings are looked for."""
        return self.paths[0] if self.paths else Path()


def inputs_from(args: argparse.Namespace) -> TrackInputs:
    """What is to be read; standard input is read here."""
    if args.job and not args.paths:
        file = settings_file_of(args)
        paths = file.work("check", args.job).get("paths", ["."])
        base = Path(os.path.relpath(file.folder.place))
        return TrackInputs([base / path for path in ([paths] if isinstance(paths, str) else paths)], [], [])
    pages = [word for word in args.paths if word.lower().startswith(_WEB)]
    words = [word for word in args.paths if word != _STDIN and word not in pages]
    given = [(args.stdin_name, _standard_input())] if _STDIN in args.paths else []
    return TrackInputs(paths_from(words) if words or not (given or pages) else [], given, pages)


def paths_from(words: Sequence[str]) -> list[Path]:
    """The documents and folders that were named; this folder where none was."""
    paths: list[Path] = []
    for word in words or ["."]:
        path = Path(word)
        found = [path] if path.exists() else _matching(word)
        if not found:
            raise UsageError(f"there is no {path}", hint="name a document or a folder of documents")
        paths += found
    return paths


def _standard_input() -> bytes:
    content = sys.stdin.buffer.read(_MOST_INPUT + 1)
    if len(content) > _MOST_INPUT:
        raise UsageError(f"standard input has more than {_MOST_INPUT} bytes")
    return content


def _matching(pattern: str) -> list[Path]:
    """The files that a pattern names which no shell resolved, without hidden ones."""
    if not any(mark in pattern for mark in "*?["):
        return []
    path = Path(pattern)
    found = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
    return sorted(file for file in found if file.is_file() and not any(p.startswith(".") for p in file.parts))
