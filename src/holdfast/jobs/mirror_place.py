"""A mirror by its folder: its state, its label, what is asked of it; and the URL of one of its files.

1. A mirror's state is the folder that the settings name, the one that knows the mirror, or a new one. Most
   mirrors have one of their own, which need not be opened to know that.
2. The URL of a mirrored file is in its name, else in the sidecar beside it, else in the manifest above it
   (PATH-8). Looking for it is read-only, and forgiving: a file that is missing, torn or of another kind
   tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.adapters.folder.folder import Folder
from holdfast.adapters.system import read_text
from holdfast.core.base.errors import ConfigError, MirrorError, UsageError
from holdfast.core.base.plain_data import read_json
from holdfast.core.base.values import dataclass
from holdfast.core.mirror.manifest import MANIFEST
from holdfast.core.mirror.manifest_gist import head_of_manifest
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import url_in_name
from holdfast.jobs.places import has_ledger, named_state, notice
from holdfast.jobs.session import knows_mirror
from holdfast.storage.state_folder import STATE_NAME, has_history, mirror_state, require_utf8, root_state

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror


@dataclass(frozen=True, slots=True)
class MirrorPlace:
    """Where a mirror lies, where its state is, and what the ledger calls it."""

    folder: Path
    state: Path
    label: str


def mirror_state_of(output: Path, settings: Settings) -> Path:
    """The store of a mirror: the one the settings name, the one that knows it, or a new one. Where a
    root knows a mirror that has a history of its own, both are named.
    """
    require_utf8(output, "a mirror")
    if (named := named_state(settings)) is not None:
        return named
    state, root = mirror_state(output, partial(knows_mirror, settings)), root_state(output)
    if (
        root is not None
        and has_history(root)
        and state == output.resolve() / STATE_NAME
        and has_history(state)
    ):
        label = output.resolve().relative_to(root.parent).as_posix()
        if knows_mirror(settings, root, label):
            notice(
                f"{output} has two histories: its own, which goes on, and one in {root}; "
                f"`holdfast store join {output}` joins them"
            )
    return state


def place_of(folder: Path, settings: Settings) -> MirrorPlace:
    """A mirror by its folder. A folder without a state of its own or above is not a mirror."""
    state = mirror_state_of(folder, settings)
    if not has_ledger(settings, state):
        raise MirrorError(
            f"{folder} is not a mirror: there is no ledger in {state}",
            hint="`holdfast mirror SOURCE -o DIR` makes one; --store names a store elsewhere",
        )
    return MirrorPlace(folder, state, mirror_label(settings, state, folder))


def mirror_label(settings: Settings, state: Path, output: Path) -> str:
    """What the ledger calls a mirror: its folder's path from the folder that has the state. On a server that
    must be a name: every lone mirror would be called the same.
    """
    output, root = output.resolve(), state.resolve().parent
    inside = output.is_relative_to(root)
    label = output.relative_to(root).as_posix() if inside else output.as_posix()
    if settings.store.ledger is not None and (label == "." or not inside):
        raise UsageError(
            f"a ledger on a server needs a name for the mirror in {output}",
            hint="make a project, a folder with a holdfast.toml: the mirror is called by its path from there",
        )
    return label


@dataclass(frozen=True, slots=True)
class MirrorRequest:
    """A mirror that somebody asked for: sources as they were given, where it shall lie, and to whom, beside
    the targets of the settings, what happens is owed.
    """

    sources: tuple[str, ...]
    output: Path
    settings: Settings
    environment: Mapping[str, str]
    label: str | None = None
    owed_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildRequest:
    """What to rebuild: `to` another folder, `at` a date or a run, in another `layout`; `given` flags; `move`:
    to the recipe that the settings make.
    """

    place: MirrorPlace
    to: Path | None
    at: str | None
    layout: str | None
    given: Mapping[str, str]
    move: bool = False


def url_of_file(file: Path, layout: Layout) -> str | None:
    """The URL of a mirrored file: from its name, else from the sidecar, else from the manifest (PATH-8)."""
    found = find_file(file)
    named = Layout(found.layout) if found.layout in set(Layout) else layout
    in_name = url_in_name(found.path, named, found.scheme or "https")
    return in_name or found.sidecar_url or found.manifest_urls.get(found.path)


def manifest_of(there: Mirror) -> Mapping[str, Any]:
    """What a mirror says of itself, without its long parts; nothing where it is new, or that is corrupt."""
    found = head_of_manifest(lambda: there.pieces(MANIFEST)) if there.has(MANIFEST) else {}
    return {} if isinstance(found, str) else found


def manifest_in(folder: Path) -> Mapping[str, Any]:
    """What the mirror in a folder says of itself; nothing where there is none."""
    if not folder.is_dir():
        return {}
    with closing(Folder(folder, to_read=True)) as there:
        return manifest_of(there)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file's path within its mirror, and what is written about it."""

    path: str
    layout: str | None = None
    scheme: str | None = None
    sidecar_url: str | None = None
    manifest_urls: dict[str, str] = field(default_factory=dict)


def find_file(file: Path) -> FoundFile:
    """Look a file up in the mirror it is in; a bare relative path is taken as one within a mirror."""
    sidecar = _read(file.with_suffix(".json"))
    url = sidecar.get("canonical_url")
    root = next((folder for folder in file.absolute().parents if (folder / MANIFEST).is_file()), None)
    if root is None:
        return FoundFile(file.as_posix().removeprefix("./"), sidecar_url=url)
    manifest = _read(root / MANIFEST)
    layout = manifest.get("layout", {})
    pages = {page.get("path"): page.get("url") for page in manifest.get("pages", [])}
    path = file.absolute().relative_to(root).as_posix()
    return FoundFile(path, layout.get("name"), layout.get("scheme"), url, pages)


def _read(file: Path) -> dict[str, Any]:
    try:
        value = read_json(read_text(file, "sidecar"))
    except (ConfigError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
