"""Which links can be mended without losing anything, and how.

    redirect   the page moved for good, and the same redirect was seen at two looks or more
    https      the link says http, and the same address by https has the same content
    tracker    query parameters that only tell a site where a visitor came from
    file       a local link whose file has other letters, or is the only one of that name elsewhere
    anchor     a local link to a heading that is not there, where one is nearly called so; only on request
    dead       a page that is confirmed dead, where its content is known elsewhere; only on request

1. What a redirect loses is not followed (`core.redirect_loss`), nor is one to an address that holds a secret.
   It is declined, with the reason.
2. A fragment stays with the link; so does everything else that no rule speaks of.
3. `ref` is a tracker for identity, but names a branch on code hosts: a link keeps it.
4. What an ignore covers is left alone; so is a path of one's own site (`/page`).
5. Mending what is mended proposes nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from holdfast.core.citation import Citation, CitedPlace
from holdfast.core.citation_state import standing
from holdfast.core.citing import on_site
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.percent import decode_key
from holdfast.core.policy import Policy
from holdfast.core.redirect_loss import Landing, loss_of
from holdfast.core.steps import HostOverride
from holdfast.core.url import Url, parse_url, secure_form
from holdfast.core.values import dataclass

__all__ = [
    "USUAL_FIXES",
    "Declined",
    "FixFacts",
    "FixKind",
    "Mended",
    "Proposal",
    "Substitutes",
    "archived_address",
    "mend",
    "without_trackers",
]

_KEPT: Final = frozenset(("ref",))
_REDACTED: Final = "[redacted]"


class FixKind(StrEnum):
    """Why a link is mended."""

    REDIRECT = "redirect"
    HTTPS = "https"
    TRACKER = "tracker"
    FILE = "file"
    ANCHOR = "anchor"
    DEAD = "dead"


USUAL_FIXES: Final = frozenset(FixKind) - {FixKind.ANCHOR, FixKind.DEAD}
"""What is mended unless something else is asked for: the nearest heading is a guess, and whether a copy may
stand for a page that died is its author's to say.
"""


@dataclass(frozen=True, slots=True)
class Mended:
    """The URL to write in a link's place, and why; `alike` is how much of the kept text is there."""

    url: str
    kinds: tuple[FixKind, ...]
    alike: float | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """A link that looks as if it could be mended, and must not be."""

    reason: str


Proposal = Mended | Declined | None


class FixFacts(Protocol):
    """What is known besides the link itself."""

    def is_secure(self, node: CitedPlace) -> bool:
        """Whether the same address by https has the same content."""
        ...

    def landing(self, node: CitedPlace) -> Landing:
        """What is known of the place that a redirect leads to."""
        ...

    def substitutes(self, node: CitedPlace) -> Substitutes:
        """What could stand for a page that died."""
        ...


class Substitutes(NamedTuple):
    """For a dead page: a living one of the same content, a copy in a public archive that was found there, and
    in words what else there is.
    """

    elsewhere: str | None = None
    archived: str | None = None
    others: tuple[str, ...] = ()


def mend(
    citation: Citation,
    place: CitedPlace,
    policy: Policy,
    facts: FixFacts,
    wanted: frozenset[FixKind] = USUAL_FIXES,
) -> Proposal:
    """What to do with a link."""
    if citation.ignored or on_site(citation.mention):
        return None
    if FixKind.DEAD in wanted and standing(place) is Standing.DEAD:
        return _substitute(citation, facts.substitutes(place))
    kinds: list[FixKind] = []
    url, alike = citation.mention.raw, None
    target = _redirect_target(citation, place, policy, facts) if FixKind.REDIRECT in wanted else None
    if isinstance(target, Declined):
        return target
    if target is not None:
        url, alike = target
        kinds.append(FixKind.REDIRECT)
    elif FixKind.HTTPS in wanted and (secure := secure_form(url)) is not None and facts.is_secure(place):
        url = secure
        kinds.append(FixKind.HTTPS)
    clean = without_trackers(url, policy) if FixKind.TRACKER in wanted else url
    if clean != url:
        url = clean
        kinds.append(FixKind.TRACKER)
    return Mended(url, tuple(kinds), alike) if url != citation.mention.raw else None


def _substitute(citation: Citation, known: Substitutes) -> Proposal:
    part = f"#{citation.fragment}" if citation.fragment else ""
    if known.elsewhere is not None:
        return Mended(known.elsewhere + part, (FixKind.DEAD,), 1.0)
    if known.archived is not None:
        return Mended(known.archived + part, (FixKind.DEAD,))
    return Declined("; ".join(("it is dead", *known.others)))


def archived_address(pattern: str, node: CitedPlace) -> str:
    """Where a public archive would have a page that died: `{date}` is the last day on which it was not yet
    known to fail, `{url}` the page.
    """
    last = node.looks.since or node.checked_at
    return pattern.replace("{date}", last.strftime("%Y%m%d") if last else "").replace("{url}", node.fetch_url)


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


def _redirect_target(
    citation: Citation, place: CitedPlace, policy: Policy, facts: FixFacts
) -> tuple[str, float | None] | Declined | None:
    if place.state != LinkState.MOVED_PERMANENT or place.final_url is None:
        return None
    if place.fetched_at is None or place.checked_at is None or place.checked_at <= place.fetched_at:
        return Declined("the redirect was seen once; `holdfast fix --fetch-urls` looks again")
    cited, final = parse_url(without_trackers(citation.fetch_url, policy)), parse_url(place.final_url)
    if not isinstance(cited, Url) or not isinstance(final, Url) or _REDACTED in place.final_url:
        return Declined("the redirect leads to an address that holds a secret")
    landing = facts.landing(place)._replace(warnings=place.notes.warnings)
    if citation.finding == LinkState.FRAGMENT_MISSING:
        landing = landing._replace(lacks_section=True)
    if (loss := loss_of(cited, final, landing)) is not None:
        return Declined(loss)
    url = f"{place.final_url}#{citation.fragment}" if citation.fragment else place.final_url
    return url, landing.alike
