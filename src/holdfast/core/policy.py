"""A policy is a value that carries all its law: its steps in order, each with its data (ID-2, ID-13).

1. What a policy lists is what it does, in that order. Nothing else decides: no module holds a set, a list
   or a limit that two versions share by accident.
2. Every published version stays here for good, and `NAME@N` names one. A change of a list, a step or its
   data is a new version (VER-3); the default moves with a release, and moves nothing that was made before.
3. Host overrides and the two options (allow-list, trailing slash) are the user's own. They make the
   recipe `_local_v<N>`; the component's version does not move for them (VER-1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from holdfast.core.errors import UsageError
from holdfast.core.percent import PCHAR, Encoding
from holdfast.core.recipe import Component, Version
from holdfast.core.steps import (
    AllowQuery,
    CollapseSlashes,
    DropEmptyPairs,
    DropTrackers,
    EncodePath,
    EncodeQuery,
    HostOverride,
    OverrideQuery,
    OverrideRewrite,
    ReadUrl,
    Rule,
    SortQuery,
    Step,
    TrimSlash,
)
from holdfast.core.trackers import PREFIXES_1, PREFIXES_2, TRACKERS_1, TRACKERS_2
from holdfast.core.values import dataclass

__all__ = [
    "DOCS",
    "JOIN",
    "POLICIES",
    "PUBLISHED",
    "SITE",
    "WEB",
    "Overrides",
    "Policy",
    "policy",
    "policy_named",
    "policy_names",
    "policy_of",
]


@dataclass(frozen=True, slots=True)
class Overrides:
    """A whole overrides file: its version, its hosts in order, what was odd about it."""

    version: int = 0
    hosts: tuple[HostOverride, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Steps in order, and a version. What is over `max_bytes` at the end or before a rewrite is refused."""

    name: str
    component: Component
    steps: tuple[Step, ...]
    max_bytes: int = 8_192

    def __post_init__(self) -> None:
        if [isinstance(step, ReadUrl) for step in self.steps] != [True] + [False] * (len(self.steps) - 1):
            raise ValueError(
                "a policy reads the URL first, and once: its first step, and no other, is ReadUrl"
            )

    def __hash__(self) -> int:
        return hash((self.name, self.component, len(self.steps)))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The names of its rules, in order."""
        return tuple(rule for step in self.steps for rule in step.rules)

    @property
    def full_name(self) -> str:
        """`web@1`."""
        return f"{self.name}@{self.component.version}"

    @property
    def overrides(self) -> tuple[HostOverride, ...]:
        """The hosts with ways of their own."""
        return next((s.hosts for s in self.steps if isinstance(s, OverrideQuery | OverrideRewrite)), ())

    @property
    def reads_allow_list(self) -> bool:
        """Whether only some query keys are allowed."""
        return any(isinstance(step, AllowQuery) for step in self.steps)

    @property
    def allow_query(self) -> frozenset[str]:
        """The query keys that are allowed, where only some are."""
        return next((step.keys for step in self.steps if isinstance(step, AllowQuery)), frozenset())

    def with_options(
        self,
        *,
        allow_query: frozenset[str] = frozenset(),
        keep_trailing_slash: bool = False,
        overrides: tuple[HostOverride, ...] = (),
    ) -> Policy:
        """The same policy with the user's own identity settings; keys as `percent.list_key` makes them."""

        def own(step: Step) -> Step:
            match step:
                case AllowQuery():
                    return AllowQuery(allow_query)
                case OverrideQuery():
                    return OverrideQuery(overrides)
                case OverrideRewrite():
                    return OverrideRewrite(overrides)
                case _:
                    return step

        kept = (step for step in self.steps if not (keep_trailing_slash and isinstance(step, TrimSlash)))
        return replace(self, steps=tuple(map(own, kept)))

    def keeps_what(self, other: Policy) -> bool:
        """Whether this policy drops no query key that another one keeps: then its forms tell the other's."""
        own = [step for step in self.steps if isinstance(step, DropTrackers)]
        others = [step for step in other.steps if isinstance(step, DropTrackers)]
        names = frozenset().union(*(step.names for step in others))
        prefixes = tuple(prefix for step in others for prefix in step.prefixes)
        return not self.reads_allow_list and all(
            step.names <= names and set(step.prefixes) <= set(prefixes) for step in own
        )

    def override_for(self, host: str) -> HostOverride | None:
        """The first override of a canonical host."""
        return next((override for override in self.overrides if override.host == host), None)

    def keeps_key(self, key: str, override: HostOverride | None = None) -> bool:
        """Whether a query pair with this decoded, lower-cased key stays."""
        if override and key in override.drop_query_params:
            return False
        kept = override is not None and key in override.keep_query_params
        return all(
            step.keeps(key) or (kept and isinstance(step, DropTrackers))
            for step in self.steps
            if isinstance(step, DropTrackers | AllowQuery)
        )


_PATH_1: Final = EncodePath(Encoding(PCHAR + "/"))
# The apostrophe is encoded in queries, as browsers do.
_QUERY_1: Final = EncodeQuery(Encoding(PCHAR.replace("'", "").replace("+", "") + "/?", plus_is_space=True))
_TRACKERS_1: Final = DropTrackers(TRACKERS_1, PREFIXES_1)
_TRACKERS_2: Final = DropTrackers(frozenset(TRACKERS_2), tuple(PREFIXES_2))
_COMMON_1: Final = (ReadUrl(), CollapseSlashes(), _PATH_1, TrimSlash(), DropEmptyPairs(), _QUERY_1)
_OWN: Final = (OverrideQuery(), OverrideRewrite())

SITE: Final = Policy("site", Component("siteurl", Version(1)), (*_COMMON_1, _TRACKERS_1, *_OWN))
DOCS: Final = Policy("docs", Component("docsurl", Version(1)), (*_COMMON_1, AllowQuery(), *_OWN))
WEB: Final = Policy("web", Component("url", Version(1)), (*_COMMON_1, _TRACKERS_1, SortQuery(), *_OWN))


def _second(first: Policy, trackers: DropTrackers) -> Policy:
    """Version 2: a longer list of trackers, which go in all three policies alike."""
    others = [step for step in first.steps if not isinstance(step, DropTrackers)]
    at = len(_COMMON_1)
    return Policy(
        first.name, Component(first.component.name, Version(2)), (*others[:at], trackers, *others[at:])
    )


PUBLISHED: Final = (SITE, DOCS, WEB, *(_second(one, _TRACKERS_2) for one in (SITE, DOCS, WEB)))
"""Every version there ever was. Rows are added, never changed. Those of version 2 are previews: frozen, but
not what is meant where no version is named."""

POLICIES: Final = {one.name: one for one in (SITE, DOCS, WEB)}
"""The version of each policy that is meant where none is named."""

JOIN: Final = WEB.full_name
"""The version by which a new ledger joins what it knows of a URL (its `db rekey` may choose another), and by
which cited URLs are written and url_bids made, for good (ID-12, TRK-3). A new default of `web` must not part
what is joined."""


def policy(name: str, version: int | str | None = None) -> Policy:
    """A published policy; its default version where none is named.

    Example:
        print(holdfast.policy("web", 1).component)
    """
    if version is None and name in POLICIES:
        return POLICIES[name]
    found = next((one for one in PUBLISHED if one.full_name == f"{name}@{version}"), None)
    if found is None:
        known = ", ".join(policy_names())
        raise UsageError(f"there is no policy {name}{'' if version is None else f'@{version}'}", hint=known)
    return found


def policy_named(text: str) -> Policy:
    """The policy that `web` or `web@1` names."""
    name, _, version = text.partition("@")
    return policy(name, version or None)


def policy_of(component: Component) -> Policy | None:
    """The published policy that a recipe's URL component names."""
    return next((one for one in PUBLISHED if one.component == component), None)


def policy_names() -> Iterator[str]:
    """Everything that names a policy: `site`, `site@1` …"""
    yield from POLICIES
    yield from (one.full_name for one in PUBLISHED)
