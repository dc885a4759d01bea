"""Cookies of one redirect chain, kept per origin.

1. A cookie that an origin sets during a redirect is sent back to that origin, and to no other, for the
   rest of this chain. Then it is forgotten: a page depends on its own chain, not on what was fetched
   before it, so that the output stays a function of the responses (MIR-12).
2. `Domain` and `Path` cannot widen that. `Max-Age` of zero or less removes the cookie.
3. At most 50 cookies and 8 KiB an origin; what is beyond is not kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["ChainCookies", "cookie_field"]

_MOST: Final = 50
_MOST_BYTES: Final = 8 * 1024


def cookie_field(pairs: Iterable[tuple[str, str]]) -> str:
    """The `Cookie` field."""
    return "; ".join(f"{name}={value}" for name, value in pairs)


class ChainCookies:
    """What the origins of one chain have set so far."""

    __slots__ = ("_origins",)

    def __init__(self) -> None:
        self._origins: dict[str, dict[str, str]] = {}

    def of(self, origin: str) -> tuple[tuple[str, str], ...]:
        """What to send to an origin."""
        return tuple(self._origins.get(origin, {}).items())

    def take(self, origin: str, fields: Iterable[str]) -> None:
        """Read an origin's `Set-Cookie` fields."""
        for field in fields:
            pair, *attributes = field.split(";")
            name, equals, value = pair.strip().partition("=")
            if not equals or not name or not pair.isprintable():
                continue
            jar = self._origins.setdefault(origin, {})
            jar.pop(name, None)
            if not _is_over(attributes) and len(jar) < _MOST and _size(jar) + len(pair) <= _MOST_BYTES:
                jar[name] = value


def _is_over(attributes: list[str]) -> bool:
    ages = (a.partition("=")[2].strip() for a in attributes if a.strip().lower().startswith("max-age="))
    return any(age.startswith("-") or age == "0" for age in ages)


def _size(jar: dict[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in jar.items())
