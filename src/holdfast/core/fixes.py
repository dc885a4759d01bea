"""Which links can be mended without losing anything, and how.

    redirect   the page moved for good, and the same redirect was seen at two looks or more
    https      the link says http, and the same address by https has the same content
    tracker    query parameters that only tell a site where a visitor came from
    file       a local link whose file has other letters, or is the only one of that name elsewhere
    anchor     a local link to a heading that is not there, where one is nearly called so; only on request

1. What a redirect loses is not followed: from a page to a front page, to a login, or to an address that
   holds a secret. It is declined, with the reason.
2. A fragment stays with the link; so does everything else that no rule speaks of.
3. `ref` is a tracker for identity, but names a branch on code hosts: a link keeps it.
4. What an ignore covers is left alone.
5. Mending what is mended proposes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from holdfast.core.citation import Citation, CitedPlace
from holdfast.core.link_state import LinkState
from holdfast.core.percent import decode_key
from holdfast.core.policy import Policy
from holdfast.core.steps import HostOverride
from holdfast.core.url import Url, parse_url

__all__ = [
    "USUAL_FIXES",
    "Declined",
    "FixKind",
    "Mended",
    "Proposal",
    "mend",
    "secure_form",
    "without_trackers",
]

_KEPT: Final = frozenset(("ref",))
_LOGIN = re.compile(
    r"/(?:log-?in|sign-?in|sso|auth|oauth2?|accounts?/login|session/new)(?:[/?.]|\Z)", re.IGNORECASE
)
_REDACTED: Final = "[redacted]"


class FixKind(StrEnum):
    """Why a link is mended."""

    REDIRECT = "redirect"
    HTTPS = "https"
    TRACKER = "tracker"
    FILE = "file"
    ANCHOR = "anchor"


USUAL_FIXES: Final = frozenset(FixKind) - {FixKind.ANCHOR}
"""What is mended unless something else is asked for: the nearest heading is a guess."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The URL to write in a link's place, and why."""

    url: str
    kinds: tuple[FixKind, ...]


@dataclass(frozen=True, slots=True)
class Declined:
    """A link that looks as if it could be mended, and must not be."""

    reason: str


Proposal = Mended | Declined | None


def mend(
    citation: Citation,
    place: CitedPlace,
    policy: Policy,
    is_secure: Callable[[CitedPlace], bool],
    wanted: frozenset[FixKind] = frozenset(FixKind),
) -> Proposal:
    """What to do with a link; `is_secure` tells whether the same address by https has the same content."""
    if citation.ignored:
        return None
    kinds: list[FixKind] = []
    url = citation.mention.raw
    target = _redirect_target(citation, place) if FixKind.REDIRECT in wanted else None
    if isinstance(target, Declined):
        return target
    if target is not None:
        url = target
        kinds.append(FixKind.REDIRECT)
    elif FixKind.HTTPS in wanted and (secure := secure_form(url)) is not None and is_secure(place):
        url = secure
        kinds.append(FixKind.HTTPS)
    clean = without_trackers(url, policy) if FixKind.TRACKER in wanted else url
    if clean != url:
        url = clean
        kinds.append(FixKind.TRACKER)
    return Mended(url, tuple(kinds)) if url != citation.mention.raw else None


def secure_form(url: str) -> str | None:
    """The same link by https; None where it is none by http, or names a port, which belongs to its scheme."""
    parsed = parse_url(url) if url[:5].lower() == "http:" else None
    if not isinstance(parsed, Url) or parsed.port is not None:
        return None
    return "https" + url[4:]


def without_trackers(url: str, policy: Policy) -> str:
    """A link without its tracking parameters, everything else as it was written."""
    address, hash_mark, fragment = url.partition("#")
    address, mark, query = address.partition("?")
    parsed = parse_url(url) if mark else None
    if not isinstance(parsed, Url):
        return url
    override = policy.override_for(parsed.host)
    pairs = query.split("&")
    kept = [pair for pair in pairs if _is_kept(pair.partition("=")[0], policy, override)]
    if len(kept) == len(pairs):
        return url
    return address + (f"?{'&'.join(kept)}" if any(kept) else "") + hash_mark + fragment


def _is_kept(raw_key: str, policy: Policy, override: HostOverride | None) -> bool:
    key = decode_key(raw_key)
    return key in _KEPT or policy.keeps_key(key, override)


def _redirect_target(citation: Citation, place: CitedPlace) -> str | Declined | None:
    if place.state != LinkState.MOVED_PERMANENT or place.final_url is None:
        return None
    if place.fetched_at is None or place.checked_at is None or place.checked_at <= place.fetched_at:
        return Declined("the redirect was seen once; look again (`holdfast track --fetch-urls`)")
    cited, final = parse_url(citation.fetch_url), parse_url(place.final_url)
    if not isinstance(cited, Url) or not isinstance(final, Url) or _REDACTED in place.final_url:
        return Declined("the redirect leads to an address that holds a secret")
    if final.path == "/" and final.query is None and cited.path != "/":
        return Declined("the redirect leads to a front page: what was cited is not there")
    if _LOGIN.search(final.target) and not _LOGIN.search(cited.target):
        return Declined("the redirect leads to a login")
    return f"{place.final_url}#{citation.fragment}" if citation.fragment else place.final_url
