"""What a policy can do: its steps, each a rule with its data (ID-13), and the public names of their rules.

1. A rule's name is public: `--explain` prints it, JSON carries it, golden vectors pin it.
2. A step is plain data. What it does is in `canonical` (the interpreter) and in `canonical_fast` (the
   compiler); properties hold the two against each other for policies of any steps in any order.
3. `ReadUrl` is the parser's work, done at one stroke and reported under several names: a policy has it
   once, first.
4. Query keys are matched decoded and with ASCII letters in lower case (`percent.decode_key`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

from holdfast.core.percent import Encoding
from holdfast.core.values import dataclass

__all__ = [
    "RULE_SENTENCES",
    "AllowQuery",
    "CollapseSlashes",
    "DropEmptyPairs",
    "DropTrackers",
    "EncodePath",
    "EncodeQuery",
    "HostOverride",
    "OverrideQuery",
    "OverrideRewrite",
    "ReadUrl",
    "Rewrite",
    "Rule",
    "SortQuery",
    "Step",
    "TrimSlash",
]


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
class ReadUrl:
    """The text is read as a URL by the WHATWG rules, http and https only."""

    rules: ClassVar = (
        Rule.CLEAN,
        Rule.DROP_USERINFO,
        Rule.DROP_FRAGMENT,
        Rule.LOWER_CASE,
        Rule.HOST_FORM,
        Rule.DROP_HOST_DOT,
        Rule.DROP_DEFAULT_PORT,
        Rule.RESOLVE_DOTS,
    )


@dataclass(frozen=True, slots=True)
class CollapseSlashes:
    """Runs of slashes in the path become one."""

    rules: ClassVar = (Rule.COLLAPSE_SLASHES,)


@dataclass(frozen=True, slots=True)
class EncodePath:
    """The path takes the one form of an encoding."""

    encoding: Encoding
    rules: ClassVar = (Rule.ENCODE_PATH,)


@dataclass(frozen=True, slots=True)
class TrimSlash:
    """Slashes at the end of the path go, except at the root."""

    rules: ClassVar = (Rule.TRIM_SLASH,)


@dataclass(frozen=True, slots=True)
class DropEmptyPairs:
    """Query pairs without any character go."""

    rules: ClassVar = (Rule.DROP_EMPTY_PAIRS,)


@dataclass(frozen=True, slots=True)
class EncodeQuery:
    """Each query pair takes the one form of an encoding."""

    encoding: Encoding
    rules: ClassVar = (Rule.ENCODE_QUERY,)


@dataclass(frozen=True, slots=True)
class DropTrackers:
    """Pairs go whose key is one of these names or begins with one of these prefixes."""

    names: frozenset[str]
    prefixes: tuple[str, ...] = ()
    rules: ClassVar = (Rule.DROP_TRACKERS,)

    def keeps(self, key: str) -> bool:
        """Whether a pair with this decoded key stays."""
        return key not in self.names and not key.startswith(self.prefixes)


@dataclass(frozen=True, slots=True)
class AllowQuery:
    """Pairs go whose key is not one of these."""

    keys: frozenset[str] = frozenset()
    rules: ClassVar = (Rule.ALLOW_QUERY,)

    def keeps(self, key: str) -> bool:
        """Whether a pair with this decoded key stays."""
        return key in self.keys


@dataclass(frozen=True, slots=True)
class SortQuery:
    """Pairs are sorted by key, then value."""

    rules: ClassVar = (Rule.SORT_QUERY,)


@dataclass(frozen=True, slots=True)
class OverrideQuery:
    """The host's own lists: what it drops goes, what it keeps comes back if it went as a tracker."""

    hosts: tuple[HostOverride, ...] = ()
    rules: ClassVar = (Rule.OVERRIDE_QUERY,)


@dataclass(frozen=True, slots=True)
class OverrideRewrite:
    """The host's first rewrite that matches; its result is read anew from the first step."""

    hosts: tuple[HostOverride, ...] = ()
    rules: ClassVar = (Rule.OVERRIDE_REWRITE,)


Step = (
    ReadUrl
    | CollapseSlashes
    | EncodePath
    | TrimSlash
    | DropEmptyPairs
    | EncodeQuery
    | DropTrackers
    | AllowQuery
    | SortQuery
    | OverrideQuery
    | OverrideRewrite
)
