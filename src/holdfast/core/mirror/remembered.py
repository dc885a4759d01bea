"""What a mirror remembers that reaches out of its folder, and what of it is obeyed (SEC-9).

1. A mirror remembers its sources and its options in `_manifest.json`, which may have come with its folder.
   What of them reaches out is judged by what each setting declares, as in a `holdfast.toml`.
2. A store is the user's own when its id and the digest of what it remembers stand in the user's record.
3. What the user said, by a flag, a variable or trusted settings, is obeyed whatever a store remembers; only
   what the store adds to that wants trust.

What there is to trust in a folder is a value: that of its settings file, and that of its stores.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

from holdfast.core.base.errors import ConsentError
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.settings.kept import KEPT, Kept
from holdfast.core.settings.reach import Reach, Reaching
from holdfast.core.settings.resolve import Origin, Settings, all_settings
from holdfast.core.settings.settings_file import JOB_KEYS
from holdfast.core.settings.settings_trust import digest_of

_SOURCE: Final = "source"
_OBEYED: Final = (Kept.OPTION, Kept.SCOPE)
_UNSET: Final = (Origin.REMEMBERED, Origin.DEFAULT)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a mirror remembers that reaches out, in the words of a settings file."""

    rows: tuple[Reaching, ...] = ()

    @property
    def digest(self) -> str:
        """What stands for it in the user's record."""
        return digest_of(self.rows)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the mirror was made from."""
        return tuple(row.value for row in self.rows if row.key == _SOURCE)

    def adds_to(self, settings: Settings) -> tuple[Reaching, ...]:
        """The options that nobody set, and that would be obeyed because the mirror remembers them."""
        unset = {row.setting.name for row in settings.resolved if row.origin in _UNSET}
        return tuple(row for row in self.rows if row.key in unset)


NOTHING_REMEMBERED: Final = Remembered()
"""What a store without a mirror remembers. Where it stands in the user's record, the user made the store."""


def remembered(sources: Sequence[Any], options: Mapping[str, Any]) -> Remembered:
    """What reaches out of the sources and the options of a mirror."""
    named = [text for text in sources if isinstance(text, str)]  # in their order, which is that of a plan
    reach = JOB_KEYS["mirror"][_SOURCE]
    return Remembered((*(Reaching("", _SOURCE, text, reach) for text in named), *_options(options)))


def remembered_by(manifest: Mapping[str, Any]) -> Remembered:
    """What reaches out of what a manifest says; what it cannot say was altered, and is not obeyed."""
    crawl, options = manifest.get("crawl", {}), manifest.get("options")
    sources, scope = crawl.get("sources"), crawl.get("settings")
    return remembered(
        sources if isinstance(sources, list) else (),
        {
            **(options if isinstance(options, dict) else {}),
            **(scope if isinstance(scope, dict) else {}),
        },
    )


def _options(options: Mapping[str, Any]) -> Iterator[Reaching]:
    known = all_settings()
    for name, value in sorted(options.items()):
        setting = known.get(name)
        if setting is None or setting.reach is Reach.NOTHING or KEPT.get(name) not in _OBEYED:
            continue
        taken = setting.taken(value)
        if taken is not None and taken != setting.default:
            yield Reaching("", name, taken, setting.reach)


def said(row: Reaching) -> str:
    """A row as a settings file would have it."""
    return harmless(f"{row.place} = {json.dumps(row.value, ensure_ascii=False, default=str)}")


def refuse_store(store: str, what: str) -> NoReturn:
    """End with the command that allows what a store would have the program do."""
    named = harmless(store)
    raise ConsentError(
        f"{what}, and you have not trusted the store {named}",
        hint=f"`holdfast config trust --store {shlex.quote(named)}` shows and allows what it remembers; "
        "--trust does for one call, trust=True in the library; what you set yourself needs no trust",
    )


@dataclass(frozen=True, slots=True)
class MirrorMemory:
    """What a mirror of a store remembers, by what the ledger calls it."""

    label: str
    memory: Remembered


@dataclass(frozen=True, slots=True)
class StoreTrust:
    """What the mirrors of a store remember, and whether the user trusts exactly that."""

    state: str
    store_id: str
    mirrors: tuple[MirrorMemory, ...]
    is_trusted: bool


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """What a settings file has that reaches out of its folder, the stores there, and whether the user trusts
    exactly that. `file` is empty where there is none.
    """

    file: str
    is_file_trusted: bool
    found: tuple[Reaching, ...]
    stores: tuple[StoreTrust, ...] = ()

    @property
    def is_trusted(self) -> bool:
        """Whether nothing is left to trust."""
        return self.is_file_trusted and all(store.is_trusted for store in self.stores)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that could be trusted."""
        return not self.found and not self.stores
