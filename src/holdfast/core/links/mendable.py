"""Which links can be mended without losing anything, and how.

    redirect   the page moved for good, and the same redirect was seen at two looks or more
    https      the link says http, and the same address by https has the same content
    tracker    query parameters that only tell a site where a visitor came from
    file       a local link whose file has other letters, or is the only one of that name elsewhere
    anchor     a local link to a heading that is not there, where one is nearly called so; only on request
    dead       a page that is confirmed dead, where its content is known elsewhere; only on request

1. What a redirect loses is not followed, nor is one to an address that holds a secret. It is declined, with
   the reason.
2. A fragment stays with the link; so does everything else that no rule speaks of.
3. `ref` is a tracker for identity, but names a branch on code hosts: a link keeps it.
4. What an ignore covers is left alone; so is a path of one's own site (`/page`).
5. Mending what is mended proposes nothing.

What a redirect would lose if a link were written anew (TRK-14): that it is permanent is what a server
says, not that the page is there.

6. By address: a front page, the start of a language or of the site, a login, an ancestor of the cited page,
   a page for what is not there (`/404`, `/search`), the same path without the query that named the page,
   and a place that other cited pages of other names are redirected to as well. A page that keeps its name
   (`/v1/install.html` → `/docs/install/`) is what it was, wherever it lies.
7. By section: the page that answers has no section of the cited name.
8. By what answers: a page that says that it is not there, a login, a question about cookies (TXT-6).
9. By safety: a link by https is not written as one by http.
10. By text: where a copy of the page from before it moved was kept, it is compared with what answers now.
    Texts with less than `ALIKE` in common are two pages; texts with more are one, whatever the addresses.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from holdfast.core.base.values import dataclass
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Citation, CitedPlace
from holdfast.core.links.citing import on_site
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.page import PageWarning
from holdfast.core.url.policy import Policy
from holdfast.core.url.steps import HostOverride, decode_key
from holdfast.core.url.url import Url, parse_url, secure_form

ALIKE: Final = 0.5
_LOGIN = re.compile(
    r"/(?:log-?in|sign-?in|sso|auth|oauth2?|accounts?/login|session/new)(?:[/?.]|\Z)", re.IGNORECASE
)
_START = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2,4})?/?)?(?:(?:index|default|home|main|start|welcome|landing)"
    r"(?:\.(?:x?html?|php|aspx?|jsp|cfm))?/?)?",
    re.IGNORECASE,
)
_NOWHERE = re.compile(
    r"/(?:404|410|errors?|not[-_]?found|page[-_]not[-_]found|gone|removed|expired|search|sitemap)"
    r"(?:\.(?:x?html?|php|aspx?|jsp))?/?",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\.(?:x?html?|php|aspx?|jsp|md|rst|txt|pdf)\Z", re.IGNORECASE)
_INDEX: Final = frozenset(("index", "default", "home"))
_ANSWERS: Final = {
    PageWarning.SOFT_404: "a page that says that it is not there",
    PageWarning.LOGIN_WALL: "a login",
    PageWarning.CONSENT_WALL: "a question about cookies",
}


class Landing(NamedTuple):
    """Where a redirect led: how many other cited pages lead there too, whether the cited section is missing,
    how much of the kept text is there (None where nothing was kept to compare), and what is odd about the
    page that answers.
    """

    shared_with: int = 0
    lacks_section: bool = False
    alike: float | None = None
    warnings: tuple[str, ...] = ()


def loss_of(cited: Url, final: Url, landing: Landing) -> str | None:
    """Why a redirect must not be written into a document; None where nothing is lost by it."""
    if landing.lacks_section:
        return "the page that it leads to has no such section"
    if _LOGIN.search(final.target) and not _LOGIN.search(cited.target):
        return "the redirect leads to a login"
    if (
        answers := next((words for odd, words in _ANSWERS.items() if odd in landing.warnings), None)
    ) is not None:
        return f"the redirect leads to {answers}"
    if cited.scheme == "https" and final.scheme == "http":
        return "the redirect leads from https to http"
    if landing.alike is not None:
        if landing.alike < ALIKE:
            return f"the page that it leads to is another one: {landing.alike:.0%} of the kept text is there"
        return None
    return _loss_by_address(cited, final, landing)


def _loss_by_address(cited: Url, final: Url, landing: Landing) -> str | None:
    if _START.fullmatch(final.path) and final.query is None and not _START.fullmatch(cited.path):
        return "the redirect leads to a front page: what was cited is not there"
    if _NOWHERE.search(final.path) and not _NOWHERE.search(cited.path):
        return "the redirect leads to a page for what is not there"
    if _name(cited) == _name(final):
        return None
    if cited.query and final.query is None and _segments(cited) == _segments(final):
        return "the redirect leads to the same address without its query: what was cited may not be there"
    if _is_ancestor(final, cited):
        return "the redirect leads to a page above the cited one: what was cited may not be there"
    if landing.shared_with:
        several = landing.shared_with > 1
        others = f"{landing.shared_with} other cited pages are" if several else "another cited page is"
        return f"{others} redirected to the same place: what was cited may not be there"
    return None


def _segments(url: Url) -> list[str]:
    parts = [_EXTENSION.sub("", part).lower() for part in url.path.split("/") if part]
    return parts[:-1] if parts and parts[-1] in _INDEX else parts


def _name(url: Url) -> tuple[str, str | None]:
    """What a page is called: the last part of its path, and its query."""
    parts = _segments(url)
    return (parts[-1] if parts else "", url.query)


def _is_ancestor(above: Url, below: Url) -> bool:
    upper, lower = _segments(above), _segments(below)
    return len(upper) < len(lower) and lower[: len(upper)] == upper


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
