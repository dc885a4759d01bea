"""Where a redirect leads, decided by hand (ID-9).

1. 301, 302, 303, 307 and 308 with a `Location` are redirects. 300 and 304 are not.
2. `Location` is read as browsers do: relative to the URL that answered, its raw bytes as UTF-8 where they
   are, and percent-encoded where they are not. A fragment is inherited unless a new one is given.
3. A loop is the same question twice: the same address asked with the same cookies.
4. Whether the next hop may be asked (scope, robots, address) is asked of every hop, elsewhere.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.capture import Denial, Failure
from holdfast.core.refusal import Refusal, Refused
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass

__all__ = ["REDIRECTS", "BadHop", "ForbiddenHop", "next_hop"]

REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class BadHop:
    """A redirect that leads nowhere."""

    failure: Failure
    detail: str


@dataclass(frozen=True, slots=True)
class ForbiddenHop:
    """A redirect to something that Holdfast does not ask."""

    denial: Denial
    detail: str


def next_hop(url: Url, status: int, location: str | None) -> Url | BadHop | ForbiddenHop:
    """The URL that a redirect from `url` names; `location` is the field's bytes as latin-1."""
    if not location:
        return BadHop(Failure.BAD_REDIRECT, f"{status} without a Location")
    target = parse_url(_as_text(location), url)
    if isinstance(target, Refused):
        if target.reason is Refusal.SCHEME:
            return ForbiddenHop(Denial.SCHEME, f"{status} to another scheme: {target.detail}")
        return BadHop(Failure.BAD_REDIRECT, f"{status} to what is not a URL ({target.reason})")
    return target if target.fragment or not url.fragment else target._replace(fragment=url.fragment)


def _as_text(location: str) -> str:
    raw = location.encode("latin-1", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
