"""Everything Holdfast raises, as one tree; guesses at mistyped names.

    HoldfastError                  exit status
     ├─ UsageError                 2   the call itself is wrong: a flag, an argument
     ├─ ConfigError                2   holdfast.toml, the environment or an overrides file is wrong
     ├─ RefusedError               4   we could, but must not
     │   ├─ LockedError                another process holds the store
     │   ├─ VersionError               same version string, other identity settings; or a newer schema
     │   └─ ConsentError               the user has not agreed to network access
     ├─ NotKeptError               1   nothing is kept of what was asked for
     │   └─ NotHereError           2   what was named by its place is not there
     ├─ NoSpaceError               5   the disk is full, or too full to go on
     └─ FailedError                3   we tried and could not
         ├─ FormatError                a file is not what it says it is
         ├─ LedgerError                the database
         ├─ ArchiveError               the WARC files
         └─ MirrorError                the folder of Markdown

What can be expected of the web (a 404, a time-out, a text that is not a URL) is not an error but a value:
`Refused`, `Outcome`, `Verdict`. Adapters translate foreign errors at their own door, with `from`.
A message says what happened and where; `hint` says what to do, and is printed after a blank line.

`row_limit` refuses what is not a number of rows. `nearest` guesses what a mistyped name was meant to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class ExitStatus(IntEnum):
    """The exit statuses of every command (STA-2)."""

    SUCCESS = 0
    FINDINGS = 1
    USAGE = 2
    FAILED = 3
    REFUSED = 4
    NO_SPACE = 5
    INTERRUPTED = 130


class HoldfastError(Exception):
    """The root: catch this to catch whatever Holdfast raises on purpose."""

    exit_status = ExitStatus.FAILED

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HoldfastError):
    """The call itself is wrong."""

    exit_status = ExitStatus.USAGE


class ConfigError(HoldfastError):
    """A settings file, an environment variable or an overrides file is wrong; the message names the place."""

    exit_status = ExitStatus.USAGE


class RefusedError(HoldfastError):
    """Holdfast could do it but must not."""

    exit_status = ExitStatus.REFUSED


class LockedError(RefusedError):
    """Another process holds the store; the message names it."""


class VersionError(RefusedError):
    """Going on would mix what must not be compared."""


class ConsentError(RefusedError):
    """Network access was not agreed to."""


class NotKeptError(HoldfastError):
    """Nothing is kept of what was asked for. `knows_it`: a store knows the thing, yet not what was asked."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, message: str, *, hint: str | None = None, knows_it: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.knows_it = knows_it


class NotHereError(NotKeptError):
    """What was named by its place is not in this store; it may be in another."""

    exit_status = ExitStatus.USAGE


class NoSpaceError(HoldfastError):
    """There is no room left on the disk; what was acknowledged is safe."""

    exit_status = ExitStatus.NO_SPACE


class FailedError(HoldfastError):
    """It was tried and did not work."""


class FormatError(FailedError):
    """A file or a record is not what it says it is."""


class LedgerError(FailedError):
    """The ledger could not do it."""


class ArchiveError(FailedError):
    """The archive could not do it."""


class MirrorError(FailedError):
    """The mirror folder could not do it."""


UNREADABLE: Final = (ValueError, LookupError, TypeError, OverflowError)
"""What reading a row of a ledger ends in that somebody altered past the program."""


def row_limit(limit: int | None) -> int | None:
    """The limit that was asked for; None is all."""
    if limit is not None and limit < 0:
        raise UsageError(f"{limit} is not a number of rows", hint="such as 20")
    return limit


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str | None:
    """The known name that an unknown one was most likely meant to be."""
    import difflib  # noqa: PLC0415 # lazy: only a mistake needs it, and every command can meet one

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return matches[0] if matches else None
