"""The overrides file: what the user knows about single hosts (ID-5).

    {
      "version": 3,
      "overrides": [
        {
          "match": {"host": "example.com"},
          "drop_query_params": ["src", "partner"],
          "keep_query_params": ["ref"],
          "rewrite_rules": [
            {"from_prefix": "https://example.com/amp/", "to_prefix": "https://example.com/"}
          ]
        }
      ]
    }

1. All or nothing: the first fault is an error that names its place as a JSON pointer.
2. Hosts match exactly, without port; the first entry of a host wins, a second one is a warning.
3. Prefixes match on segment boundaries; a final slash is not part of them.
4. A rewrite whose result could match a rule again must make the URL shorter: so rewriting always ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from holdfast.core.base.errors import ConfigError, nearest
from holdfast.core.base.plain_data import read_json
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import SITE, Overrides
from holdfast.core.url.steps import HostOverride, Rewrite, list_key, never_a_key
from holdfast.core.url.url import Refused, parse_url

_FILE_KEYS = ("version", "overrides")
_ENTRY_KEYS = ("match", "drop_query_params", "keep_query_params", "rewrite_rules")


def read_overrides(text: str, place: str) -> Overrides:
    """Read and check a whole file; `place` is how messages name it."""
    try:
        document = read_json(text, _object_without_repeats)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{place}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise ConfigError(f"{place}: {error}") from None
    return _Reader(place).file(document)


class _RepeatedKeyError(ValueError):
    pass


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands there twice")
    return found


class _Reader:
    """Walks the document with the pointer to where it is."""

    def __init__(self, place: str) -> None:
        self.place = place

    def fail(self, pointer: str, message: str, hint: str | None = None) -> NoReturn:
        raise ConfigError(f"{self.place}: {pointer or '/'}: {message}", hint=hint)

    def file(self, document: Any) -> Overrides:
        table = self.table(document, "", _FILE_KEYS)
        version = table.get("version", 0)
        if isinstance(version, bool) or not isinstance(version, int) or version < 0:
            self.fail("/version", f"expected a whole number of at least 0, not {version!r}")
        hosts: list[HostOverride] = []
        warnings = []
        for pointer, entry in self.items(table.get("overrides", []), "/overrides"):
            override = self.entry(entry, pointer)
            if any(override.host == earlier.host for earlier in hosts):
                warnings.append(
                    f"{self.place}: {pointer}: a second entry for {override.host}; the first one wins"
                )
            else:
                hosts.append(override)
        self.refuse_endless_rewrites(hosts, table.get("overrides", []))
        return Overrides(version, tuple(hosts), tuple(warnings))

    def entry(self, entry: Any, pointer: str) -> HostOverride:
        table = self.table(entry, pointer, _ENTRY_KEYS)
        if "match" not in table:
            self.fail(pointer, "there is no match")
        match = self.table(table["match"], f"{pointer}/match", ("host",))
        host = self.host(match.get("host"), f"{pointer}/match/host")
        dropped = self.names(table.get("drop_query_params", []), f"{pointer}/drop_query_params")
        kept = self.names(table.get("keep_query_params", []), f"{pointer}/keep_query_params")
        if both := dropped & kept:
            self.fail(f"{pointer}/keep_query_params", f"{min(both)!r} is to be dropped and kept")
        rewrites = tuple(
            self.rewrite(rule, host, place)
            for place, rule in self.items(table.get("rewrite_rules", []), f"{pointer}/rewrite_rules")
        )
        return HostOverride(host, dropped, kept, rewrites)

    def host(self, value: Any, pointer: str) -> str:
        if not isinstance(value, str) or not value or any(char in value for char in "/:@?#\\"):
            self.fail(pointer, f"expected a host name without port, not {value!r}")
        url = parse_url(f"https://{value}/")
        if isinstance(url, Refused):
            self.fail(pointer, f"{value!r} is not a host name")
        return url.host.removesuffix(".")

    def names(self, value: Any, pointer: str) -> frozenset[str]:
        found = set()
        for place, name in self.items(value, pointer):
            if not isinstance(name, str):
                self.fail(place, f"expected the name of a query parameter, not {name!r}")
            if why := never_a_key(name):
                self.fail(place, f"{name!r} {why}")
            found.add(list_key(name))
        return frozenset(found)

    def rewrite(self, rule: Any, host: str, pointer: str) -> Rewrite:
        table = self.table(rule, pointer, ("from_prefix", "to_prefix"))
        prefixes = [self.prefix(table.get(key), f"{pointer}/{key}") for key in ("from_prefix", "to_prefix")]
        if parse_url(prefixes[0]).host != host:  # type: ignore[union-attr]  # it was parsed a line above
            self.fail(f"{pointer}/from_prefix", f"is not on {host}, so it would never match")
        if prefixes[0][-1] in "-_.~=:":
            self.fail(
                f"{pointer}/from_prefix",
                "ends inside a segment, and prefixes match whole segments",
                hint=f"{prefixes[0]} would match that page and what is below it, and nothing that goes on",
            )
        return Rewrite(*prefixes)

    def prefix(self, value: Any, pointer: str) -> str:
        if not isinstance(value, str) or "?" in value or "#" in value:
            self.fail(pointer, f"expected the beginning of a URL, without query or fragment, not {value!r}")
        canonical = canonicalize(value, SITE)
        if isinstance(canonical, Refused):
            self.fail(pointer, str(canonical))
        return canonical.text.removesuffix("/")

    def refuse_endless_rewrites(self, hosts: list[HostOverride], entries: list[Any]) -> None:
        everything = [rule for override in hosts for rule in override.rewrites]
        for rule in everything:
            again = next((other for other in everything if _could_match(rule.to_prefix, other)), None)
            if again and len(rule.to_prefix) >= len(rule.from_prefix):
                pointer = self.where(rule, entries)
                self.fail(
                    pointer,
                    f"{rule.from_prefix} → {rule.to_prefix} could match {again.from_prefix} again "
                    "without being shorter: rewriting might never end",
                )

    def where(self, rule: Rewrite, entries: list[Any]) -> str:
        for place, entry in self.items(entries, "/overrides"):
            for inner, raw in self.items(entry.get("rewrite_rules", []), f"{place}/rewrite_rules"):
                if self.prefix(raw["from_prefix"], inner) == rule.from_prefix:
                    return inner
        return "/overrides"

    def table(self, value: Any, pointer: str, known: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(pointer, f"expected an object, not {value!r}")
        for key in value:
            if key not in known:
                guess = nearest(key, known)
                escaped = key.replace("~", "~0").replace("/", "~1")
                self.fail(
                    f"{pointer}/{escaped}", "unknown key", f"did you mean {guess!r}?" if guess else None
                )
        return value

    def items(self, value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
        if not isinstance(value, list):
            self.fail(pointer, f"expected a list, not {value!r}")
        for number, item in enumerate(value):
            yield f"{pointer}/{number}", item


def _could_match(prefix: str, rule: Rewrite) -> bool:
    """Whether some URL that begins with `prefix` begins with the rule's prefix, on segment boundaries."""
    longer, shorter = sorted((prefix, rule.from_prefix), key=len, reverse=True)
    return (longer + "/").startswith(shorter + "/")
