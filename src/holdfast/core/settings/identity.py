"""Settings that decide what a URL's identity is. All but the policy's choice are the user's own (VER-1)."""

from __future__ import annotations

from holdfast.core.policy import policy_names
from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.values import dataclass

__all__ = ["IdentitySettings"]


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """What makes two URLs one."""

    policy: str | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="URL policy, with a version or without (`web`, `web@1`); each command has its own default "
        "(`site` for mirror and path, `web` for the rest).",
        kind="choice",
        choices=tuple(policy_names()),
    )
    overrides: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="Overrides file: per-host query keys and prefix rewrites, as JSON.",
        kind="path",
    )
    allow_query: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Query keys that the `docs` policy keeps.",
        kind="list",
        identity=True,
    )
    trailing_slash: str = setting(
        reach=Reach.NOTHING,
        default="remove",
        help="Whether `/a/` and `/a` are one place (`remove`) or two (`keep`).",
        choices=("remove", "keep"),
        identity=True,
    )
    identity_version: int | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="Version of your own identity settings; by default the overrides file's `version`. "
        "Raise it whenever you change one of them.",
        kind="int",
        least=0,
    )
