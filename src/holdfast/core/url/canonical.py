"""Canonical URLs: what is compared, hashed and named; never fetched (ID-1 … ID-8, ID-13).

1. `explain` is the interpreter: it walks a policy's steps in the order in which the policy lists them, does
   each one and says which rules fired. `core/url/compiled` makes a function of a policy that gives the same
   answer.
2. Idempotent for every published policy: the canonical form of a canonical form is itself.
3. Total for any policy: any text gives a `CanonicalUrl` or a `Refused`; never an exception, never a guess.
4. Linear in the length of the text; no I/O, no locale, no clock, no table that is not pinned.
5. A pair that a step drops is only marked until the end: a later step may bring it back, and a rule has
   fired when its work can be seen in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from operator import methodcaller
from typing import assert_never

from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.base.values import dataclass
from holdfast.core.url.policy import Component, Policy
from holdfast.core.url.steps import (
    AllowQuery,
    CollapseSlashes,
    DropEmptyPairs,
    DropTrackers,
    EncodePath,
    EncodeQuery,
    Encoder,
    HostOverride,
    OverrideQuery,
    OverrideRewrite,
    ReadUrl,
    Rule,
    SortQuery,
    Step,
    TrimSlash,
    decode_key,
    encoder,
)
from holdfast.core.url.url import Refusal, Refused, Url, parse_url

_SLASHES = re.compile("/{2,}").sub
_DOT_SEGMENT = re.compile(r"/(?:\.|%2[eE]){1,2}(?=/|\Z)")
_AUTHORITY = re.compile(r"([^:]*):[/\\]*([^/\\]*)(.*)", re.DOTALL)
_USUAL_BEGINNING = re.compile(r"[^:]*://[^/\\]")
_REMOVED = dict.fromkeys(map(ord, "\t\r\n"))
# Key, then `=` or nothing, then value; canonical text is ASCII, so this is the order of bytes.
sort_key = methodcaller("partition", "=")
_OUTER = "".join(map(chr, range(0x21)))


@dataclass(frozen=True, slots=True, order=True)
class CanonicalUrl:
    """A URL in the one form its policy gives it, with the policy's component beside it."""

    text: str
    component: Component

    @property
    def key(self) -> UrlKey:
        """The url key: SHA-256 of the text and nothing else."""
        return url_key(self.text)

    @property
    def scheme(self) -> str:
        """`http` or `https`."""
        return self.text.partition(":")[0]

    @property
    def authority(self) -> str:
        """Host, and the port where it is not the default."""
        return self.text.split("/", 3)[2]

    @property
    def path(self) -> str:
        """The path, with its leading slash."""
        return "/" + self.text.split("/", 3)[3].partition("?")[0]

    @property
    def query(self) -> str | None:
        """The query without its `?`; None where there is none."""
        _, mark, query = self.text.partition("?")
        return query if mark else None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Explained:
    """A canonical URL and the rules that fired, in order (ID-8)."""

    canonical: CanonicalUrl
    rules: tuple[Rule, ...]


@dataclass(slots=True)
class _Pair:
    """A query pair on its way: its text, its place before sorting, who dropped it, whether it was recoded."""

    text: str
    rank: int
    dropped_by: Rule | None = None
    recoded: bool = False

    @property
    def key(self) -> str:
        return decode_key(self.text.partition("=")[0])


@dataclass(slots=True)
class _Draft:
    """A URL on its way: parsed, its query in pairs, the rules that fired so far."""

    scheme: str
    host: str
    port: int | None
    path: str
    pairs: list[_Pair]
    fired: set[Rule] = field(default_factory=set)

    @property
    def kept(self) -> list[_Pair]:
        return [pair for pair in self.pairs if pair.dropped_by is None]

    @property
    def base(self) -> str:
        port = f":{self.port}" if self.port is not None else ""
        return f"{self.scheme}://{self.host}{port}{self.path}"

    @property
    def query(self) -> str:
        kept = self.kept
        return "?" + "&".join(pair.text for pair in kept) if kept else ""


def explain(text: str, policy: Policy) -> Explained | Refused:
    """The canonical form of a text, and why it looks as it does.

    Example:
        explained = holdfast.explain("https://example.com/a?utm_source=x", holdfast.WEB)
        print(explained.canonical, explained.rules)
    """
    fired: set[Rule] = set()
    # Each rewrite that can lead to another makes the text shorter (checked when overrides are read).
    for _ in range(policy.max_bytes + 1):
        walked = _walk(text, policy, fired)
        if not isinstance(walked, str):
            return walked
        text = walked
    return Refused(Refusal.ENDLESS)


def _walk(text: str, policy: Policy, fired: set[Rule]) -> Explained | Refused | str:
    """Every step once: the answer, or the text that a rewrite starts over with."""
    url = parse_url(text)
    if isinstance(url, Refused):
        return url
    pairs = [] if url.query is None else [_Pair(pair, at) for at, pair in enumerate(url.query.split("&"))]
    host = url.host.removesuffix(".")
    draft = _Draft(url.scheme, host, url.port, url.path, pairs, _rules_of_reading(text, url, policy))
    for step in policy.steps:
        rewritten = _take(step, draft)
        if rewritten is not None:
            fired |= draft.fired | _rules_of_query(draft)
            return (
                rewritten if len(draft.base + draft.query) <= policy.max_bytes else Refused(Refusal.TOO_LONG)
            )
    found = draft.base + draft.query
    if len(found) > policy.max_bytes:
        return Refused(Refusal.TOO_LONG)
    fired |= draft.fired | _rules_of_query(draft)
    in_order = tuple(dict.fromkeys(rule for rule in policy.rules if rule in fired))
    return Explained(CanonicalUrl(found, policy.component), in_order)


def _take(step: Step, draft: _Draft) -> str | None:  # noqa: C901 - a table: one case for each step
    """One step; the rewritten text where the walk starts over."""
    match step:
        case ReadUrl():
            pass
        case CollapseSlashes():
            _set_path(draft, collapsed(draft.path), step)
        case EncodePath(encoding):
            _set_path(draft, encoder(encoding)(draft.path), step)
        case TrimSlash():
            _set_path(draft, trimmed(draft.path), step)
        case DropEmptyPairs():
            _drop_empty(draft)
        case EncodeQuery(encoding):
            _encode(draft, encoder(encoding))
        case DropTrackers() | AllowQuery():
            _filter(step, draft)
        case SortQuery():
            draft.pairs.sort(key=lambda pair: sort_key(pair.text))
        case OverrideQuery(hosts):
            _apply_lists(_of_host(hosts, draft.host), draft)
        case OverrideRewrite(hosts):
            return _rewritten(_of_host(hosts, draft.host), draft)
        case _:
            assert_never(step)
    return None


def collapsed(path: str) -> str:
    """A path without duplicate slashes."""
    return _SLASHES("/", path) if "//" in path else path


def trimmed(path: str) -> str:
    """A path without slashes at its end, unless it is the root."""
    return path.rstrip("/") or "/"


def _set_path(draft: _Draft, path: str, step: Step) -> None:
    if path != draft.path:
        draft.path = path
        draft.fired.update(step.rules)


def _drop_empty(draft: _Draft) -> None:
    if any(not pair.text for pair in draft.pairs):
        draft.pairs = [pair for pair in draft.pairs if pair.text]
        draft.fired.add(Rule.DROP_EMPTY_PAIRS)


def _encode(draft: _Draft, encode: Encoder) -> None:
    for pair in draft.pairs:
        text = encode(pair.text)
        pair.recoded |= text != pair.text
        pair.text = text


def _filter(step: DropTrackers | AllowQuery, draft: _Draft) -> None:
    wanted: dict[str, bool] = {}
    for pair in draft.pairs:
        raw = pair.text.partition("=")[0]
        if raw not in wanted:
            wanted[raw] = step.keeps(decode_key(raw))
        # What is not allowed stays away, tracker or not; what is only a tracker may come back.
        if not wanted[raw] and (pair.dropped_by is None or isinstance(step, AllowQuery)):
            pair.dropped_by = step.rules[0]


def _of_host(hosts: Iterable[HostOverride], host: str) -> HostOverride | None:
    return next((override for override in hosts if override.host == host), None)


def _apply_lists(override: HostOverride | None, draft: _Draft) -> None:
    if override is None:
        return
    for pair in draft.pairs:
        if pair.key in override.drop_query_params:
            pair.dropped_by = pair.dropped_by or Rule.OVERRIDE_QUERY
        elif pair.dropped_by is Rule.DROP_TRACKERS and pair.key in override.keep_query_params:
            pair.dropped_by = None
            draft.fired.add(Rule.OVERRIDE_QUERY)


def _rewritten(override: HostOverride | None, draft: _Draft) -> str | None:
    """The text after the first rewrite that matches on a segment boundary, or None."""
    for rule in override.rewrites if override else ():
        rest = draft.base.removeprefix(rule.from_prefix)
        if rest != draft.base and (not rest or rest[0] == "/"):
            draft.fired.add(Rule.OVERRIDE_REWRITE)
            return rule.to_prefix + rest + draft.query
    return None


def _rules_of_query(draft: _Draft) -> set[Rule]:
    """The rules whose work on the query can be seen in the answer."""
    kept = draft.kept
    ranks = [pair.rank for pair in kept]
    signs = {
        Rule.ENCODE_QUERY: any(pair.recoded for pair in kept),
        Rule.SORT_QUERY: ranks != sorted(ranks),
    }
    dropped = {pair.dropped_by for pair in draft.pairs if pair.dropped_by is not None}
    return {rule for rule, fired in signs.items() if fired} | dropped


def _rules_of_reading(text: str, url: Url, policy: Policy) -> set[Rule]:
    """Which rules the parser applied at one stroke, read off the difference between text and result."""
    cleaned = text.strip(_OUTER).translate(_REMOVED)
    address, _, query = cleaned.partition("#")[0].partition("?")
    match = _AUTHORITY.match(address)
    scheme, authority, path = match.groups() if match else ("", "", "")
    path = path.replace("\\", "/")
    signs = {
        Rule.CLEAN: cleaned != text or "\\" in address or not _USUAL_BEGINNING.match(cleaned),
        Rule.DROP_FRAGMENT: "#" in cleaned,
        Rule.DROP_HOST_DOT: url.host.endswith("."),
        Rule.RESOLVE_DOTS: bool(_DOT_SEGMENT.search(path)),
    } | _signs_of_encoding(path, query, policy)
    return {rule for rule, fired in signs.items() if fired} | _rules_of_authority(scheme, authority, url)


def _signs_of_encoding(path: str, query: str, policy: Policy) -> dict[Rule, bool]:
    """What the parser encoded that the policy would have encoded itself."""
    signs: dict[Rule, bool] = {}
    for step in policy.steps:
        match step:
            case EncodePath(encoding):
                signs[Rule.ENCODE_PATH] = not encoder(encoding).is_encoded(path)
            case EncodeQuery(encoding):
                signs[Rule.ENCODE_QUERY] = not encoder(encoding).is_encoded(query)
    return signs


def _rules_of_authority(scheme: str, authority: str, url: Url) -> set[Rule]:
    _, at, hostport = authority.rpartition("@")
    host, colon = hostport, ""
    if ":" in hostport and not hostport.endswith("]"):
        host, colon, _ = hostport.rpartition(":")
    signs = {
        Rule.DROP_USERINFO: bool(at),
        Rule.LOWER_CASE: scheme.lower() != scheme or _ascii_lower(host) != host,
        Rule.HOST_FORM: _ascii_lower(host) != url.host,
        Rule.DROP_DEFAULT_PORT: bool(colon) and url.port is None,
    }
    return {rule for rule, fired in signs.items() if fired}


def _ascii_lower(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
