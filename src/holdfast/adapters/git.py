"""git, for the lines that a change touched.

1. A change is everything since the point where the revision and the present parted ways (their merge base),
   uncommitted edits and files that git does not know yet included.
2. git runs without the user's diff settings: no external tool, no colour, no prefix of their own.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from holdfast.core.errors import UsageError
from holdfast.formats.unified_diff import changed_lines

__all__ = ["touched_lines"]

_DIFF = (
    "-c", "core.quotePath=true", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "diff",
    "--relative", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


def touched_lines(folder: Path, revision: str) -> dict[str, list[range]]:
    """The lines that were added or changed since a revision, by path from `folder` in POSIX form."""
    base = _base(folder, revision)
    found = changed_lines(_git(folder, *_DIFF, base, "--", "."))
    untracked = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
    for name in filter(None, untracked.split(b"\0")):
        found[name.decode("utf-8", "surrogateescape")] = [range(1, 1 << 31)]
    return found


def _base(folder: Path, revision: str) -> str:
    if not _try(folder, "rev-parse", "--is-inside-work-tree"):
        raise UsageError(f"--since {revision}: {folder} is not in a git repository")
    commit = _try(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not commit:
        raise UsageError(
            f"--since {revision}: there is no such revision",
            hint="name a branch, a tag or a commit; in CI fetch the branch first (fetch-depth: 0)",
        )
    base = _try(folder, "merge-base", commit, "HEAD")
    if not base:
        raise UsageError(
            f"--since {revision}: it has no commit in common with the present one",
            hint="a shallow clone does not reach that far; in CI fetch with fetch-depth: 0",
        )
    return base


def _try(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror}", hint="--since needs git") from error
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def _git(folder: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise UsageError(f"git {words[-1]} failed: {said}")
    return done.stdout
