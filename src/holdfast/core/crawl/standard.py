"""What decides the identity of everything in a mirror, and the places of addresses by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.hashing import SettingsDigest, url_key
from holdfast.core.place import Place
from holdfast.core.policy import Policy
from holdfast.core.recipe import Recipe
from holdfast.core.refusal import Refused
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = ["NO_IDENTITY", "Standard", "place_of", "places", "why_no_place"]

NO_IDENTITY = "no identity"


@dataclass(frozen=True, slots=True)
class Standard:
    """A mirror's policy, `web` for the join (ID-12), and the recipe that names them."""

    recipe: Recipe
    policy: Policy
    web: Policy
    digest: SettingsDigest


def place_of(url: Url, standard: Standard) -> Place | None:
    """A URL's place in the ledger; None where a policy refuses it."""
    return places(standard)(url.href)


def why_no_place(href: str, standard: Standard) -> str:
    """Why an address has no place, in words; all begin alike."""
    refused = (canonical_text(policy)(href) for policy in (standard.policy, standard.web))
    reasons = (text.reason.sentence for text in refused if isinstance(text, Refused))
    return f"{NO_IDENTITY}: {next(reasons, 'no policy names it')}"


@lru_cache(maxsize=8)
def places(standard: Standard) -> Callable[[str], Place | None]:
    """The places of addresses. They are remembered: what one page of a site links to, the next does too."""
    canonical, canonical_web = canonical_text(standard.policy), canonical_text(standard.web)

    @lru_cache(maxsize=2_000)
    def place(href: str) -> Place | None:
        text, web = canonical(href), canonical_web(href)
        if isinstance(text, Refused) or isinstance(web, Refused):
            return None
        key = url_key(text)
        return Place(text, key, key if web == text else url_key(web))  # nearly all are equal

    return place
