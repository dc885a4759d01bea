"""Scope: which URLs belong to a mirror.

1. Scope decides on a parsed `Url`, the one that would be fetched, never on a raw text (ID-1).
2. A root is a start's host and the folder of its path: everything up to the last slash. `…/docs/` and
   `…/docs/intro` admit what begins with `/docs/`; `…/docs` admits the whole host.
3. The host must be a root's, port included. `http` and `https` on their default ports are one host.
4. `allow_host` admits another host whole: `cdn.example.com`, `example.com:8080`, `*.example.com` (any
   name below, not the name itself).
5. Patterns are globs over path and query (`/guide/*`, `*?print=1`), or over the whole URL when they hold
   `://`. `*` stands for any run of characters, slashes included; every other character stands for
   itself, `?` too, since it begins the query. A pattern matches the whole text, not a part of it.
6. What an `exclude` matches is out. Where there is an `include`, what none matches is out. A start that
   the user named is exempt from `include` alone.
7. What a generator makes for its own use is out, by its name (`core.noise`), unless `keep_noise` matches it
   or the user named it.
8. `max_depth` bounds the distance from a listed URL, counted in links.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from holdfast.core.errors import UsageError
from holdfast.core.noise import Noise, noise_by_name
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = ["OutOfScope", "Root", "Scope", "check_pattern", "matches"]

_DEFAULT: Final = 0  # 80 of http and 443 of https: one host


class OutOfScope(StrEnum):
    """Why a URL is not part of the mirror; refusals are counted by these words."""

    HOST = "foreign host"
    PATH = "outside the start's folder"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not included"
    DEPTH = "too deep"


@dataclass(frozen=True, slots=True)
class Root:
    """A host and a path prefix that ends with a slash."""

    host: str
    port: int
    prefix: str = "/"

    @classmethod
    def of(cls, start: Url, *, whole_host: bool = False) -> Root:
        """The root that a start URL spans."""
        prefix = "/" if whole_host else start.path[: start.path.rfind("/") + 1]
        return cls(start.host, _port(start), prefix)


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules of one mirror."""

    roots: tuple[Root, ...]
    allow_host: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    keep_noise: tuple[str, ...] = ("*",)

    def refusal(self, url: Url, *, depth: int = 0, named: bool = False) -> OutOfScope | Noise | None:
        """Why a URL is out; None when it is in. `named`: the user named it."""
        if (place := self._place(url)) is not None:
            return place
        if self.max_depth is not None and depth > self.max_depth:
            return OutOfScope.DEPTH
        if any(matches(pattern, url) for pattern in self.exclude):
            return OutOfScope.EXCLUDED
        if self.include and not named and not any(matches(pattern, url) for pattern in self.include):
            return OutOfScope.NOT_INCLUDED
        noise = None if named else noise_by_name(url)
        return None if noise is None or self.keeps_noise(url) else noise

    def keeps_noise(self, url: Url) -> bool:
        """Whether a URL stays in the mirror though a generator made it for its own use."""
        return any(matches(pattern, url) for pattern in self.keep_noise)

    def _place(self, url: Url) -> OutOfScope | None:
        own_host = False
        for root in self.roots:
            if url.host == root.host and _port(url) == root.port:
                own_host = True
                if url.path.startswith(root.prefix):
                    return None
        if self.allow_host and any(_allows(pattern, url) for pattern in self.allow_host):
            return None
        return OutOfScope.PATH if own_host else OutOfScope.HOST


def check_pattern(pattern: str) -> str:
    """The pattern, if it can match anything at all."""
    if not pattern.startswith(("/", "*")) and "://" not in pattern:
        raise UsageError(
            f"the pattern {pattern!r} can match nothing: paths begin with a slash",
            hint=f"write '/{pattern}' or '*{pattern}'; `*` stands for any characters",
        )
    return pattern


def matches(pattern: str, url: Url) -> bool:
    """Whether a glob matches a URL's path and query, or the whole of it."""
    return _glob(pattern, url.href if "://" in pattern else url.target)


def _glob(pattern: str, text: str) -> bool:
    """Match greedily piece by piece: linear, whatever the pattern."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and text.endswith(last)


def _allows(pattern: str, url: Url) -> bool:
    host, _, port = pattern.lower().rpartition(":") if _has_port(pattern) else (pattern.lower(), "", "")
    if port and int(port) != url.effective_port:
        return False
    return url.host.endswith(host[1:]) if host.startswith("*.") else url.host == host


def _has_port(pattern: str) -> bool:
    return pattern.rpartition(":")[2].isdecimal() and not pattern.endswith("]")


def _port(url: Url) -> int:
    return _DEFAULT if url.port is None else url.port
