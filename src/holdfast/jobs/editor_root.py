"""The editor: a root's documents, what its store knows, and the one question that asks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ConsentError
from holdfast.core.base.values import dataclass
from holdfast.core.links.citation import Citation, CitedPlace
from holdfast.core.settings.reach import is_store_trusted, untrusted_words
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.policy import Policy
from holdfast.jobs.check.asking_run import ask_one
from holdfast.jobs.check.check import local_options, open_tracker, selection_of, track_request
from holdfast.jobs.check.options import rules_of
from holdfast.jobs.editing import EditorAnswers, EditorOptions
from holdfast.jobs.load_settings import load_settings, web_identity
from holdfast.jobs.places import LEDGER, has_ledger, ledger_stamp, named_state
from holdfast.jobs.read_store import open_reader
from holdfast.jobs.session import read_store
from holdfast.storage.state_folder import STATE_NAME, find_root

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.questions.reader import Reader


@dataclass(frozen=True, slots=True)
class EditedRoot:
    """A root whose documents are edited, the settings in force there, and what answers for them."""

    root: Path
    settings: Settings
    answers: EditorAnswers

    @property
    def refusal(self) -> str:
        """What of its settings is not obeyed, in words; empty where all is."""
        return untrusted_words(self.settings.folder) if self.settings.folder.withheld else ""

    def path_of(self, file: Path) -> str:
        """A file's path from the root."""
        return file.resolve().relative_to(self.root).as_posix()


@dataclass(slots=True)
class EditedRoots:
    """Every root whose documents are open; `flags` are the settings of the command line."""

    flags: Mapping[str, object]
    environment: Mapping[str, str]
    _by_root: dict[Path, EditedRoot] = field(default_factory=dict)
    _copies: tempfile.TemporaryDirectory[str] | None = None

    def of(self, file: Path) -> EditedRoot:
        """The root of a document."""
        root = _root_of(file)
        if root not in self._by_root:
            self._by_root[root] = _open(root, self.flags, self.environment)
        return self._by_root[root]

    def all(self) -> tuple[EditedRoot, ...]:
        """Every root there is."""
        return tuple(self._by_root.values())

    def write_copy(self, url: str, markdown: str) -> Path:
        """A copy as a file that is gone when the server is."""
        if self._copies is None:
            self._copies = tempfile.TemporaryDirectory(prefix="holdfast-copies-")
        file = Path(self._copies.name) / f"{sha256(url.encode()).hexdigest()[:16]}.md"
        file.write_text(markdown, encoding="utf-8")
        return file

    def close(self) -> None:
        """Take the copies away."""
        if self._copies is not None:
            self._copies.cleanup()

    async def check(self, at: EditedRoot, citation: Citation, observer: Observer) -> CitedPlace | None:
        """Ask one URL, on the user's word and only with consent (TRK-1); None where a rule forbids it."""
        if not at.settings.check.asking.fetch_external_urls:
            raise ConsentError(
                "nothing was asked: asking a URL needs your consent",
                hint="set fetch_external_urls = true in holdfast.toml, or start `holdfast lsp --fetch-urls`",
            )
        request = track_request(force=True, eager=False)
        with open_tracker([at.root], at.settings, request, observer) as tracker:
            return await ask_one(tracker, citation, at.settings, self.environment)


def _root_of(file: Path) -> Path:
    """The root of a document: as `check` has it, else where the nearest store lies."""
    root = find_root(file).resolve()
    if root != file.resolve().parent:
        return root
    upward = (folder for folder in file.resolve().parents if (folder / STATE_NAME / LEDGER).exists())
    return next(upward, root)


def _open(root: Path, flags: Mapping[str, object], environment: Mapping[str, str]) -> EditedRoot:
    settings = load_settings(root, flags=flags, environment=environment)
    knows = is_store_trusted(settings)
    state = (named_state(settings) if knows else None) or root / STATE_NAME
    folder = DocumentFolder(root, selection=selection_of(settings))
    options = EditorOptions(
        _policy(settings, state, knows=knows), rules_of(settings), local_options(settings, folder)
    )

    @contextmanager
    def reader() -> Iterator[Reader | None]:
        if not knows or not (state / LEDGER).exists():
            yield None
            return
        with open_reader(settings, state) as opened:
            yield opened

    answers = EditorAnswers(folder, reader, lambda: ledger_stamp(state), SystemClock(), options)
    return EditedRoot(root, settings, answers)


def _policy(settings: Settings, state: Path, *, knows: bool) -> Policy:
    """The policy by which the ledger finds URLs, or a new one would, as where it is not to be opened."""
    if not knows or not has_ledger(settings, state):
        return web_identity(settings).policy
    with read_store(settings, state) as session:
        return session.policy
