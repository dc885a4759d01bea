"""What the commands that change, copy or fill a whole store came to: values, JSON, words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.base.figures import counted, short
from holdfast.core.base.json_shape import BOOLEAN, INTEGER, TEXT, Schema, array, at, optional, record
from holdfast.core.base.values import dataclass


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
    """A consistent copy of a store: where it lies, its archive files, its bytes."""

    folder: str
    files: int
    size: int


STORE_MIGRATE: Final = Schema(
    "store-migrate",
    "What `holdfast store migrate --json` prints.",
    record(before=INTEGER, after=INTEGER, copy=optional(TEXT)),
)

STORE_REKEY: Final = Schema(
    "store-rekey",
    "What `holdfast store rekey --json` prints.",
    record(before=TEXT, after=TEXT, urls=INTEGER, moved=INTEGER, merged=INTEGER, unexplained=INTEGER),
)

STORE_IMPORT: Final = Schema(
    "store-import",
    "What `holdfast store import --json` prints.",
    record(run_id=TEXT, captures=INTEGER, items=INTEGER, flaws=array(TEXT), was_done=BOOLEAN),
)

STORE_JOIN: Final = Schema(
    "store-join",
    "What `holdfast store join --json` prints.",
    record(state=TEXT, label=TEXT, runs=INTEGER, captures=INTEGER, items=INTEGER, lost=INTEGER, kept=TEXT),
)

STORE_BACKUP: Final = Schema(
    "store-backup",
    "What `holdfast store backup --json` prints.",
    record(folder=TEXT, files=INTEGER, bytes=at("size", INTEGER)),
)

STORE_COPY: Final = Schema(
    "store-copy",
    "What `holdfast store copy --json` prints.",
    record(source=TEXT, target=TEXT, rows=INTEGER),
)

STORE_REBUILD: Final = Schema(
    "store-rebuild",
    "What `holdfast store rebuild --json` prints.",
    record(
        runs=INTEGER,
        captures=INTEGER,
        items=INTEGER,
        lost=INTEGER,
        converted=INTEGER,
        flaws=array(TEXT),
        copy=optional(TEXT),
    ),
)


def migrated_line(done: LedgerMigration) -> str:
    """Which schema a ledger had and has."""
    if done.before == done.after:
        return f"the schema is {done.after} already; nothing to do"
    return f"schema {done.before} is now {done.after}; the file as it was is {done.copy}"


def rebuilt_ledger_lines(done: LedgerRebuilt) -> Iterator[str]:
    """What a ledger made of its archive has, and what the archive could not tell."""
    yield from (f"  not read  {flaw}" for flaw in done.flaws)
    runs, captures = counted(done.runs, "run"), counted(done.captures, "capture")
    yield f"a ledger of {runs}, {captures}, {counted(done.items, 'item')}"
    if done.converted:
        yield (
            f"  {counted(done.converted, 'capture')} of which the archive has only the response:"
            " converted again, under a run of their own; the names of their files are not known"
        )
    if done.lost:
        yield f"  {counted(done.lost, 'capture')} that the archive does not hold any more: noted as lost"
    if done.copy:
        yield f"  the ledger that was there is kept as {done.copy}"


def rekeyed_lines(done: LedgerRekeyed) -> Iterator[str]:
    """Which URLs have another join key."""
    version = done.after if done.before == done.after else f"{done.after}, before {done.before}"
    yield f"keys by {version}: {done.moved} of {counted(done.urls, 'URL')} have another one"
    if done.merged:
        yield f"  {counted(done.merged, 'cited URL')} were joined with another"
    if done.unexplained:
        yield (
            f"  {counted(done.unexplained, 'key')} without a record of what they were made from: made from"
            " the URL as stored"
        )


def adopted_lines(done: StateAdopted) -> Iterator[str]:
    """What a mirror's own history brought into that of its root."""
    brought = (counted(done.runs, "run"), counted(done.captures, "capture"), counted(done.items, "item"))
    yield f"{done.label}: {', '.join(brought)} brought into {done.state}"
    if done.lost:
        yield f"  {counted(done.lost, 'capture')} that could not be read any more: noted as lost"
    yield f"  what was its own is kept in {done.kept}"


def imported_lines(done: WarcImport) -> Iterator[str]:
    """What archives of others brought."""
    yield from (f"  skipped  {flaw}" for flaw in done.flaws)
    said = f"{counted(done.captures, 'capture')}, {counted(done.items, 'item')}, run {short(done.run_id)}"
    yield f"these files were taken in before: {said}" if done.was_done else said
