"""Canonical URLs: what is compared, hashed and named; never fetched (ID-1 … ID-8).

1. One function decides: `explain` walks a policy's rules in order and says which of them fired.
   `canonicalize` gives the same answer by a shorter way where nothing is odd (`core.shortcut`).
2. Idempotent: the canonical form of a canonical form is itself, under the same policy.
3. Total: any text gives a `CanonicalUrl` or a `Refused`; never an exception, never a guess.
4. Linear in the length of the text; no I/O, no locale, no clock, no table that is not pinned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from operator import methodcaller

from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.percent import decode_key, encode_path, encode_query, is_encoded_path, is_encoded_query
from holdfast.core.policy import (
    MAX_CANONICAL_BYTES,
    TRACKER_PREFIXES,
    TRACKERS,
    HostOverride,
    Policy,
    Rule,
)
from holdfast.core.recipe import Component
from holdfast.core.refusal import Refusal, Refused
from holdfast.core.url import Url, parse_url

__all__ = ["CanonicalUrl", "Explained", "explain"]

_SLASHES = re.compile("/{2,}")
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


@dataclass(frozen=True, slots=True)
class _Draft:
    """A URL on its way: parsed, its query in pairs, the rules that fired so far."""

    scheme: str
    host: str
    port: int | None
    path: str
    pairs: tuple[str, ...]
    fired: tuple[Rule, ...]

    @property
    def base(self) -> str:
        port = f":{self.port}" if self.port is not None else ""
        return f"{self.scheme}://{self.host}{port}{self.path}"

    @property
    def text(self) -> str:
        return f"{self.base}?{'&'.join(self.pairs)}" if self.pairs else self.base


def explain(text: str, policy: Policy) -> Explained | Refused:
    """The canonical form of a text, and why it looks as it does.

    Example:
        explained = holdfast.explain("https://example.com/a?utm_source=x", holdfast.WEB)
        print(explained.canonical, explained.rules)
    """
    fired: tuple[Rule, ...] = ()
    while True:
        draft = _base_rules(text, policy)
        if isinstance(draft, Refused):
            return draft
        fired += draft.fired
        if len(draft.text) > MAX_CANONICAL_BYTES:
            return Refused(Refusal.TOO_LONG)
        rewritten = _rewrite(draft, policy)
        if rewritten is None:
            in_order = tuple(sorted(set(fired), key=policy.rules.index))
            return Explained(CanonicalUrl(draft.text, policy.component), in_order)
        # Each rewrite that can lead to another makes the text shorter (checked at load), so this ends.
        fired += (Rule.OVERRIDE_REWRITE,)
        text = rewritten


def is_tracker(key: str) -> bool:
    """Whether a decoded, lower-cased query key is on the tracker list (ID-4)."""
    return key in TRACKERS or key.startswith(TRACKER_PREFIXES)


def keeps_key(key: str, policy: Policy, override: HostOverride | None) -> bool:
    """Whether a query pair with this decoded, lower-cased key stays."""
    if override and key in override.drop_query_params:
        return False
    if Rule.ALLOW_QUERY in policy.rules:
        return key in policy.allow_query
    kept = override is not None and key in override.keep_query_params
    return kept or not is_tracker(key)


def _base_rules(text: str, policy: Policy) -> _Draft | Refused:
    url = parse_url(text)
    if isinstance(url, Refused):
        return url
    draft = _Draft(url.scheme, url.host, url.port, url.path, (), tuple(_rules_of_parsing(text, url)))
    draft = _host_rules(draft)
    draft = _path_rules(draft, policy)
    return _query_rules(draft, url.query, policy)


def _rules_of_parsing(text: str, url: Url) -> list[Rule]:
    """Which rules the parser applied at one stroke, read off the difference between text and result."""
    cleaned = text.strip(_OUTER).translate(_REMOVED)
    address, _, query = cleaned.partition("#")[0].partition("?")
    match = _AUTHORITY.match(address)
    scheme, authority, path = match.groups() if match else ("", "", "")
    path = path.replace("\\", "/")
    signs = {
        Rule.CLEAN: cleaned != text or "\\" in address or not _USUAL_BEGINNING.match(cleaned),
        Rule.DROP_FRAGMENT: "#" in cleaned,
        Rule.RESOLVE_DOTS: bool(_DOT_SEGMENT.search(path)),
        Rule.ENCODE_PATH: not is_encoded_path(path),
        Rule.ENCODE_QUERY: not is_encoded_query(query),
    }
    return [rule for rule, fired in signs.items() if fired] + _rules_of_authority(scheme, authority, url)


def _rules_of_authority(scheme: str, authority: str, url: Url) -> list[Rule]:
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
    return [rule for rule, fired in signs.items() if fired]


def _ascii_lower(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _host_rules(draft: _Draft) -> _Draft:
    if draft.host.endswith("."):
        return replace(draft, host=draft.host[:-1], fired=(*draft.fired, Rule.DROP_HOST_DOT))
    return draft


def _path_rules(draft: _Draft, policy: Policy) -> _Draft:
    steps = [(Rule.COLLAPSE_SLASHES, _SLASHES.sub("/", draft.path))]
    steps.append((Rule.ENCODE_PATH, encode_path(steps[-1][1])))
    if Rule.TRIM_SLASH in policy.rules:
        steps.append((Rule.TRIM_SLASH, steps[-1][1].rstrip("/") or "/"))
    path, fired = draft.path, list(draft.fired)
    for rule, changed in steps:
        if changed != path:
            path = changed
            fired.append(rule)
    return replace(draft, path=path, fired=tuple(fired))


def _query_rules(draft: _Draft, query: str | None, policy: Policy) -> _Draft:
    if query is None:
        return draft
    fired = list(draft.fired)
    raw = query.split("&")
    pairs = [pair for pair in raw if pair]
    if len(pairs) != len(raw):
        fired.append(Rule.DROP_EMPTY_PAIRS)
    keys = dict.fromkeys(pair.partition("=")[0] for pair in pairs)
    override = policy.override_for(draft.host)
    wanted = {key: keeps_key(decode_key(key), policy, override) for key in keys}
    kept = [pair for pair in pairs if wanted[pair.partition("=")[0]]]
    encoded = [encode_query(pair) for pair in kept]
    if encoded != kept:
        fired.append(Rule.ENCODE_QUERY)
    fired.extend(_rules_of_dropping(wanted, policy))
    if Rule.SORT_QUERY in policy.rules and (in_order := sorted(encoded, key=sort_key)) != encoded:
        fired.append(Rule.SORT_QUERY)
        encoded = in_order
    return replace(draft, pairs=tuple(encoded), fired=tuple(fired))


def _rules_of_dropping(wanted: dict[str, bool], policy: Policy) -> list[Rule]:
    """Which rule decided about the keys: the policy's own, or the host's lists where they differ from it."""
    fired = []
    plainly = {key: keeps_key(decode_key(key), policy, None) for key in wanted}
    if any(not plainly[key] and not wanted[key] for key in wanted):
        fired.append(Rule.ALLOW_QUERY if Rule.ALLOW_QUERY in policy.rules else Rule.DROP_TRACKERS)
    if plainly != wanted:
        fired.append(Rule.OVERRIDE_QUERY)
    return fired


def _rewrite(draft: _Draft, policy: Policy) -> str | None:
    """The text after the first rewrite that matches on a segment boundary, or None."""
    override = policy.override_for(draft.host)
    for rule in override.rewrites if override else ():
        rest = draft.base.removeprefix(rule.from_prefix)
        if rest != draft.base and (not rest or rest[0] == "/"):
            query = f"?{'&'.join(draft.pairs)}" if draft.pairs else ""
            return rule.to_prefix + rest + query
    return None
