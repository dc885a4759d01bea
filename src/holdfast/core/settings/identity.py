"""From settings to the identity in force: the policy, its recipe, and the digest that guards them.

1. Settings of the user's own are in force when they change the policy: overrides, an allow-list that the
   policy reads, the slash option; or when they decide what is hashed. Then, and only then, the recipe ends
   in `_local_v<N>` (VER-1).
2. The digest covers the policy as it applies, and nothing else (VER-2): the same version string with
   another digest means that somebody changed identity settings without raising `identity_version`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from holdfast.core.base.errors import ConfigError, VersionError
from holdfast.core.base.hashing import SettingsDigest, settings_digest
from holdfast.core.base.values import dataclass
from holdfast.core.settings.groups import IdentitySettings
from holdfast.core.url.policy import (
    LOCAL,
    Component,
    Overrides,
    Policy,
    Recipe,
    Version,
    policy_named,
    policy_of,
)
from holdfast.core.url.steps import DropTrackers, Rule, list_key, never_a_key

COLLECTOR = "http_snapshot"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two URLs one, here and now."""

    policy: Policy
    local: Version | None
    digest: SettingsDigest

    @property
    def component(self) -> str:
        """What keys made under this identity are called: `url_v1`, or `url_v1_local_v3` with own settings."""
        own = "" if self.local is None else f"_{LOCAL}_v{self.local}"
        return f"{self.policy.component}{own}"

    def recipe(self, content: Component) -> Recipe:
        """The `normalization_version` with this content component."""
        return Recipe(COLLECTOR, (self.policy.component, content), self.local)


def identity_in_force(
    default_policy: str,
    settings: IdentitySettings,
    overrides: Overrides,
    content: Mapping[str, Any] = _NOTHING,
) -> Identity:
    """The identity that these settings make; `default_policy` where they choose none.

    `content` holds settings that decide what is hashed, where they are not the default.
    """
    built_in = policy_named(settings.policy or default_policy)
    _require_allowable(settings.allow_query, built_in)
    policy = built_in.with_options(
        allow_query=frozenset(map(list_key, settings.allow_query)),
        keep_trailing_slash=settings.trailing_slash == "keep",
        overrides=overrides.hosts,
    )
    number = overrides.version if settings.identity_version is None else settings.identity_version
    return Identity(
        policy=policy,
        local=None if policy == built_in and not content else Version(number),
        digest=_digest(policy, content),
    )


def _require_allowable(names: Iterable[str], policy: Policy) -> None:
    """Refuse a name on the allow-list that could never match a query key, or that goes all the same."""
    for name in names:
        if why := never_a_key(name):
            raise ConfigError(
                f"allow_query: {name!r} {why}", hint="give each key by itself, as it is written"
            )
        trackers = (step for step in policy.steps if isinstance(step, DropTrackers))
        if policy.reads_allow_list and not all(step.keeps(list_key(name)) for step in trackers):
            raise ConfigError(
                f"allow_query: {name!r} is a tracker, which {policy.full_name} drops all the same",
                hint="keep it for a host with keep_query_params in the overrides file",
            )


def recorded_policy(recipe: Recipe) -> Policy:
    """The published policy by which a run keyed its URLs."""
    found = policy_of(recipe.url) if recipe.url else None
    if found is None:
        raise VersionError(
            f"this version of Holdfast does not know how {recipe} keys URLs",
            hint="a newer version made it; use that one",
        )
    return found


def going_on_with(settings: IdentitySettings, recorded: Recipe | None) -> IdentitySettings:
    """The settings for something that was made before: its own version, unless another one is named.

    A name without a version (`site`) means the recorded version of that policy.
    """
    if recorded is None:
        return settings
    known = recorded_policy(recorded)
    return replace(settings, policy=known.full_name) if settings.policy in (None, known.name) else settings


def require_same_digest(recipe: Recipe, stored: SettingsDigest, present: SettingsDigest) -> None:
    """Refuse to go on under a version string that meant something else before."""
    if stored != present:
        raise VersionError(
            f"{recipe} was made with other identity settings than those in force now",
            hint="raise identity_version (or the overrides file's version), or restore the old settings",
        )


def _digest(policy: Policy, content: Mapping[str, Any]) -> SettingsDigest:
    return settings_digest(
        {
            **({"content": dict(content)} if content else {}),
            **_unpublished(policy),
            "component": str(policy.component),
            "rules": list(policy.rules),
            "allow_query": sorted(policy.allow_query),
            "overrides": [
                {
                    "host": override.host,
                    "drop": sorted(override.drop_query_params),
                    "keep": sorted(override.keep_query_params),
                    "rewrites": [[rule.from_prefix, rule.to_prefix] for rule in override.rewrites],
                }
                for override in policy.overrides
            ],
        }
    )


def _unpublished(policy: Policy) -> dict[str, Any]:
    """All the law of a policy that no published version names; the version says it of the others."""
    known = policy_of(policy.component)
    if known is not None and policy == known.with_options(
        allow_query=policy.allow_query,
        overrides=policy.overrides,
        keep_trailing_slash=Rule.TRIM_SLASH not in policy.rules,
    ):
        return {}
    return {"steps": [repr(step) for step in policy.steps], "max_bytes": policy.max_bytes}
