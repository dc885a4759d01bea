"""What the commands found that look after a state folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from holdfast.core.redaction import redact_url
from holdfast.core.settings.reach import Reaching
from holdfast.core.settings.resolve import Resolved
from holdfast.core.shown_text import loggable
from holdfast.core.values import dataclass

__all__ = [
    "ANEW",
    "ArchiveCheck",
    "Difference",
    "FolderTrust",
    "LedgerCheck",
    "LedgerCopy",
    "LedgerMigration",
    "LedgerRebuilt",
    "LedgerRekeyed",
    "OrphansRemoved",
    "SettingsShown",
    "StateAdopted",
    "StateBackup",
    "VerifyReport",
    "WarcImport",
    "unreadable_row",
    "without_secrets",
]

ANEW: Final = "`holdfast db rebuild` makes the ledger anew from the archive, and keeps this one beside it"
"""What to do about a ledger that cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it should be, and what to do about it."""

    where: str
    what: str
    remedy: str


def unreadable_row(error: Exception) -> Difference:
    """A row of the ledger that something other than Holdfast altered."""
    return Difference("ledger", f"a row cannot be read: {error}", ANEW)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Everything that differs between a mirror's folder, its ledger and its archive."""

    folder: str
    differences: tuple[Difference, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class OrphansRemoved:
    """How many files of records that no ledger knows were deleted, and how many bytes that was."""

    files: int
    freed_bytes: int


@dataclass(frozen=True, slots=True)
class ArchiveCheck:
    """What reading every record of the archive found; `size` is in bytes."""

    files: int
    records: int
    captures: int
    size: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """What is wrong with a ledger's file, one sentence each."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerRekeyed:
    """The version of `web` that a ledger's join keys were made by, and the one that makes them now; how many
    URLs there are, how many have another key now, how many cited URLs were joined with another; and of how
    many keys nothing told what they had been made of.
    """

    before: str
    after: str
    urls: int
    moved: int
    merged: int
    unexplained: int


@dataclass(frozen=True, slots=True)
class LedgerMigration:
    """The schema that a ledger had, the one it has, and the copy that was kept of it."""

    before: int
    after: int
    copy: str | None


@dataclass(frozen=True, slots=True)
class LedgerRebuilt:
    """A ledger that was made from the archive. `converted` captures no chapter told of: they were read anew;
    `lost` ones the archive does not hold any more; `flaws` name what could not be read. `copy` is the name of
    the ledger that was there before.
    """

    runs: int
    captures: int
    items: int
    lost: int
    converted: int
    flaws: tuple[str, ...]
    copy: str | None


@dataclass(frozen=True, slots=True)
class StateAdopted:
    """What a mirror's own history brought into its root's: `label` is what the mirror is called there, `kept`
    the folder that holds the history as it was; `lost` captures could not be read any more.
    """

    state: str
    label: str
    runs: int
    captures: int
    items: int
    lost: int
    kept: str


@dataclass(frozen=True, slots=True)
class WarcImport:
    """What came in from others' archives, under a run of its own; `flaws` name what could not be read."""

    run_id: str
    captures: int
    items: int
    flaws: tuple[str, ...]
    was_done: bool = False


@dataclass(frozen=True, slots=True)
class LedgerCopy:
    """Every row of a ledger, in another one: where both are (without a password), and how many rows."""

    source: str
    target: str
    rows: int


@dataclass(frozen=True, slots=True)
class StateBackup:
    """A consistent copy of a state folder: where it lies, its archive files, its bytes."""

    folder: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class SettingsShown:
    """Every setting, its value and where it came from; `file` is the settings file in force."""

    file: str | None
    rows: tuple[Resolved, ...]

    @property
    def by_name(self) -> Mapping[str, Resolved]:
        """The rows by the names of their settings."""
        return {row.setting.name: row for row in self.rows}


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """What a settings file has that reaches out of its folder, and whether the user trusts exactly that."""

    file: str
    is_trusted: bool
    found: tuple[Reaching, ...]


def without_secrets(row: Resolved) -> Resolved:
    """A row that may be shown: a proxy's address may carry a password."""
    return replace(row, value=redact_url(loggable(row.value))) if isinstance(row.value, str) else row
