"""From four sources to one value each, with the source remembered.

The table of all settings is made of the groups; names are unique across it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import ConfigError, nearest
from holdfast.core.base.values import dataclass
from holdfast.core.settings.field import coerce, group_from, group_with, name_of, rows_of
from holdfast.core.settings.groups import DistillSettings, FetchSettings, IdentitySettings, StoreSettings
from holdfast.core.settings.job_settings import CheckSettings, MirrorSettings
from holdfast.core.settings.reach import FolderWord, Reach

if TYPE_CHECKING:
    from holdfast.core.settings.origins import OriginRule
    from holdfast.core.settings.receivers import Target


GROUPS: Final[dict[str, type[Any]]] = {
    "identity": IdentitySettings,
    "fetch": FetchSettings,
    "distill": DistillSettings,
    "mirror": MirrorSettings,
    "check": CheckSettings,
    "store": StoreSettings,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: what the reference page, the parsers and `holdfast config` read."""

    group: str
    name: str
    kind: str
    default: Any
    help: str
    choices: tuple[str, ...]
    least: float | None
    identity: bool
    reach: Reach

    @property
    def of(self) -> str:
        """`mirror` or `check`, where it stands in their tables and each has its own; else nothing."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Its name in a table, and as an argument."""
        return self.name.rpartition(".")[2]

    @property
    def env(self) -> str:
        """Its environment variable."""
        return f"HOLDFAST_{self.name.replace('.', '_').upper()}"

    @property
    def flag(self) -> str:
        """Its flag, where a command takes one."""
        return f"--{self.key.replace('_', '-')}"

    def taken(self, value: Any) -> Any:
        """A value that a mirror remembers, as the setting has it; None where it cannot be: it was altered."""
        value = tuple(value) if isinstance(value, list) else value
        try:
            return value if coerce(value, self.kind, self.choices, self.least) == value else None
        except ValueError:
            return None


@cache
def all_settings() -> dict[str, Setting]:
    """Every setting by name, in the order of the groups."""
    table: dict[str, Setting] = {}
    for group, values in GROUPS.items():
        for field in rows_of(values):
            name = name_of(field)
            if name in table:
                raise AssertionError(f"two settings are called {name}")
            facts = {key: value for key, value in field.metadata.items() if key != "called"}
            table[name] = Setting(group=group, name=name, default=field.default, **facts)
    return table


def setting_named(name: str) -> Setting | None:
    """The setting of that name."""
    return all_settings().get(name)


@cache
def names_by_key() -> dict[str, tuple[str, ...]]:
    """The names that a key can mean: one, or that of mirrors and that of checks."""
    keys: dict[str, tuple[str, ...]] = {}
    for setting in all_settings().values():
        keys[setting.key] = (*keys.get(setting.key, ()), setting.name)
    return keys


class UnknownNameError(ConfigError):
    """A setting or a variable that there is not; whoever has the table of names says what it is called
    now."""

    def __init__(self, kind: str, name: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.name = name


_PREFIX = "HOLDFAST_"
SWITCHES: Final = frozenset({"HOLDFAST_NATIVE", "HOLDFAST_TRUST"})
"""Variables of that beginning that are read elsewhere, before any setting."""


class Origin(StrEnum):
    """Where a value came from."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    JOB = "job"
    FILE = "file"
    REMEMBERED = "remembered"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """One setting's value and its origin; `place` is the flag, variable or key that gave it."""

    setting: Setting
    value: Any
    origin: Origin
    place: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by group; `resolved` keeps where each came from, in table order.

    `origins` is what the file says about single web origins, `notify` whom it wants to be told: names of
    secrets, not the secrets. `folder` is where the file lies, and what of it is not obeyed.
    """

    identity: IdentitySettings
    fetch: FetchSettings
    distill: DistillSettings
    mirror: MirrorSettings
    check: CheckSettings
    store: StoreSettings
    resolved: tuple[Resolved, ...]
    origins: tuple[OriginRule, ...] = ()
    notify: tuple[Target, ...] = ()
    folder: FolderWord = FolderWord()


def resolve(
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    job: Mapping[str, Any] | None = None,
    file: Mapping[str, Any] | None = None,
) -> Settings:
    """Settle every setting. A flag that is None was not given; unknown HOLDFAST_ variables are errors."""
    table = all_settings()
    environment = {k: v for k, v in (environment or {}).items() if k.startswith(_PREFIX)}
    _refuse_unknown_variables(environment, table)
    sources: tuple[tuple[Origin, Mapping[str, Any]], ...] = (
        (Origin.FLAG, {k: v for k, v in (flags or {}).items() if v is not None}),
        (Origin.ENVIRONMENT, {s.name: environment[s.env] for s in table.values() if s.env in environment}),
        (Origin.JOB, job or {}),
        (Origin.FILE, file or {}),
    )
    resolved = tuple(_settle(setting, sources) for setting in table.values())
    groups = {
        group: group_from(values, {r.setting.name: r.value for r in resolved if r.setting.group == group})
        for group, values in GROUPS.items()
    }
    return Settings(**groups, resolved=resolved)


def remembering(settings: Settings, remembered: Mapping[str, Any]) -> Settings:
    """Settings with what is remembered where nobody said anything. A value that a setting cannot have was
    altered, and is passed over.
    """
    rows = {
        row.setting.name: Resolved(row.setting, value, Origin.REMEMBERED, "")
        for row in settings.resolved
        if row.origin is Origin.DEFAULT
        and (value := row.setting.taken(remembered.get(row.setting.name))) is not None
    }
    values = {name: row.value for name, row in rows.items()}
    groups = {name: group_with(getattr(settings, name), values) for name in GROUPS}
    resolved = tuple(rows.get(row.setting.name, row) for row in settings.resolved)
    return replace(settings, **groups, resolved=resolved)


def _settle(setting: Setting, sources: tuple[tuple[Origin, Mapping[str, Any]], ...]) -> Resolved:
    for origin, values in sources:
        if setting.name in values:
            place = {Origin.FLAG: setting.flag, Origin.ENVIRONMENT: setting.env}.get(origin, setting.name)
            try:
                value = coerce(values[setting.name], setting.kind, setting.choices, setting.least)
            except ValueError as error:
                raise ConfigError(f"{place} = {values[setting.name]!r}: {error}") from None
            return Resolved(setting, value, origin, place)
    return Resolved(setting, setting.default, Origin.DEFAULT, "")


def _refuse_unknown_variables(environment: Mapping[str, str], table: Mapping[str, Setting]) -> None:
    known = {setting.env for setting in table.values()}
    for name in environment:
        if name not in known and name not in SWITCHES:
            guess = nearest(name, known)
            raise UnknownNameError(
                "environment",
                name,
                f"there is no setting for the environment variable {name}",
                f"did you mean {guess}?" if guess else "`holdfast config` lists all settings",
            )
