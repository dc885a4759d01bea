"""What is here, as far as a target's text asks for it: on disk, in the stores, in `holdfast.toml` (CLI-2).

1. A whole URL asks for nothing. Of other texts `wanted` says what to look up, and no more is looked at.
2. A mirror is called by its folder, as seen from here; one that `[mirror.NAME]` names has that name too.
   Where two stores have a mirror of one name, both are called by their folders.
3. A file or folder in a mirror stands for its page or pages, also where it is gone from disk.
4. `TargetsHere.in_store` says what a target is in one store: a mirror is its label there, a document its path
   from the root, a check its paths, a line each. A folder with the store in it is all of the store. A store
   that a target does not concern is not asked; a file in a mirror concerns the store that knows the mirror.
5. Whoever asks a server learns of no file outside of what is served.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from holdfast.core.documents.document_kinds import SUFFIXES, DocumentKinds
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.targets.command_target import (
    CommandTarget,
    DocumentsForm,
    Here,
    PathFact,
    PathKind,
    TargetKind,
    TargetLookups,
)
from holdfast.core.targets.target import wanted
from holdfast.jobs.mirror_place import find_file
from holdfast.questions.reader import Reader
from holdfast.questions.rows.resolve_target import (
    first_page_below,
    ids_beginning,
    keeps_host,
    keeps_url,
    mirrors_held,
    page_at,
)
from holdfast.storage.state_folder import KEPT_NAME, STATE_NAME, has_history

_IMAGES: Final = ("png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "avif")
_NOT_NAMES: Final = frozenset({*SUFFIXES, *_IMAGES})
_CHECKS: Final = "check"


class OpenedStore(NamedTuple):
    """A store that is open: what it is called from here, the folder that has it, and who answers for it."""

    name: str
    root: Path
    reader: Reader


class HeldMirror(NamedTuple):
    """A mirror, and the store that knows it."""

    folder: Path
    label: str
    store: OpenedStore


class TargetsHere:
    """The mirrors of these stores and the checks of a settings file, as seen from a folder."""

    def __init__(
        self, folder: Path, stores: Sequence[OpenedStore], file: SettingsFile, *, is_served: bool = False
    ) -> None:
        self._folder = folder.resolve()
        self._is_served = is_served
        self._stores = stores
        self._file = file
        self._kinds = DocumentKinds(file.settings.get("read_as", ()))
        self._mirrors: dict[str, HeldMirror] | None = None

    @property
    def stores(self) -> Sequence[OpenedStore]:
        """The stores that are read."""
        return self._stores

    @property
    def mirrors(self) -> Mapping[str, HeldMirror]:
        """The mirrors by name; the names of one mirror differ, its folder does not."""
        if self._mirrors is None:
            held = list(self._held())
            found = {self._seen(each.folder): each for each in held}
            tables = self._file.jobs.get("mirror", {})
            for name, table in tables.items():
                folder = Path(self._file.folder.place, str(table.get("output", name))).resolve()
                fits = [each for each in held if each.folder == folder]
                found |= {name: fits[0]} if len(fits) == 1 and name not in found else {}
            self._mirrors = found
        return self._mirrors

    def look(self, text: str | None) -> Here:
        """What is here, as far as a text asks for it."""
        lookups = wanted(text)
        if lookups == TargetLookups():
            return Here()
        readers = [store.reader for store in self._stores]
        ids = [reader.ask(ids_beginning, digits=lookups.ids) for reader in readers if lookups.ids]
        return Here(
            paths={path: self._fact(path) for path in lookups.paths},
            globs=frozenset(each for each in lookups.globs if self._fits_documents(each)),
            mirrors={name: self._seen(each.folder) for name, each in self.mirrors.items()},
            checks=self._checks(),
            hosts=frozenset(
                h for h in lookups.hosts if any(each.ask(keeps_host, host=h) for each in readers)
            ),
            urls=frozenset(u for u in lookups.urls if any(each.ask(keeps_url, url=u) for each in readers)),
            runs=tuple(dict.fromkeys(run for runs, _ in ids for run in runs)),
            items=tuple(dict.fromkeys(item for _, items in ids for item in items)),
            suffixes=_NOT_NAMES,
        )

    def folders(self) -> dict[str, str]:
        """The folder of each mirror, for the calls of refusals."""
        return {name: self._seen(each.folder) for name, each in self.mirrors.items()}

    def in_store(self, target: CommandTarget, fact: PathFact, store: OpenedStore) -> CommandTarget | None:
        """What a target is in one store; None where it does not concern it. `fact`: what stands there."""
        if fact.mirror and self.mirrors[fact.mirror].store is not store:
            return None
        if target.kind is TargetKind.MIRROR:
            held = self.mirrors[target.value]
            return replace(target, value=held.label) if held.store is store else None
        if target.kind is TargetKind.DOCUMENTS and target.form is not DocumentsForm.STDIN:
            named = self._checks()[target.value] if target.form is DocumentsForm.CHECK else (target.value,)
            inside = [path for each in named if (path := self._from_root(each, store.root.resolve()))]
            return replace(target, value="\n".join(inside)) if inside else None
        return target

    def _from_root(self, path: str, root: Path) -> str | None:
        """A path or glob as the store's root sees it; what the store lies in is all of it."""
        place = Path(os.path.normpath(self._folder / path))
        if place.is_relative_to(root):
            return place.relative_to(root).as_posix()
        place = place.resolve()
        if place.is_relative_to(root):
            return place.relative_to(root).as_posix()
        return "." if root.is_relative_to(place) else None

    def _held(self) -> Iterator[HeldMirror]:
        for store in self._stores:
            root = store.root.resolve()
            for label in store.reader.ask(mirrors_held):
                yield HeldMirror((root / label).resolve(), label, store)

    def _checks(self) -> dict[str, tuple[str, ...]]:
        place = Path(self._file.folder.place)
        return {
            name: tuple(self._seen((place / path).resolve()) for path in table.get("paths", ()))
            for name, table in self._file.jobs.get(_CHECKS, {}).items()
        }

    def _seen(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._folder)).as_posix()

    def _fact(self, text: str) -> PathFact:
        path = self._folder / Path(text).expanduser()
        try:
            if path.is_symlink() and not path.exists():
                return PathFact(text, PathKind.DANGLING)
            path = path.resolve()
            roots = [store.root.resolve() for store in self._stores]
            if self._is_served and not any(path.is_relative_to(root) for root in roots):
                return PathFact(text)
            return self._of_mirror(path) or self._of_disk(path)
        except (OSError, ValueError, RuntimeError):  # a name that no file can have leads nowhere
            return PathFact(text)

    def _of_disk(self, path: Path) -> PathFact:
        store = next((each for each in (path, *path.parents) if each.name in (STATE_NAME, KEPT_NAME)), None)
        if store is not None:
            owner = next((name for name, each in self.mirrors.items() if each.folder == store.parent), "")
            return PathFact(self._seen(store), PathKind.STORE, owner)
        seen = self._seen(path)
        if path.is_dir():
            return PathFact(seen, PathKind.BACKUP if has_history(path) else PathKind.FOLDER)
        if not path.exists():
            return PathFact(seen)
        return PathFact(seen, PathKind.DOCUMENT if self._kinds.of(seen) else PathKind.FILE)

    def _of_mirror(self, path: Path) -> PathFact | None:
        """What stands in a mirror's folder; the store in it is no part."""
        fits = [(name, each) for name, each in self.mirrors.items() if path.is_relative_to(each.folder)]
        if not fits:
            return None
        name, held = max(fits, key=lambda pair: len(pair[1].folder.parts))
        inside = path.relative_to(held.folder)
        if path == held.folder:
            return PathFact(self._seen(path), PathKind.MIRROR, name)
        if inside.parts[0] == STATE_NAME:
            return None
        stands_for = self._page(held, inside.as_posix()) or self._pages(held, inside)
        if stands_for is None and not path.exists():
            return None
        return PathFact(self._seen(path), PathKind.PART, name, stands_for)

    def _page(self, held: HeldMirror, path: str) -> CommandTarget | None:
        url = held.store.reader.ask(page_at, label=held.label, path=path)
        url = url or find_file(held.folder / path).manifest_urls.get(path)
        return CommandTarget(TargetKind.PAGE, url) if url else None

    def _pages(self, held: HeldMirror, folder: Path) -> CommandTarget | None:
        """The host or the pattern that a folder of a mirror stands for, by the first page in it."""
        first = held.store.reader.ask(first_page_below, label=held.label, folder=folder.as_posix())
        if first is None:
            return None
        url = urlsplit(first)
        host_in_path = folder.parts[0].replace("+", ":") == url.netloc
        steps = folder.parts[1:] if host_in_path else folder.parts
        if not steps:
            return CommandTarget(TargetKind.HOST, url.netloc)
        asked = "/".join(url.path.split("/")[1 : len(steps) + 1])
        return CommandTarget(TargetKind.PATTERN, f"{url.scheme}://{url.netloc}/{asked}/*")

    def _fits_documents(self, pattern: str) -> bool:
        found = glob.iglob(pattern, root_dir=self._folder, recursive=True)  # noqa: PTH207 - absolute ones, too
        return any(self._kinds.of(Path(path).as_posix()) for path in found)
