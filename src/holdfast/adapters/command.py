"""Other programs: a command of the user's own, and git for the time of a revision."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from holdfast.core.errors import UsageError

__all__ = ["revision_time", "run_command"]


def run_command(
    command: str, *, given: bytes, variables: Mapping[str, str], environment: Mapping[str, str]
) -> int:
    """Run a command with words on its standard input; its exit status. No shell reads it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}") from error
    if not words:
        raise UsageError("the command is empty")
    try:
        done = subprocess.run(words, input=given, env={**environment, **variables}, check=False)
    except OSError as error:
        raise UsageError(
            f"the command {words[0]!r} cannot be run: {error.strerror}",
            hint="name a program and its arguments; for a shell, write: sh -c '…'",
        ) from error
    return done.returncode


def revision_time(folder: Path, revision: str) -> datetime | None:
    """When a git revision was committed; None where there is no such revision, or no git."""
    words = [
        "git",
        "-C",
        str(folder),
        "show",
        "-s",
        "--format=%cI",
        "--end-of-options",
        f"{revision}^{{commit}}",
    ]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return datetime.fromisoformat(done.stdout.strip()) if done.returncode == 0 else None
