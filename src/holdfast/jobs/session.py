"""One session with a store: its settings, ledger and archive, and what a job needs beside them.

1. A part is made when it is first named, and what it needs is imported then. All are closed with the
   session, the last one first.
2. What only makes a thing stands here; what decides an order of steps is a job.
3. A session opens no door to the web. `web_door` makes that, and a job that asks is handed both.
4. What only looks leaves nothing behind: where there is no ledger yet, it works with an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from holdfast import __version__
from holdfast.adapters.ports import SILENT, Clock, Event, Observer
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import HoldfastError, LedgerError, NoSpaceError
from holdfast.core.lineage.lineage import Job, RecordRef
from holdfast.core.page.distill_options import DistillOptions, distill_options
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.policy import Policy
from holdfast.core.web.capture import Capture
from holdfast.jobs.load_settings import join_policy
from holdfast.jobs.places import (
    ARCHIVE,
    INDEX,
    LEDGER,
    ORPHANS,
    has_ledger,
    notice,
    server_address,
    state_of,
)
from holdfast.jobs.trust import make_own
from holdfast.storage.archive.shelf import FolderShelf, OrphanFolder, Shelf
from holdfast.storage.state_folder import check_state, lock

if TYPE_CHECKING:
    from types import TracebackType

    from holdfast.core.lineage.shared_jobs import JobLease
    from holdfast.jobs.converting import Refine
    from holdfast.jobs.index_holder import IndexHolder
    from holdfast.storage.archive.archive import WarcArchive
    from holdfast.storage.ledger.archive_table import ArchiveTable
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive, Scribe

T = TypeVar("T")


class _Closes(Protocol):
    def close(self) -> object: ...


C = TypeVar("C", bound=_Closes)


class Session(AbstractContextManager["Session", None]):
    """A store at work. Whoever has a part already, or another one, puts it in the place of the one that would
    be made: `session.observer = observer`.
    """

    def __init__(self, settings: Settings, state: Path) -> None:
        self.settings = settings
        self.state = state
        self.clock: Clock = SystemClock()
        self.observer: Observer = SILENT
        self._held = ExitStack()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, trace)

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger, to be asked; of a session that writes, the writer's."""
        return self.hold(_open_ledger(self.settings, self.state, read_only=True))

    @cached_property
    def archive(self) -> Archive:
        """The archive, to be asked; of a session that writes, the writer's."""
        from holdfast.storage.archive.archive import WarcArchive  # noqa: PLC0415 - who asks the ledger reads no WARC

        return WarcArchive(self.shelf)

    @property
    def store_id(self) -> str:
        """The id of the store, which every file of its archive bears."""
        return self.ledger.archived.store_id()

    @cached_property
    def shelf(self) -> Shelf:
        """Where the archive's files lie."""
        return shelf_of(self.settings, self.state)

    @cached_property
    def policy(self) -> Policy:
        """The policy by which the ledger finds URLs."""
        return join_policy(self.settings, self.ledger.joins.version())

    @cached_property
    def options(self) -> DistillOptions:
        """How pages are read."""
        return distill_options(self.settings)

    @cached_property
    def refine(self) -> Refine:
        """What turns captures into pages, in worker processes."""
        from holdfast.jobs.workers import converters  # noqa: PLC0415 - who only asks needs no event loop

        return self._held.enter_context(converters(self.settings))

    @property
    def ahead(self) -> int:
        """So many captures are under way at once: enough to keep every worker busy, few enough to hold in
        memory. Machines of a cluster are many, and far.
        """
        return 256 if self.settings.store.scheduler else 64

    @cached_property
    def scribe(self) -> Scribe:
        """The one owner of ledger and archive, while an event loop runs."""
        from holdfast.storage.scribe import ThreadScribe  # noqa: PLC0415 - without consent no event loop (TRK-1)

        return self.hold(ThreadScribe(self.ledger, self.archive, self.clock))

    def end_scribe(self) -> None:
        """Wait for what the scribe has under way. Whoever names it again gets another one."""
        if (scribe := vars(self).pop("scribe", None)) is not None:
            scribe.close()

    @cached_property
    def index(self) -> IndexHolder:
        """The search index, up to date whenever it is asked for."""
        from holdfast.jobs.index_holder import IndexHolder  # noqa: PLC0415 - few commands search

        return self.hold(IndexHolder(self))

    def keep_index(self) -> None:
        """Bring the search index up to date, where there is one. What it lacks, the next search adds."""
        if (self.state / INDEX).is_file():
            with suppress(HoldfastError):
                self.index()

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question to ledger and archive, or carry out a step, where nothing else is under way."""
        return question(self.ledger, self.archive)

    def read(self, ref: RecordRef) -> Capture:
        """A capture, from the archive."""
        return self.archive.read(ref)

    def tell(self, name: str, **facts: object) -> None:
        """Tell the observer."""
        self.observer.notice(Event(name, tuple(facts.items())))

    def warn(self, text: str) -> None:
        """Tell the observer of something odd."""
        self.tell("warning", text=text)

    def hold(self, part: C) -> C:
        """Close a part with the session."""
        return self._held.enter_context(closing(part))

    def write(self, purpose: str, of: str | None, lease: JobLease | None) -> JobLease | None:
        """Become the one writer, or hold a lease for what is worked on, which is returned."""
        settings, state = self.settings, self.state
        require_trusted(settings, STORED_IN)
        self._held.enter_context(lock(state, purpose))
        if lease is None and of is not None and is_shared(settings):
            from holdfast.jobs.leases import holding  # noqa: PLC0415 - an extra: a ledger on a server

            lease = self._held.enter_context(holding(settings, of))
        is_new = not has_ledger(settings, state)
        self.ledger = self.hold(_open_ledger(settings, state, lease=lease))
        if is_new:
            make_own(settings, self.store_id)
        _require_own_archive(settings, self.shelf, self.ledger.archived)
        if settings.store.archive is None:
            self.archive = self.hold(_open_folder(settings, state, self.ledger.archived))
        else:
            from holdfast.jobs.bucket_archive import open_in_bucket  # noqa: PLC0415 - an extra

            self.archive = self.hold(open_in_bucket(settings, self.ledger.archived, lease))
        return lease

    def keep_chapters(self, *, of_others: bool, but: Collection[str]) -> None:
        """Tell the archive what the ledger has learned; where there is no room for that, the next writer
        does. A writer that is not the only one tells of its own chapters alone: others may be being written.
        """
        from holdfast.storage.archive.without_ledger import keep_chapters  # noqa: PLC0415 - who asks writes none

        try:
            archive = cast("WarcArchive", self.archive)
            keep_chapters(self.ledger.chapters, archive, self.clock.now(), of_others=of_others, but=but)
        except NoSpaceError as error:
            notice(f"{error.message}; what the ledger learned is told to the archive when there is room")


@contextmanager
def open_store(
    state: Path,
    purpose: str,
    settings: Settings,
    *,
    of: str | None = None,
    lease: JobLease | None = None,
    but: Collection[str] = (),
    workers: bool = False,
) -> Iterator[Session]:
    """A store as its one writer; `purpose` is the command, for whoever finds it locked (STA-1).

    Where several machines may write, whoever works on one thing alone (`of` names it) lets others work on
    other things, under a lease; whoever does not is the only writer. The archive is told of what was written,
    `but` for chapters that somebody else tells it of. `workers` start first: they make ready while this
    process imports its own part.
    """
    with Session(settings, state) as session:
        if workers:
            _ = session.refine
        lease = session.write(purpose, of, lease)
        yield session
        session.keep_chapters(of_others=lease is None, but=but)


@contextmanager
def read_store(settings: Settings, state: Path | None = None, *, workers: bool = False) -> Iterator[Session]:
    """The store that the settings name, or the nearest one upward, to ask and not to write. What is
    wrong with it is said at once.
    """
    with Session(settings, state or state_of(settings)) as session:
        if workers:
            _ = session.refine
        check_state(session.state)
        _ = session.ledger, session.shelf
        yield session


@contextmanager
def store_in_memory(settings: Settings, state: Path) -> Iterator[Session]:
    """A store that holds nothing, and is gone with the process."""
    from holdfast.storage.archive.in_memory import MemoryArchive  # noqa: PLC0415 - that is for plans
    from holdfast.storage.sqlite.sqlite_ledger import open_in_memory  # noqa: PLC0415 - that is for plans

    with Session(settings, state) as session, closing(open_in_memory(session.clock.now())) as ledger:
        session.ledger, session.archive = ledger, MemoryArchive()
        yield session


def is_shared(settings: Settings) -> bool:
    """Whether several machines may write at a time: neither ledger nor archive is a folder of one of them."""
    require_trusted(settings, STORED_IN)
    return settings.store.ledger is not None and settings.store.archive is not None


def shelf_of(settings: Settings, state: Path) -> Shelf:
    """Where the archive's files lie: in the store, or in the bucket that the settings name."""
    require_trusted(settings, STORED_IN)
    if settings.store.archive is None:
        return FolderShelf(state / ARCHIVE)
    from holdfast.jobs.bucket_archive import bucket_of  # noqa: PLC0415 - an extra

    return bucket_of(settings)


def orphan_shelf(settings: Settings, state: Path, known: Mapping[str, int]) -> Shelf:
    """Where the files lie that no ledger knows; `known` are those that this one does."""
    if settings.store.archive is None:
        return OrphanFolder(state / ARCHIVE / ORPHANS)
    from holdfast.jobs.bucket_archive import unknown_objects  # noqa: PLC0415 - an extra

    return unknown_objects(settings, known)


def knows_mirror(settings: Settings, state: Path, label: str) -> bool:
    """Whether a ledger has runs of a mirror."""
    check_state(state)
    try:
        ledger = _open_ledger(settings, state, read_only=True)
    except HoldfastError:
        return False
    try:
        return next(ledger.runs.latest_first(label=label, job=Job.MIRROR), None) is not None
    finally:
        ledger.close()


def _open_ledger(
    settings: Settings, state: Path, *, read_only: bool = False, lease: JobLease | None = None
) -> Ledger:
    """The ledger that the settings name: on a server, or the file in the store. On a server a writer
    holds it alone, unless it has a lease for what it works on.
    """
    require_trusted(settings, STORED_IN)
    now = SystemClock().now()
    if settings.store.ledger is None:
        from holdfast.storage.sqlite.sqlite_ledger import open_ledger  # noqa: PLC0415 - workers start first

        return open_ledger(state / LEDGER, now, read_only=read_only)
    from holdfast.storage.postgres.postgres_ledger import open_postgres  # noqa: PLC0415 - an extra

    alone = not read_only and lease is None
    return open_postgres(server_address(settings), now, read_only=read_only, alone=alone, lease=lease)


def _open_folder(settings: Settings, state: Path, known: ArchiveTable) -> WarcArchive:
    """The archive with a writer, in a folder that nobody else writes to: what the ledger does not know is
    moved aside.
    """
    from holdfast.storage.archive.archive import open_archive  # noqa: PLC0415 - workers start first
    from holdfast.storage.archive.recovery import KnownFiles  # noqa: PLC0415 - workers start first

    archive = open_archive(
        state / ARCHIVE,
        KnownFiles(known.ends(), known.spare_files()),
        software=f"holdfast/{__version__}",
        store_id=known.store_id(),
        limit=settings.store.archive_file_mb * 1_000_000,
    )
    known.spare_files_are_gone()
    _say_aside(state, archive)
    _note_loss(state, archive, known)
    return archive


def _require_own_archive(settings: Settings, shelf: Shelf, known: ArchiveTable) -> None:
    """A ledger that is not beside its archive is written only where its archive is."""
    if settings.store.ledger is None and settings.store.archive is None:
        return
    ends = known.ends()
    if ends and not any(shelf.file(name).exists() for name in ends):
        raise LedgerError(
            f"the archive of this ledger is not in {shelf.name}",
            hint="write from the folder that has it (--store or --archive names it), or name another ledger",
        )


def _say_aside(state: Path, archive: WarcArchive) -> None:
    """What the archive held and the ledger does not know is told to whoever watches, in words."""
    if not archive.aside:
        return
    records = sum(aside.records for aside in archive.aside)
    notice(
        f"{records} record{'s' if records > 1 else ''} of the archive that the ledger does not know: kept in "
        f"{state / ARCHIVE / ORPHANS} as {', '.join(aside.file for aside in archive.aside)}; "
        "they are whole WARC files, and only `holdfast store prune --orphans` deletes them"
    )


def _note_loss(state: Path, archive: WarcArchive, known: ArchiveTable) -> None:
    """What a file that was cut or is missing held is noted as lost, so that it is fetched anew."""
    if archive.lost and (count := known.lose_beyond(archive.lost, SystemClock().now())):
        notice(
            f"{', '.join(sorted(archive.lost))} in {state / ARCHIVE} lost what the ledger has committed: "
            f"{count} capture{'s are' if count > 1 else ' is'} gone; "
            "`holdfast mirror --update --max-age 0s` fetches the pages again, and `holdfast verify --repair` "
            "makes the archive whole"
        )
