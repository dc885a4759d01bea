"""git tells the time of a revision, and the lines that a change touched.

1. A change is everything since the point where the revision and the present parted ways (their merge base),
   uncommitted edits and files that git does not know yet included.
2. git runs in folders of strangers. Nothing runs that their configuration names: plumbing commands read no
   aliases, pagers and signatures, and what those read as well is set here. Their filters are empty, a
   repository within is not looked into, and an object that is not here is not fetched.
3. git reads files of the folder, and a pipe may lie there: nobody waits longer than `_PATIENCE` seconds.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from holdfast.core.base.difference import changed_lines
from holdfast.core.base.errors import UsageError

_PATIENCE: Final = 120.0

_OURS: Final = (
    "--no-pager",
    "-c", "core.fsmonitor=",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.quotePath=true",
)  # fmt: skip
_EMPTY: Final = "NO_GIT_FILTER"
_VARIABLES: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    _EMPTY: "",
}
_DIFF: Final = (
    "diff-index", "--relative", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
    "--find-renames", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


def revision_time(folder: Path, revision: str) -> datetime | None:
    """When a git revision was committed; None where there is no such revision, or no git."""
    try:
        commit = _commit(folder, revision)
        said = commit and _said(folder, "rev-list", "--no-walk", "--format=%cI", commit)
    except OSError:
        return None
    with suppress(ValueError, IndexError):
        return datetime.fromisoformat(said.split("\n")[1])
    return None


def touched_lines(folder: Path, revision: str) -> dict[str, list[range]]:
    """The lines that were added or changed since a revision, by path from `folder` in POSIX form."""
    try:
        base = _base(folder, revision)
        found = changed_lines(_answer(folder, *_without_filters(folder), *_DIFF, base, "--", "."))
        untracked = _answer(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror}", hint="--changed-since needs git") from error
    for name in filter(None, untracked.split(b"\0")):
        found[name.decode("utf-8", "surrogateescape")] = [range(1, 1 << 31)]
    return found


def _base(folder: Path, revision: str) -> str:
    if _said(folder, "rev-parse", "--is-inside-work-tree") != "true":
        raise UsageError(f"--changed-since {revision}: {folder} is not in a git repository")
    commit = _commit(folder, revision)
    if not commit:
        raise UsageError(
            f"--changed-since {revision}: there is no such revision",
            hint="name a branch, a tag or a commit; in CI fetch the branch first (fetch-depth: 0)",
        )
    base = _said(folder, "merge-base", commit, "HEAD")
    if not base:
        raise UsageError(
            f"--changed-since {revision}: it has no commit in common with the present one",
            hint="a shallow clone does not reach that far; in CI fetch with fetch-depth: 0",
        )
    return base


def _commit(folder: Path, revision: str) -> str:
    return _said(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def _without_filters(folder: Path) -> Iterator[str]:
    """What empties each filter that is configured. A name may hold any sign, `=` too, so `-c` does not do;
    and any byte, so no regular expression looks for it.
    """
    for key in set(_answer(folder, "config", "--list", "--name-only", "-z").split(b"\0")):
        if key.startswith(b"filter.") and key.endswith((b".clean", b".process", b".required")):
            yield f"--config-env={os.fsdecode(key)}={_EMPTY}"


def _said(folder: Path, *words: str) -> str:
    """What git says; nothing where it has no answer."""
    done = _run(folder, *words)
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def _answer(folder: Path, *words: str) -> bytes:
    done = _run(folder, *words)
    if done.returncode:
        raise UsageError(f"git failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git. Nothing else in Holdfast does."""
    command = ("git", "-C", str(folder), *_OURS, *words)
    variables = {**os.environ, **_VARIABLES}
    try:
        return subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"git took longer than {_PATIENCE:g} s in {folder}",
            hint="a pipe or a device among the files that it reads would keep it waiting",
        ) from error
