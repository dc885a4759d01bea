"""What `sync` would bring up to date here, found without asking anybody (STA-11).

1. Of a store: each mirror, by what it remembers, and the documents that were checked in it. Of the settings
   file: each mirror and check that it names. Documents that a named check reads belong to it.
2. What a stranger's store remembers is not asked (SEC-9); a mirror whose folder is gone was ended by that.
   Both are passed over and said, unless they were named, or nothing else is here: then that is an error.
3. A look for stores that met its bound ends in an error: what writes never acts on a part of what is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import ConsentError, HoldfastError, UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.mirror.remembered import refuse_store, remembered_by
from holdfast.core.settings.reach import in_state
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.targets.taken_target import taken_target
from holdfast.core.targets.target import read_target
from holdfast.core.targets.target_refusals import TargetRefusal
from holdfast.jobs.look_here import HeldMirror, OpenedStore, TargetsHere
from holdfast.jobs.mirror_place import MirrorRequest, manifest_in
from holdfast.jobs.places import stores_to_ask
from holdfast.jobs.read_store import reader_of
from holdfast.jobs.session import read_store
from holdfast.jobs.sync.acting import can_be_asked
from holdfast.jobs.trust import is_own
from holdfast.questions.log.runs import last_mirror_run

if TYPE_CHECKING:
    from holdfast.core.settings.resolve import Settings
    from holdfast.jobs.session import Session

_NOTHING_HERE: Final = "no mirror and no check is here"
_NOT_DOCUMENTS: Final = ("", ".", "..")


class SettingsAt(NamedTuple):
    """The settings of a folder, under a named job or none; the settings file in force there. `max_age`: how
    long ago a mirror's last run may have ended for it to be left alone.
    """

    settings: Callable[[Path, str | None], Settings]
    file: Callable[[Path], SettingsFile]
    environment: Mapping[str, str]
    max_age: timedelta | None = None


@dataclass(frozen=True, slots=True)
class SyncMirror:
    """A mirror to bring up to date: its name, as seen from here, and what is asked for."""

    name: str
    request: MirrorRequest


@dataclass(frozen=True, slots=True)
class SyncCheck:
    """Documents to check: their name, where they are, and the settings; `is_named`: somebody named them."""

    name: str
    paths: tuple[Path, ...]
    settings: Settings
    environment: Mapping[str, str]
    is_named: bool = False

    @property
    def asks(self) -> bool:
        """Whether anybody consented that what they cite is asked."""
        return self.settings.check.asking.fetch_external_urls


@dataclass(frozen=True, slots=True)
class PassedOver:
    """What is not brought up to date, and the error that it would be, were it named."""

    name: str
    error: HoldfastError = field(compare=False)

    @property
    def why(self) -> str:
        """The reason, as a person is told."""
        return self.error.message


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """All that a call touches, in its order, what it passes over, and the mirrors that are young enough."""

    mirrors: tuple[SyncMirror, ...] = ()
    checks: tuple[SyncCheck, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    young: tuple[str, ...] = ()


def plan_sync(targets: Sequence[str], settings: Settings, at: SettingsAt) -> SyncPlan:
    """What these targets stand for; all that is kept or named here, where there are none."""
    here, file = Path.cwd(), at.file(Path.cwd())
    named = [text for text in targets if _names_job(text, file)]
    plan = _Planning(here, at, file, is_named=bool(targets))
    with ExitStack() as opened:
        stores = []
        for state in _stores(settings, may_be_none=bool(file.jobs) or bool(targets)):
            try:
                session = opened.enter_context(read_store(at.settings(state.parent, None), state))
            except HoldfastError as error:
                plan.pass_over(_seen(state.parent, here), error)
                continue
            plan.sessions[state.parent.resolve()] = session
            stores.append(OpenedStore(_seen(state.parent, here), state.parent, reader_of(session)))
        seen = TargetsHere(here, stores, file)
        for text in targets:
            if text in named:
                plan.add_job(text, seen)
            else:
                plan.add_target(_target(text, seen), seen)
        if not targets:
            plan.add_all(seen)
    return plan.done()


def without_mirrors(plan: SyncPlan) -> SyncPlan:
    """A plan that asks nobody: a mirror can only be asked for."""
    why = UsageError("nobody is asked (--offline)")
    passed = tuple(PassedOver(mirror.name, why) for mirror in plan.mirrors)
    return replace(plan, mirrors=(), passed_over=(*plan.passed_over, *passed))


def _names_job(text: str, file: SettingsFile) -> bool:
    """Whether a text names a mirror of the settings file, which need not be there yet."""
    return text in file.jobs.get("mirror", {})


def _stores(settings: Settings, *, may_be_none: bool) -> tuple[Path, ...]:
    """The stores around; none is an error unless something else can be named."""
    try:
        found = stores_to_ask(settings)
    except UsageError:
        if may_be_none:
            return ()
        raise UsageError(
            _NOTHING_HERE, hint="`holdfast mirror URL -o docs` keeps a site, `holdfast check` reads documents"
        ) from None
    if found.met_bound:
        raise UsageError(
            "there may be more stores below: the look for them met its bound, and nothing was asked",
            hint="--store names one",
        )
    return found.stores


def _target(text: str, seen: TargetsHere) -> CommandTarget:
    found = taken_target("sync", text, read_target(text, seen.look(text)), seen.folders())
    if isinstance(found, TargetRefusal):
        raise UsageError(found.message, hint=found.hint)
    return found


def _seen(path: Path, here: Path) -> str:
    return Path(os.path.relpath(path, here)).as_posix()


class _Planning:
    """A plan that grows: each mirror and each check is in it once."""

    def __init__(self, here: Path, at: SettingsAt, file: SettingsFile, *, is_named: bool) -> None:
        self._here = here
        self._at = at
        self._file = file
        self._is_named = is_named
        self.sessions: dict[Path, Session] = {}
        self._young: dict[str, None] = {}
        self._mirrors: dict[Path, SyncMirror] = {}
        self._checks: dict[tuple[Path, ...], SyncCheck] = {}
        self._passed: dict[str, PassedOver] = {}

    def done(self) -> SyncPlan:
        """The plan; where nothing can be done, or what was named cannot be, that is an error."""
        passed = tuple(self._passed.values())
        if passed and (self._is_named or not (self._mirrors or self._checks or self._young)):
            raise passed[0].error
        if not (self._mirrors or self._checks or self._young):
            raise UsageError(_NOTHING_HERE, hint="`holdfast mirror URL -o docs` keeps a site")
        mirrors, checks = tuple(self._mirrors.values()), tuple(self._checks.values())
        return SyncPlan(mirrors, checks, passed, tuple(self._young))

    def pass_over(self, name: str, error: HoldfastError) -> None:
        """Leave something out, and say why."""
        self._passed.setdefault(name, PassedOver(name, error))

    def add_all(self, seen: TargetsHere, below: Path | None = None) -> None:
        """All that is kept or named here, or in a folder and below."""
        for held in seen.mirrors.values():
            if below is None or held.folder.is_relative_to(below):
                self._add_held(held)
        for name in self._file.jobs.get("mirror", {}):
            if below is None or self._output(name).is_relative_to(below):
                self.add_job(name, seen)
        for name in self._file.jobs.get("check", {}):
            paths = self._paths(name)
            if below is None or all(path.resolve().is_relative_to(below) for path in paths):
                self._add_check(name, paths, job=f"check.{name}")
        for store in seen.stores:
            self._add_documents(store, below)

    def add_target(self, target: CommandTarget, seen: TargetsHere) -> None:
        """What a target stands for."""
        if target.kind is TargetKind.MIRROR:
            self._add_held(seen.mirrors[target.value])
        elif target.form is DocumentsForm.CHECK:
            self._add_check(target.value, self._paths(target.value), job=f"check.{target.value}")
        elif target.form is DocumentsForm.GLOB:
            found = sorted(path for path in self._here.glob(target.value) if path.is_file())
            self._add_check(target.value, tuple(found))
        elif target.form is DocumentsForm.FOLDER:
            folder = (self._here / target.value).resolve()
            before = len(self._mirrors) + len(self._checks)
            self.add_all(seen, below=folder)
            if len(self._mirrors) + len(self._checks) == before and not self._passed:
                self._add_check(target.value, (folder,))
        else:
            self._add_check(target.value, (self._here / target.value,))

    def add_job(self, name: str, seen: TargetsHere) -> None:
        """A mirror of the settings file, whether it is there yet or not."""
        folder = self._output(name)
        held = next((each for each in seen.mirrors.values() if each.folder == folder), None)
        if held is not None:
            self._add_held(held)
        else:
            self._put(folder, self._request(self._file, name, folder))

    def _add_held(self, held: HeldMirror) -> None:
        """A mirror by what it remembers, or as the settings file of its store names it."""
        folder, name = held.folder, _seen(held.folder, self._here)
        file = self._at.file(held.store.root)
        job = next((n for n in file.jobs.get("mirror", {}) if _output_of(file, n) == folder), None)
        manifest = manifest_in(folder)
        try:
            if not folder.is_dir():
                raise UsageError(
                    f"the folder of the mirror {name} is gone",
                    hint=f"`holdfast restore {name}` writes it again, from what is kept",
                )
            if self._is_young(held):
                self._young[name] = None
                return
            if job is not None:
                self._put(folder, self._request(file, job, folder))
                return
            state = str(self.sessions[held.store.root.resolve()].state)
            settings = in_state(self._at.settings(held.store.root, None), state)
            memory = remembered_by(manifest)
            if not can_be_asked(memory.sources):
                raise UsageError(
                    f"the mirror {name} remembers no source that can be asked",
                    hint=f"`holdfast mirror SOURCE -o {name} --update` names it once more",
                )
            if not is_own(settings, self.sessions[held.store.root.resolve()].store_id, memory):
                refuse_store(held.store.name, f"the mirror {name} remembers where it came from")
            self._put(folder, MirrorRequest(memory.sources, folder, settings, self._at.environment))
        except (UsageError, ConsentError) as error:
            self.pass_over(name, error)

    def _is_young(self, held: HeldMirror) -> bool:
        """Whether the mirror's last run ended so lately that it is left alone."""
        if self._at.max_age is None:
            return False
        session = self.sessions[held.store.root.resolve()]
        last = session.now(lambda ledger, _: last_mirror_run(ledger, held.label))
        ended = last.ended_at if last and last.status is RunStatus.FINISHED else None
        return ended is not None and session.clock.now() - ended < self._at.max_age

    def _put(self, folder: Path, request: MirrorRequest) -> None:
        self._mirrors.setdefault(folder, SyncMirror(_seen(folder, self._here), request))

    def _request(self, file: SettingsFile, name: str, folder: Path) -> MirrorRequest:
        base = Path(file.folder.place)
        given = file.work("mirror", name).get("source", ())
        texts = [given] if isinstance(given, str) else given
        if not texts:
            raise UsageError(
                f"[mirror.{name}] in holdfast.toml has no source", hint='add source = "https://…"'
            )
        sources = tuple(text if "://" in text else str(base / text) for text in texts)
        settings = self._at.settings(base, f"mirror.{name}")
        return MirrorRequest(sources, folder, settings, self._at.environment)

    def _output(self, name: str) -> Path:
        return _output_of(self._file, name)

    def _paths(self, name: str) -> tuple[Path, ...]:
        paths = self._file.work("check", name).get("paths", ["."])
        base = Path(self._file.folder.place)
        return tuple(base / path for path in ([paths] if isinstance(paths, str) else paths))

    def _add_check(self, name: str, paths: tuple[Path, ...], job: str | None = None) -> None:
        resolved = tuple(path.resolve() for path in paths)
        start = resolved[0] if resolved and resolved[0].is_dir() else self._here
        settings = self._at.settings(Path(self._file.folder.place) if job else start, job)
        self._checks.setdefault(
            resolved, SyncCheck(name, resolved, settings, self._at.environment, self._is_named)
        )

    def _add_documents(self, store: OpenedStore, below: Path | None) -> None:
        """The documents that were checked in a store, by the folders at its top, where no named check has
        them.
        """
        root, covered = store.root.resolve(), [path for paths in self._checks for path in paths]
        tops = dict.fromkeys(path.partition("/")[0] for path in store.reader.documents())
        found = [root / top for top in tops if top not in _NOT_DOCUMENTS and (root / top).exists()]
        left = tuple(
            path
            for path in found
            if not any(path.is_relative_to(each) or each.is_relative_to(path) for each in covered)
            and (below is None or path.is_relative_to(below) or below.is_relative_to(path))
        )
        if left:
            name = _seen(root, self._here)
            self._checks.setdefault(
                left, SyncCheck(name, left, self._at.settings(root, None), self._at.environment)
            )


def _output_of(file: SettingsFile, name: str) -> Path:
    """The folder of a mirror that a settings file names."""
    table = file.jobs["mirror"][name]
    return Path(file.folder.place, str(table.get("output", name))).resolve()
