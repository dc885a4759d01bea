"""Policies as values that carry all their law (ID-2, ID-13), and the recipes that name them (VER-1).

A recipe is `normalization_version`, read, written and compared by one type:

    <collector>(_<component>_v<version>)+[_local_v<version>]

    http_snapshot_url_v1_text_v1          the collector, one URL component, one content component
    http_snapshot_url_v2_text_v1.1        a patch: a fix that moved a vector (VER-3)
    http_snapshot_siteurl_v1_text_v1_local_v3    the user's own identity settings, version 3

1. Two items may be compared if and only if their recipes are equal (VER-4): equality is all there is,
   there is no order and no "compatible".
2. The string and the value are the same thing: `Recipe.parse(str(recipe)) == recipe` always.
3. A part is known by its name, never by its position: `url`, `siteurl`, `docsurl` say how URLs are keyed,
   `text` and `body` what of a page is hashed. A recipe has at most one of each kind.
4. `local` is the user's own identity settings (overrides file, allow-list, slash option). It stands
   last, and only when such settings are in force.

A policy is its steps in order, each with its data:

5. What a policy lists is what it does, in that order. Nothing else decides: no module holds a set, a list
   or a limit that two versions share by accident.
6. Every published version stays here for good, and `NAME@N` names one. A change of a list, a step or its
   data is a new version (VER-3); the default moves with a release, and moves nothing that was made before.
7. Host overrides and the two options (allow-list, trailing slash) are the user's own. They make the
   recipe `_local_v<N>`; the component's version does not move for them (VER-1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Self

from holdfast.core.base.errors import FormatError, UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.url.steps import (
    PCHAR,
    AllowQuery,
    CollapseSlashes,
    DropEmptyPairs,
    DropTrackers,
    EncodePath,
    EncodeQuery,
    Encoding,
    HostOverride,
    OverrideQuery,
    OverrideRewrite,
    ReadUrl,
    Rule,
    SortQuery,
    Step,
    TrimSlash,
)
from holdfast.core.url.trackers import PREFIXES_1, PREFIXES_2, TRACKERS_1, TRACKERS_2

_VERSION = r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))?"
_COMPONENT = re.compile(rf"_([a-z][a-z0-9]*)_v({_VERSION})(?=_|\Z)")
_RECIPE = re.compile(rf"([a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*?)((?:_[a-z][a-z0-9]*_v{_VERSION})+)")
LOCAL = "local"
_URL_PARTS = frozenset(("url", "siteurl", "docsurl"))
_CONTENT_PARTS = frozenset(("text", "body"))


@dataclass(frozen=True, slots=True)
class Version:
    """`v1`, or `v2.1` with a patch."""

    major: int
    patch: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `1` or `2.1` (no leading `v`)."""
        if not re.fullmatch(_VERSION, text):
            raise FormatError(f"{text!r} is not a version: expected a number, or two joined by a dot")
        major, dot, patch = text.partition(".")
        try:
            return cls(int(major), int(patch) if dot else None)
        except ValueError:  # thousands of digits
            raise FormatError(f"{text[:20]}… is not a version: it is too long") from None

    def __str__(self) -> str:
        return f"{self.major}" if self.patch is None else f"{self.major}.{self.patch}"


@dataclass(frozen=True, slots=True)
class Component:
    """One part of the recipe, such as `url_v1`."""

    name: str
    version: Version

    def __str__(self) -> str:
        return f"{self.name}_v{self.version}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what an item looks like, as one comparable value."""

    collector: str
    components: tuple[Component, ...]
    local: Version | None = None

    def __post_init__(self) -> None:
        if not self.components or any(part.name == LOCAL for part in self.components):
            raise FormatError("a recipe has at least one component, and 'local' does not count")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a `normalization_version`."""
        match = _RECIPE.fullmatch(text)
        if match is None:
            raise FormatError(
                f"{text!r} is not a normalization version",
                hint="expected <collector>_<component>_v<version>…, such as http_snapshot_url_v1_text_v1",
            )
        parts = [Component(name, Version.parse(number)) for name, number in _COMPONENT.findall(match[2])]
        local = parts.pop().version if parts[-1].name == LOCAL else None
        return cls(match[1], tuple(parts), local)

    @property
    def url(self) -> Component | None:
        """The part that says how URLs are keyed."""
        return next((part for part in self.components if part.name in _URL_PARTS), None)

    @property
    def content(self) -> Component | None:
        """The part that says what of a page is hashed."""
        return next((part for part in self.components if part.name in _CONTENT_PARTS), None)

    def component(self, name: str) -> Component | None:
        """The component of that name, if the recipe has one."""
        return next((part for part in self.components if part.name == name), None)

    def __str__(self) -> str:
        tail = f"_{LOCAL}_v{self.local}" if self.local is not None else ""
        return "_".join([self.collector, *map(str, self.components)]) + tail


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
"""The version by which a new ledger joins what it knows of a URL (its `store rekey` may choose another), and
by which cited URLs are written and url_bids made, for good (ID-12, TRK-3). A new default of `web` must not
part what is joined."""


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
