"""The short way to a canonical URL: the same answer as `canonical.explain`, several times faster.

Three tiers, each for what the one before could not prove plain:

1. *Plain*: one regular expression sees that nothing is to be done but to cut, and to look at query keys.
2. *Remembered*: an origin seen before, or easily learnt; path and query are encoded where they are odd.
3. *Parsed*: everything else goes through the parser; hosts with overrides are explained.

It has no rules of its own: the sets are `percent`'s, the decisions about keys are `canonical`'s. A
property holds all ways against each other over hostile and realistic URLs. The memos (raw origin →
canonical origin, raw query key → kept or not) are bounded and only save work: an answer never depends on
what was asked before. `bench/identity.py` is the reason for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from holdfast.core.canonical import CanonicalUrl, explain, keeps_key, sort_key
from holdfast.core.percent import (
    PLAIN_PATH,
    PLAIN_QUERY,
    decode_key,
    encode_path,
    encode_query,
    needs_repair,
)
from holdfast.core.policy import MAX_CANONICAL_BYTES, Policy, Rule
from holdfast.core.refusal import Refusal, Refused
from holdfast.core.url import parse_url

__all__ = ["CanonicalText", "canonical_text", "canonicalize"]

CanonicalText = Callable[[str], "str | Refused"]
"""A policy as a function: a text in, its canonical form or a refusal out."""

_MEMO_SIZE: Final = 100_000
_ORIGIN = re.compile(r"[hH][tT][tT][pP][sS]?://[^\x00-\x20\x7f\\/@?#]+\Z").match
# ASCII labels in lower case, the last one beginning with a letter (so no IPv4 form) and none of them
# punycode: such a host is its own canonical form. Anything else asks the parser, once.
_HOST = r"(?:(?!xn--)[a-z0-9\-]++\.)*+(?!xn--)[a-z][a-z0-9\-]*+"
_PLAIN_ORIGIN = re.compile(rf"https?://{_HOST}\Z").match
# Segments of plain characters, none empty, none beginning with a dot; a trailing slash; a plain query.
# Percent signs pass here and are looked at afterwards: most are in order already.
_SEGMENTS = r"(?:/[A-Za-z0-9_~!$&'()*+,;=:@%\-][A-Za-z0-9_~!$&'()*+,;=:@%\-.]*+)*+"
_PLAIN_URL = re.compile(
    rf"(https?://{_HOST}({_SEGMENTS}))/?+(?:\?([A-Za-z0-9_~!$&()*+,;=:@%\-./?]*+))?+(?:#.*+)?+", re.DOTALL
).fullmatch
_PLAIN_ADDRESS = re.compile(rf"(https?://{_HOST}({_SEGMENTS}))/?+()(?:[?#].*+)?+", re.DOTALL).fullmatch
_DOT_SEGMENT = re.compile(r"/(?:\.|%2[eE]){1,2}(?:/|\Z)").search
_SLASHES = re.compile("/{2,}").sub
_TOO_LONG: Final = Refused(Refusal.TOO_LONG)


def canonicalize(text: str, policy: Policy) -> CanonicalUrl | Refused:
    """The canonical form of a text under a policy. Total and idempotent.

    Example:
        print(holdfast.canonicalize("HTTPS://Example.com/a?utm_source=x", holdfast.WEB))
    """
    found = canonical_text(policy)(text)
    return found if isinstance(found, Refused) else CanonicalUrl(found, policy.component)


@lru_cache(maxsize=64)
def canonical_text(policy: Policy) -> CanonicalText:
    """The policy as a function; hold on to it where many URLs are canonicalized."""
    remembered = _remembered(policy)
    if Rule.TRIM_SLASH not in policy.rules:
        return remembered
    drops_query = Rule.ALLOW_QUERY in policy.rules and not policy.allow_query
    plain = _PLAIN_ADDRESS if drops_query else _PLAIN_URL
    kept_pairs = _pair_filter(policy)
    own_ways = {
        f"{scheme}://{override.host}" for override in policy.overrides for scheme in ("http", "https")
    }

    def short(text: str) -> str | Refused:
        match = plain(text)
        if match is None:
            return remembered(text)
        found, path, query = match.groups()
        if own_ways and found[: len(found) - len(path)] in own_ways:
            return remembered(text)
        if not path:
            found += "/"
        if query and (pairs := kept_pairs(query.replace("+", "%20"))):
            found = f"{found}?{pairs}"
        if "%" in found and needs_repair(found):
            return remembered(text)
        return found if len(found) <= MAX_CANONICAL_BYTES else _TOO_LONG

    return short


def _remembered(policy: Policy) -> CanonicalText:  # noqa: C901 - one function: a call costs a tenth
    """The second tier."""
    origins = _Origins(policy)
    parsed = _parsed(policy)
    kept_pairs = _pair_filter(policy)
    trims_slash = Rule.TRIM_SLASH in policy.rules

    def short(text: str) -> str | Refused:  # noqa: C901 - as above
        start = text.find("/", 8)
        origin = origins[text[:start]] if start > 0 else None
        if origin is None:
            return parsed(text)
        path = text[start:]
        if "#" in path:
            path = path[: path.index("#")]
        path, _, query = path.partition("?")
        try:
            if odd := path.encode().translate(None, PLAIN_PATH):
                if _only_parser_can_tell(path, odd):
                    return parsed(text)
                path = encode_path(path)
            if odd := query.encode().translate(None, PLAIN_QUERY):
                if odd.strip(b"%+") and (not query.isprintable() or query[-1] == " "):
                    return parsed(text)
                query = encode_query(query)
        except UnicodeEncodeError:  # a lone surrogate: no URL
            return parsed(text)
        if "/." in path and _DOT_SEGMENT(path):
            return parsed(text)
        if "//" in path:
            path = _SLASHES("/", path)
        if path[-1] == "/" and trims_slash and path != "/":
            path = path[:-1]
        found = f"{origin}{path}?{query}" if query and (query := kept_pairs(query)) else origin + path
        return found if len(found) <= MAX_CANONICAL_BYTES else _TOO_LONG

    return short


def _only_parser_can_tell(path: str, odd: bytes) -> bool:
    """Whether a path holds what the parser cleans or resolves: controls, backslashes, encoded dots."""
    if odd.strip(b"%") and (not path.isprintable() or "\\" in path or path[-1] == " "):
        return True
    return ("%2e" in path or "%2E" in path) and _DOT_SEGMENT(path) is not None


def _parsed(policy: Policy) -> CanonicalText:
    """The third tier: one parse, then the same steps; hosts with overrides are explained."""
    own_ways = {override.host for override in policy.overrides}
    kept_pairs = _pair_filter(policy)
    trims_slash = Rule.TRIM_SLASH in policy.rules

    def through(text: str) -> str | Refused:
        url = parse_url(text)
        if isinstance(url, Refused):
            return url
        host = url.host[:-1] if url.host[-1] == "." else url.host
        if host in own_ways:
            explained = explain(text, policy)
            return explained if isinstance(explained, Refused) else explained.canonical.text
        path = encode_path(_SLASHES("/", url.path))
        if trims_slash:
            path = path.rstrip("/") or "/"
        port = "" if url.port is None else f":{url.port}"
        query = kept_pairs(encode_query(url.query)) if url.query else ""
        found = f"{url.scheme}://{host}{port}{path}" + (f"?{query}" if query else "")
        return found if len(found) <= MAX_CANONICAL_BYTES else _TOO_LONG

    return through


class _Origins(dict[str, str | None]):
    """Raw origin text → canonical origin, learnt on first sight; None sends the URL to the parser."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.own_ways = {override.host for override in policy.overrides}
        self.parsed = _parsed(replace(policy, overrides=()))

    def __missing__(self, raw: str) -> str | None:
        origin = None
        if _PLAIN_ORIGIN(raw):
            origin = raw
        elif _ORIGIN(raw):
            found = self.parsed(raw + "/")
            origin = None if isinstance(found, Refused) else found[:-1]
        if self.own_ways and origin is not None:
            host = origin.partition("://")[2]
            host = host if host[-1] == "]" else host.rpartition(":")[0] or host
            origin = None if host in self.own_ways else origin
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[raw] = origin
        return origin


class _Keys(dict[str, bool]):
    """Raw query key → whether its pairs stay."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def __missing__(self, key: str) -> bool:
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[key] = answer = keeps_key(decode_key(key), self.policy, None)
        return answer


def _pair_filter(policy: Policy) -> Callable[[str], str]:
    """An encoded query → its canonical form: what stays of it, in order; empty where nothing does."""
    keeps = _Keys(policy)
    sorts = Rule.SORT_QUERY in policy.rules

    def kept_pairs(query: str) -> str:
        if "&" not in query:
            return query if keeps[query.partition("=")[0]] else ""
        pairs = query.split("&")
        for pair in pairs:
            if not pair or not keeps[pair.partition("=")[0]]:
                pairs = [pair for pair in pairs if pair and keeps[pair.partition("=")[0]]]
                break
        else:
            if not sorts:
                return query
        if sorts and len(pairs) > 1:
            pairs.sort(key=sort_key)
        return "&".join(pairs)

    return kept_pairs
