"""The fast way to a canonical URL: a policy compiled to a function, with the answers of `canonical.explain`.

Three tiers, each for what the one before could not prove plain:

1. *Plain*: one regular expression sees that nothing is to be done but to cut, and to look at query keys; a
   second one takes upper case and ports.
2. *Remembered*: an origin seen before, or easily learnt; path and query are encoded where they are odd.
3. *Parsed*: everything else goes through the parser, then through the policy's steps, one function each.

Any policy is compiled: the third tier is made of its steps, whatever they are and in whatever order. The
other two are for policies of the usual shape (`_is_usual`), in which the order of steps cannot matter, and
take their sets and lists from them. Hosts with overrides are explained. A property holds all ways against
each other over policies of any steps and hostile and realistic URLs. The memos (raw origin → canonical
origin, raw query key → kept or not) are bounded and only save work: an answer never depends on what was
asked before. `bench/identity.py` is the reason for all of it.

`canonicalize_all` does the same for many URLs, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from holdfast.core.url.canonical import CanonicalUrl, collapsed, explain, sort_key, trimmed
from holdfast.core.url.policy import Policy
from holdfast.core.url.steps import (
    PCHAR,
    UNRESERVED,
    AllowQuery,
    CollapseSlashes,
    DropEmptyPairs,
    DropTrackers,
    EncodePath,
    EncodeQuery,
    Encoder,
    SortQuery,
    Step,
    TrimSlash,
    decode_key,
    encoder,
)
from holdfast.core.url.url import Refusal, Refused, parse_url

CanonicalText = Callable[[str], "str | Refused"]
"""A policy as a function: a text in, its canonical form or a refusal out."""

_MEMO_SIZE: Final = 100_000
_ORIGIN = re.compile(r"[hH][tT][tT][pP][sS]?://[^\x00-\x20\x7f\\/@?#]+\Z").match
# ASCII labels, none beginning with an x (as punycode does) or a zero (as 0xa does, which is a number), the
# last one ending with a letter: such a host in lower case is its own canonical form. Others ask the parser,
# once.
_LABEL = r"[a-wyz1-9\-][a-z0-9\-]*+"
_ANY_LABEL = r"[A-WYZa-wyz1-9\-][A-Za-z0-9\-]*+"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*+(?<=[a-z])"
_ANY_CASE = rf"{_ANY_LABEL}(?:\.{_ANY_LABEL})*+(?<=[A-Za-z])"
_PLAIN_ORIGIN = rf"[hH][tT][tT][pP][sS]?://{_ANY_CASE}"
_PORT = r"(?::([1-9][0-9]{0,3}))?+"
_PORT_OF = re.compile(r":[0-9]+\Z")
_plain_origin = re.compile(rf"({_PLAIN_ORIGIN}){_PORT}\Z").match
_DEFAULT_PORTS: Final = {"http://": "80", "https:/": "443"}
_DOT_SEGMENT = re.compile(r"/(?:\.|%2[eE]){1,2}(?:/|\Z)").search
_TOO_LONG: Final = Refused(Refusal.TOO_LONG)


def canonicalize(text: str, policy: Policy) -> CanonicalUrl | Refused:
    """The canonical form of a text under a policy. Total, and idempotent for published policies.

    Example:
        print(holdfast.canonicalize("HTTPS://Example.com/a?utm_source=x", holdfast.WEB))
    """
    found = canonical_text(policy)(text)
    return found if isinstance(found, Refused) else CanonicalUrl(found, policy.component)


@lru_cache(maxsize=64)
def canonical_text(policy: Policy) -> CanonicalText:
    """The policy as a function; hold on to it where many URLs are canonicalized."""
    if not _is_usual(policy):
        return _parsed(policy)
    remembered = _remembered(policy)
    return _plain(policy, remembered) if _has(policy, TrimSlash) else remembered


def _plain(policy: Policy, remembered: CanonicalText) -> CanonicalText:  # noqa: C901 - as `_remembered`
    """The first tier."""
    path_code, query_code = _encoders(policy)
    plus_is_space = query_code.plus_is_space
    rest = _plain_rest(policy, path_code, query_code)
    matched = re.compile(rf"(https?://{_HOST}({rest}", re.DOTALL).fullmatch
    matched_with_port = re.compile(rf"({_PLAIN_ORIGIN}){_PORT}(({rest}", re.DOTALL).fullmatch
    kept_pairs = _pair_filter(policy)
    needs_repair, repaired = path_code.needs_repair, path_code.repaired
    max_bytes = policy.max_bytes
    own_ways = {
        f"{scheme}://{override.host}" for override in policy.overrides for scheme in ("http", "https")
    }

    def short(text: str) -> str | Refused:  # noqa: C901 - as above
        if match := matched(text):
            found, path, query = match.groups()
        elif match := matched_with_port(text):
            origin, port, _, path, query = match.groups()
            found = _lowered(origin, port) + path
        else:
            return remembered(text)
        if own_ways and _PORT_OF.sub("", found[: len(found) - len(path)]) in own_ways:
            return remembered(text)
        if "%" in found and needs_repair(path):
            if "%2e" in path or "%2E" in path:
                return remembered(text)
            found = found[: len(found) - len(path)] + repaired(path)
        if not path:
            found += "/"
        if query:
            if "+" in query and plus_is_space:
                query = query.replace("+", "%20")
            if "%" in query and needs_repair(query):
                query = repaired(query)
            if query := kept_pairs(query):
                found = f"{found}?{query}"
        return found if len(found) <= max_bytes else _TOO_LONG

    return short


def _plain_rest(policy: Policy, path_code: Encoder, query_code: Encoder) -> str:
    """What follows a plain origin, for a pattern in which two groups are open: segments of plain characters,
    none empty, none beginning with a dot; a trailing slash; a plain query.

    Percent signs pass here and are looked at afterwards: most are in order already.
    """
    in_segment = re.escape(path_code.plain.replace(b"/", b"").replace(b".", b"").decode()) + "%"
    dot = "." if b"." in path_code.plain else ""
    path = rf"(?:/[{in_segment}][{in_segment}{dot}]*+)*+))/?+"
    if any(isinstance(step, AllowQuery) and not step.keys for step in policy.steps):
        return rf"{path}()(?:[?#].*+)?+"
    in_query = re.escape(query_code.plain.decode()) + ("%+" if query_code.plus_is_space else "%")
    return rf"{path}(?:\?([{in_query}]*+))?+(?:#.*+)?+"


def _remembered(policy: Policy) -> CanonicalText:  # noqa: C901 - one function: a call costs a tenth
    """The second tier."""
    origins = _Origins(policy)
    parsed = _parsed(policy)
    kept_pairs = _pair_filter(policy)
    encode_path, encode_query = _encoders(policy)
    plain_path, plain_query = encode_path.plain, encode_query.plain
    trims_slash, collapses = _has(policy, TrimSlash), _has(policy, CollapseSlashes)
    max_bytes = policy.max_bytes

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
            if odd := path.encode().translate(None, plain_path):
                if _only_parser_can_tell(path, odd):
                    return parsed(text)
                path = encode_path(path)
            if odd := query.encode().translate(None, plain_query):
                if odd.strip(b"%+") and (not query.isprintable() or query[-1] == " "):
                    return parsed(text)
                query = encode_query(query)
        except UnicodeEncodeError:  # a lone surrogate: no URL
            return parsed(text)
        if "/." in path and _DOT_SEGMENT(path):
            return parsed(text)
        if collapses and "//" in path:
            path = collapsed(path)
        if path[-1] == "/" and trims_slash:
            path = trimmed(path)
        found = f"{origin}{path}?{query}" if query and (query := kept_pairs(query)) else origin + path
        return found if len(found) <= max_bytes else _TOO_LONG

    return short


def _only_parser_can_tell(path: str, odd: bytes) -> bool:
    """Whether a path holds what the parser cleans or resolves: controls, backslashes, encoded dots."""
    if odd.strip(b"%") and (not path.isprintable() or "\\" in path or path[-1] == " "):
        return True
    return ("%2e" in path or "%2E" in path) and _DOT_SEGMENT(path) is not None


def _parsed(policy: Policy) -> CanonicalText:
    """The third tier: one parse, then the steps one after the other; hosts with overrides are explained."""
    own_ways = {override.host for override in policy.overrides}
    on_path = [change for step in policy.steps if (change := _on_path(step))]
    on_query = [filtered for step in policy.steps if (filtered := _on_query(step))]

    def through(text: str) -> str | Refused:
        url = parse_url(text)
        if isinstance(url, Refused):
            return url
        host = url.host[:-1] if url.host[-1] == "." else url.host
        if host in own_ways:
            explained = explain(text, policy)
            return explained if isinstance(explained, Refused) else explained.canonical.text
        path = url.path
        for change in on_path:
            path = change(path)
        port = "" if url.port is None else f":{url.port}"
        found = f"{url.scheme}://{host}{port}{path}"
        if url.query is not None:
            pairs = url.query.split("&")
            for work in on_query:
                pairs = work(pairs)
            found = f"{found}?{'&'.join(pairs)}" if pairs else found
        return found if len(found) <= policy.max_bytes else _TOO_LONG

    return through


def _on_path(step: Step) -> Callable[[str], str] | None:
    """What a step does to a path."""
    match step:
        case CollapseSlashes():
            return collapsed
        case EncodePath(encoding):
            return encoder(encoding)
        case TrimSlash():
            return trimmed
        case _:
            return None


def _on_query(step: Step) -> Callable[[list[str]], list[str]] | None:
    """What a step does to the pairs of a query."""
    match step:
        case DropEmptyPairs():
            return lambda pairs: [pair for pair in pairs if pair]
        case EncodeQuery(encoding):
            encode = encoder(encoding)
            return lambda pairs: [encode(pair) for pair in pairs]
        case DropTrackers() | AllowQuery():
            keeps = _Keys(step.keeps)
            return lambda pairs: [pair for pair in pairs if keeps[pair.partition("=")[0]]]
        case SortQuery():
            return lambda pairs: sorted(pairs, key=sort_key)
        case _:
            return None


def _is_usual(policy: Policy) -> bool:
    """Whether the order of the steps cannot matter, and the sets hold nothing that the parser encodes."""
    encodings = [s.encoding for s in policy.steps if isinstance(s, EncodePath | EncodeQuery)]
    kinds = [type(step) for step in policy.steps]
    if kinds.count(EncodePath) != 1 or kinds.count(EncodeQuery) != 1 or DropEmptyPairs not in kinds:
        return False
    path, query = encodings if kinds.index(EncodePath) < kinds.index(EncodeQuery) else encodings[::-1]
    return (
        (SortQuery not in kinds or kinds.index(SortQuery) > kinds.index(EncodeQuery))
        and {"/", "."} <= set(path.kept) <= set(PCHAR + "/")
        and not path.plus_is_space
        and {"&", "="} <= set(query.kept) <= set(PCHAR + "/?") - {"'"}
        and set(path.decoded) == set(query.decoded) <= set(UNRESERVED)
    )


def _has(policy: Policy, kind: type[Step]) -> bool:
    return any(isinstance(step, kind) for step in policy.steps)


def _encoders(policy: Policy) -> tuple[Encoder, Encoder]:
    """The encoders of path and query of a policy of the usual shape."""
    path = next(step.encoding for step in policy.steps if isinstance(step, EncodePath))
    query = next(step.encoding for step in policy.steps if isinstance(step, EncodeQuery))
    return encoder(path), encoder(query)


class _Origins(dict[str, str | None]):
    """Raw origin text → canonical origin, learnt on first sight; None sends the URL to the parser."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.own_ways = {override.host for override in policy.overrides}

    def __missing__(self, raw: str) -> str | None:
        origin = None
        if plain := _plain_origin(raw):
            origin = _lowered(*plain.groups())
        elif _ORIGIN(raw):
            url = parse_url(raw + "/")
            origin = None if isinstance(url, Refused) else _origin_of(url.scheme, url.host, url.port)
        if self.own_ways and origin is not None:
            host = origin.partition("://")[2]
            host = host if host[-1] == "]" else host.rpartition(":")[0] or host
            origin = None if host in self.own_ways else origin
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[raw] = origin
        return origin


def _lowered(origin: str, port: str | None) -> str:
    """A plain origin in its one form: in lower case, without the port that its scheme has anyway."""
    origin = origin.lower()
    return origin if port is None or port == _DEFAULT_PORTS[origin[:7]] else f"{origin}:{port}"


def _origin_of(scheme: str, host: str, port: int | None) -> str:
    return f"{scheme}://{host.removesuffix('.')}" + ("" if port is None else f":{port}")


class _Keys(dict[str, bool]):
    """Raw query key → whether its pairs stay."""

    def __init__(self, keeps: Callable[[str], bool]) -> None:
        super().__init__()
        self.keeps = keeps

    def __missing__(self, key: str) -> bool:
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[key] = answer = self.keeps(decode_key(key))
        return answer


def _pair_filter(policy: Policy) -> Callable[[str], str]:
    """An encoded query → its canonical form: what stays of it, in order; empty where nothing does."""
    keeps = _Keys(policy.keeps_key)
    sorts = _has(policy, SortQuery)

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


def canonicalize_all(texts: Iterable[str], policy: Policy) -> Iterator[CanonicalUrl | Refused]:
    """The canonical form of each text under a policy, in order; as a stream, whatever their number.

    Example:
        urls = ["https://example.com/a?utm_source=x", "mailto:x"]
        for canonical in holdfast.canonicalize_all(urls, holdfast.WEB):
            print(canonical)
    """
    canonical = canonical_text(policy)
    for text in texts:
        found = canonical(text)
        yield found if isinstance(found, Refused) else CanonicalUrl(found, policy.component)
