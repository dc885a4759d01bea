"""A policy is a named, versioned, ordered list of named rules (ID-2). The law, as a table.

1. The order in `rules` is the order in which they apply. What a policy does is what it lists.
2. A rule's name is public: `--explain` prints it, JSON carries it, golden vectors pin it.
3. Changing a list, a rule or the tracker table changes identity: the component's version moves (VER-3).
4. Host overrides and the two options (allow-list, trailing slash) are the user's own. They make the
   recipe `_local_v<N>`; the component's version does not move for them (VER-1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from holdfast.core.recipe import Component, Version

__all__ = [
    "DOCS",
    "MAX_CANONICAL_BYTES",
    "POLICIES",
    "SITE",
    "TRACKERS",
    "TRACKER_PREFIXES",
    "WEB",
    "HostOverride",
    "Overrides",
    "Policy",
    "Rewrite",
    "Rule",
]

MAX_CANONICAL_BYTES: Final = 8_192

TRACKERS: Final = frozenset(
    ("gclid", "fbclid", "mc_cid", "mc_eid", "ref", "ref_src", "cmpid", "icid", "ocid"),
)
TRACKER_PREFIXES: Final = ("utm_",)


class Rule(StrEnum):
    """Every rule there is; the value is its public name, `RULE_SENTENCES` says what it does."""

    CLEAN = "clean"
    DROP_USERINFO = "drop_userinfo"
    DROP_FRAGMENT = "drop_fragment"
    LOWER_CASE = "lower_case"
    HOST_FORM = "host_form"
    DROP_HOST_DOT = "drop_host_dot"
    DROP_DEFAULT_PORT = "drop_default_port"
    RESOLVE_DOTS = "resolve_dots"
    COLLAPSE_SLASHES = "collapse_slashes"
    ENCODE_PATH = "encode_path"
    TRIM_SLASH = "trim_slash"
    DROP_EMPTY_PAIRS = "drop_empty_pairs"
    ENCODE_QUERY = "encode_query"
    DROP_TRACKERS = "drop_trackers"
    ALLOW_QUERY = "allow_query"
    SORT_QUERY = "sort_query"
    OVERRIDE_QUERY = "override_query"
    OVERRIDE_REWRITE = "override_rewrite"


RULE_SENTENCES: Final = {
    Rule.CLEAN: "Outer white space, tabs and newlines go; backslashes become slashes (WHATWG).",
    Rule.DROP_USERINFO: "User and password are dropped, and never logged.",
    Rule.DROP_FRAGMENT: "The fragment is dropped.",
    Rule.LOWER_CASE: "Scheme and host are lower-cased.",
    Rule.HOST_FORM: "The host takes its one form: IDNA (UTS 46), dotted IPv4, compressed IPv6.",
    Rule.DROP_HOST_DOT: "One trailing dot of the host is dropped.",
    Rule.DROP_DEFAULT_PORT: "`:80` of http, `:443` of https and an empty port are dropped.",
    Rule.RESOLVE_DOTS: "Dot segments are resolved, `%2e` included.",
    Rule.COLLAPSE_SLASHES: "Duplicate slashes are collapsed, after dot segments.",
    Rule.ENCODE_PATH: "Percent-encoding of the path takes its one form.",
    Rule.TRIM_SLASH: "The trailing slash is removed, except at the root.",
    Rule.DROP_EMPTY_PAIRS: "Empty pairs of the query go; an empty query loses its `?`.",
    Rule.ENCODE_QUERY: "Percent-encoding of the query takes its one form; `+` is written `%20`.",
    Rule.DROP_TRACKERS: "Tracking parameters are dropped.",
    Rule.ALLOW_QUERY: "Query parameters are dropped unless their key is on the allow-list.",
    Rule.SORT_QUERY: "Query pairs are sorted by key, then value, on canonical bytes.",
    Rule.OVERRIDE_QUERY: "The host's own drop and keep lists apply.",
    Rule.OVERRIDE_REWRITE: "The host's first matching prefix rewrite applies; the result starts over.",
}

_COMMON: Final = (
    Rule.CLEAN,
    Rule.DROP_USERINFO,
    Rule.DROP_FRAGMENT,
    Rule.LOWER_CASE,
    Rule.HOST_FORM,
    Rule.DROP_HOST_DOT,
    Rule.DROP_DEFAULT_PORT,
    Rule.RESOLVE_DOTS,
    Rule.COLLAPSE_SLASHES,
    Rule.ENCODE_PATH,
    Rule.TRIM_SLASH,
    Rule.DROP_EMPTY_PAIRS,
    Rule.ENCODE_QUERY,
)
_OVERRIDES: Final = (Rule.OVERRIDE_QUERY, Rule.OVERRIDE_REWRITE)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A prefix rewrite on segment boundaries; both sides are canonical and without a final slash."""

    from_prefix: str
    to_prefix: str


@dataclass(frozen=True, slots=True)
class HostOverride:
    """What the user knows about one host."""

    host: str
    drop_query_params: frozenset[str] = frozenset()
    keep_query_params: frozenset[str] = frozenset()
    rewrites: tuple[Rewrite, ...] = ()


@dataclass(frozen=True, slots=True)
class Overrides:
    """A whole overrides file: its version, its hosts in order, what was odd about it."""

    version: int = 0
    hosts: tuple[HostOverride, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """An ordered list of rules with a version, and the user's own additions."""

    name: str
    component: Component
    rules: tuple[Rule, ...]
    allow_query: frozenset[str] = frozenset()
    overrides: tuple[HostOverride, ...] = ()

    def with_options(
        self,
        *,
        allow_query: frozenset[str] = frozenset(),
        keep_trailing_slash: bool = False,
        overrides: tuple[HostOverride, ...] = (),
    ) -> Policy:
        """The same policy with the user's own identity settings; keys as `percent.list_key` makes them."""
        rules = tuple(rule for rule in self.rules if not (keep_trailing_slash and rule is Rule.TRIM_SLASH))
        allowed = allow_query if Rule.ALLOW_QUERY in rules else frozenset[str]()
        return replace(self, rules=rules, allow_query=allowed, overrides=overrides)

    def override_for(self, host: str) -> HostOverride | None:
        """The first override of a canonical host."""
        return next((override for override in self.overrides if override.host == host), None)


SITE: Final = Policy("site", Component("siteurl", Version(1)), (*_COMMON, Rule.DROP_TRACKERS, *_OVERRIDES))
DOCS: Final = Policy("docs", Component("docsurl", Version(1)), (*_COMMON, Rule.ALLOW_QUERY, *_OVERRIDES))
WEB: Final = Policy(
    "web", Component("url", Version(1)), (*_COMMON, Rule.DROP_TRACKERS, Rule.SORT_QUERY, *_OVERRIDES)
)
POLICIES: Final = {policy.name: policy for policy in (SITE, DOCS, WEB)}
