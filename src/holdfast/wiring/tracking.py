"""Wiring of tracking: documents, their citations. Nothing here can open a socket (TRK-1): what asks
is in `asking`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from holdfast import wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.command import revision_time, run_command
from holdfast.adapters.document_folder import DocumentFolder, Selection, name_under
from holdfast.adapters.git import touched_lines
from holdfast.adapters.keeper import StoreKeeper
from holdfast.adapters.state_folder import STATE_NAME, find_root, states_below
from holdfast.core.crawl.making import standard_of
from holdfast.core.errors import UsageError
from holdfast.core.local_links import LocalOptions
from holdfast.core.recipe import Component, Version
from holdfast.core.settings import Settings
from holdfast.core.touched import TouchedLines
from holdfast.formats.document_kinds import DocumentFormat, DocumentKinds, format_of
from holdfast.formats.importers import read_lycheecache
from holdfast.jobs.track import Tracker
from holdfast.ports import GivenDocument, Observer
from holdfast.questions.track.options import TrackRequest, track_options
from holdfast.wiring.notices import notice
from holdfast.wiring.settings import baseline_path, join_policy, read_text, setting_path, web_identity
from holdfast.wiring.states import has_ledger, named_state
from holdfast.wiring.store import open_store

__all__ = [
    "local_options",
    "open_keeper",
    "open_tracker",
    "revision_time",
    "run_command",
    "selection_of",
    "state_of_documents",
    "touched_since",
    "track_request",
]


@contextmanager
def open_tracker(
    paths: Sequence[Path],
    settings: Settings,
    request: TrackRequest,
    observer: Observer,
    *,
    plans: bool = False,
) -> Iterator[Tracker]:
    """Tracking of the documents in these files and folders, whose root they share (STA-1). What only `plans`
    makes no state folder where there is none.
    """
    root = find_root(paths[0] if paths else Path())
    given = [replace(each, path=name_under(root, Path(each.path))) for each in request.given]
    folder = DocumentFolder(
        root,
        filter(None, [baseline_path(settings)]),
        force_exclude=request.force_exclude,
        selection=selection_of(settings),
        given=given,
    )
    passing = tuple(each.path for each in given)
    scope = (*(folder.relative(path) for path in paths), *passing)
    options = track_options(settings, request, scope, str(root))
    reading = replace(options.reading, local=local_options(settings, folder), passing=passing)
    options = replace(options, reading=reading)
    state = state_of_documents(paths, settings)
    if not has_ledger(settings, state) and named_state(settings) is None:
        _tell_of_mirrors_below(root)
    with open_keeper(state, "track", settings, looks_only=plans) as keeper:
        join = join_policy(settings, keeper.now(lambda ledger, _: ledger.joins.version()))
        tracked = Component(settings.track.tracked_content, Version(1))
        standard = standard_of(web_identity(settings), join, None, tracked)
        yield Tracker(folder, keeper, SystemClock(), standard, observer, options)


@contextmanager
def open_keeper(
    state: Path, purpose: str, settings: Settings, *, looks_only: bool = False
) -> Iterator[StoreKeeper]:
    """Who owns ledger and archive of documents; what only looks gets empty ones where there are none."""
    if looks_only and not has_ledger(settings, state):
        yield wiring.in_memory.empty_keeper()
        return
    with open_store(state, purpose, settings, of="track") as store:
        yield store.keeper


def _tell_of_mirrors_below(root: Path) -> None:
    """At the first run: mirrors that were there before keep their own history, until somebody joins them."""
    here = Path.cwd()
    for state in states_below(root):
        mirror = state.parent.relative_to(here) if state.is_relative_to(here) else state.parent
        notice(
            f"{mirror} has a history of its own, so links do not name its files; "
            f"`holdfast db adopt {mirror}` joins it to that of {root.name}"
        )


def selection_of(settings: Settings) -> Selection:
    """Which files are documents."""
    track = settings.track
    return Selection(
        DocumentKinds(track.documents.read_as), track.documents.hidden_files, track.documents.ignore_files
    )


def state_of_documents(paths: Sequence[Path], settings: Settings) -> Path:
    """The state folder that knows these files and folders: that of their root, unless one is named."""
    return named_state(settings) or find_root(paths[0] if paths else Path()) / STATE_NAME


def local_options(settings: Settings, folder: DocumentFolder) -> LocalOptions | None:
    """How local links are read; the folder that `/` means is named from the root."""
    if not settings.track.documents.local_links:
        return None
    top = setting_path(settings, "root_dir")
    if top and not top.is_dir():
        raise UsageError(
            f"root_dir: there is no folder {top}", hint="name the folder that `/` means in a link"
        )
    documents = settings.track.documents
    return LocalOptions(
        folder.relative(top) if top else None, documents.wiki_links, strict=documents.strict_local
    )


def touched_since(paths: Sequence[Path], revision: str) -> dict[str, list[range]]:
    """The lines of the tracked documents that a change touched, by path from their root."""
    return touched_lines(find_root(paths[0]), revision)


def track_request(
    *,
    force: bool,
    eager: bool,
    touched: TouchedLines | None = None,
    force_exclude: bool = False,
    lychee_cache: Path | None = None,
    given: Sequence[tuple[str, bytes]] = (),
    pages: Sequence[str] = (),
) -> TrackRequest:
    """What is wished of one run of tracking; `given` are documents that are not read from files, by the name
    that says what they are read as, `pages` those that are read from the web.
    """
    told = read_lycheecache(read_text(lychee_cache, "cache"), str(lychee_cache)) if lychee_cache else ()
    documents = (
        GivenDocument(name, format_of(name) or DocumentFormat.TEXT, content) for name, content in given
    )
    return TrackRequest(force, eager, touched, force_exclude, told, tuple(documents), tuple(pages))
