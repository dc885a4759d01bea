"""What a policy can do: its steps, each a rule with its data (ID-13), their names; and percent-encoding.

Percent-encoding works on bytes, by sets that the policies own (ID-3):

1. A triplet of a character in `decoded` (the unreserved ones of RFC 3986 §2.3) is decoded; every other
   triplet is kept, its hex in upper case. So `%2F`, and bytes that are not UTF-8, stay what they are.
2. A `%` that begins no triplet becomes `%25`.
3. What is not in `kept` is encoded as its UTF-8 bytes.
4. Where `plus_is_space`, a `+` is written `%20` before all that.

The sets are the policy's, not the parser's: parsers change theirs (`^` joined the WHATWG path set in 2025).

The steps:

5. A rule's name is public: `--explain` prints it, JSON carries it, golden vectors pin it.
6. A step is plain data. What it does is in `core/url/canonical` (the interpreter) and in
   `core/url/compiled` (the compiler); properties hold the two against each other for policies of any steps
   in any order.
7. `ReadUrl` is the parser's work, done at one stroke and reported under several names: a policy has it
   once, first.
8. Query keys are matched decoded and with ASCII letters in lower case (`decode_key`).
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar, Final
from urllib.parse import unquote_to_bytes

from holdfast.core.base.values import dataclass

UNRESERVED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@"
PCHAR: Final = UNRESERVED + "!$&'()*+,;=:@"
MAX_KEY: Final = 4_096
_HEX: Final = "0123456789ABCDEFabcdef"


@dataclass(frozen=True, slots=True)
class Encoding:
    """Which ASCII characters stand as they are, and which triplets are decoded."""

    kept: str
    decoded: str = UNRESERVED
    plus_is_space: bool = False


class Encoder:
    """An encoding as a function: a part of a URL in, its one form out. Linear.

    `text.encode().translate(None, plain)` is empty where nothing has to be done: one pass in C.
    """

    __slots__ = ("_encoded", "_normal", "_outside", "needs_repair", "plain", "plus_is_space")

    def __init__(self, encoding: Encoding) -> None:
        self.plain = encoding.kept.encode("ascii")
        self.plus_is_space = encoding.plus_is_space
        if encoding.plus_is_space:
            self.plain = self.plain.replace(b"+", b"")
        self._encoded = self.plain + b"%"
        self._normal = {
            high + low: _normal_form(chr(int(high + low, 16)), encoding) for high in _HEX for low in _HEX
        }
        # A triplet that is decoded, a lower-case hex digit, or a stray percent sign.
        triplets = "".join(f"{triplet}|" for triplet in _triplets(encoding.decoded))
        self.needs_repair = re.compile(rf"%(?:{triplets}(?![0-9A-F]{{2}}))").search
        self._outside = re.compile(rf"[^{re.escape(self._encoded.decode())}]+").sub

    def __call__(self, text: str) -> str:
        """The one form."""
        if "+" in text and self.plus_is_space:
            text = text.replace("+", "%20")
        if "%" in text and self.needs_repair(text):
            text = self.repaired(text)
        # The regular expression is the dear part and rarely needed: most odd texts are odd by "%" or "+"
        # alone.
        return text if self.is_encoded(text) else self._outside(_encoded, text)

    def is_encoded(self, text: str) -> bool:
        """Whether every character is in the set, or a percent sign."""
        return not text.encode("utf-8", "replace").translate(None, self._encoded)

    def repaired(self, text: str) -> str:
        """Every triplet in its one form, every other percent sign as `%25`."""
        head, *tails = text.split("%")
        normal = self._normal.get
        return head + "".join(
            [form + tail[2:] if (form := normal(tail[:2])) else f"%25{tail}" for tail in tails],
        )


@lru_cache(maxsize=64)
def encoder(encoding: Encoding) -> Encoder:
    """The function of an encoding."""
    return Encoder(encoding)


def _normal_form(char: str, encoding: Encoding) -> str:
    return char if char in encoding.decoded else f"%{ord(char):02X}"


def _triplets(decoded: str) -> list[str]:
    """The triplets of these characters without their percent signs, as patterns: `2[DE]`."""
    lows: dict[str, str] = {}
    for char in sorted(decoded):
        triplet = f"{ord(char):02X}"
        lows[triplet[0]] = lows.get(triplet[0], "") + triplet[1]
    return [f"{high}[{low}]" for high, low in lows.items()]


def _encoded(match: re.Match[str]) -> str:
    return "%" + match[0].encode().hex("%").upper()


def list_key(name: str) -> str:
    """A name on a list (trackers, overrides, allow-list) in the form that `decode_key` gives keys."""
    return name.encode().lower().decode("latin-1")


def never_a_key(name: str) -> str | None:
    """Why a name on a list could never be meant as a query key; None where it could."""
    if not name.strip():
        return "is empty"
    if len(name.encode("utf-8", "replace")) > MAX_KEY // 3:
        return "is longer than a key can be"
    if "," in name:
        return "is several keys in one, or a key with a comma, which is not supported"
    if "*" in name or "?" in name:
        return "looks like a pattern: names on a list match as they are"
    if any(char in name for char in "&=#"):
        return "holds a character that no key has"
    return None


def decode_key(key: str) -> str:
    """A query key as trackers are matched: decoded, ASCII letters lower-cased, other bytes as latin-1.

    Only its beginning: no name on any list is longer, and prefixes are short.
    """
    return unquote_to_bytes(key[:MAX_KEY].replace("+", " ")).lower().decode("latin-1")


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
