"""The table of all settings, made of the groups; names are unique across it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from holdfast.core.settings.distill import DistillSettings
from holdfast.core.settings.fetch import FetchSettings
from holdfast.core.settings.field import rows_of
from holdfast.core.settings.identity import IdentitySettings
from holdfast.core.settings.mirror import MirrorSettings
from holdfast.core.settings.reach import Reach
from holdfast.core.settings.store import StoreSettings
from holdfast.core.settings.track import TrackSettings
from holdfast.core.values import dataclass

__all__ = ["GROUPS", "Setting", "all_settings", "setting_named"]

GROUPS: Final[dict[str, type[Any]]] = {
    "identity": IdentitySettings,
    "fetch": FetchSettings,
    "distill": DistillSettings,
    "mirror": MirrorSettings,
    "track": TrackSettings,
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
    def env(self) -> str:
        """Its environment variable."""
        return f"HOLDFAST_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """Its flag, where a command takes one."""
        return f"--{self.name.replace('_', '-')}"


@cache
def all_settings() -> dict[str, Setting]:
    """Every setting by name, in the order of the groups."""
    table: dict[str, Setting] = {}
    for group, values in GROUPS.items():
        for field in rows_of(values):
            if field.name in table:
                raise AssertionError(f"two settings are called {field.name}")
            table[field.name] = Setting(group=group, name=field.name, default=field.default, **field.metadata)
    return table


def setting_named(name: str) -> Setting | None:
    """The setting of that name."""
    return all_settings().get(name)
