"""What a target means in an open store: a URL, a place, a host or a pattern.

A URL is found whatever version keyed it (ID-13). Where nothing has the key that the ledger's `web` policy
gives it, its form is looked up as the runs of the ledger wrote it: a page is found by its own address, and
by every address that its policy merged into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.links.citing import place_of_text, web_key_of
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy, policy_of
from holdfast.core.url.url import Place

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


def find_url(ledger: Ledger, text: str, policy: Policy, *, merged: bool = True) -> tuple[str, UrlKey]:
    """The form by the ledger's `web` policy of the URL that a text names, and the key that finds it; without
    `merged`, no page that only stands for it.
    """
    url, key = web_key_of(text, policy)
    return url, _known(ledger, text if merged else url, key, merged=merged)


def find_place(ledger: Ledger, text: str, policy: Policy) -> Place | None:
    """The place that a text names, with the key that finds it; None where it names none."""
    place = place_of_text(text, policy)
    return place._replace(web_key=_known(ledger, text, place.web_key)) if place else None


def _known(ledger: Ledger, text: str, key: UrlKey, *, merged: bool = True) -> UrlKey:
    if ledger.joins.has_key(key):
        return key
    recipes = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = (policy_of(component) for component in sorted(filter(None, recipes), key=str))
    for policy in filter(None, policies):
        form = canonical_text(policy)(text)
        if isinstance(form, str) and (merged or form == text):
            found = ledger.joins.key_of(url_key(form))
            if found is not None:
                return found
    return key


_WILD: Final = frozenset("*?[")


def is_url(target: str) -> bool:
    """Whether a target of `backlinks` names one URL, rather than a host or a pattern."""
    return "://" in target and not is_pattern(target.partition("?")[0])


def is_pattern(target: str) -> bool:
    """Whether a target has a wild character: `*`, `?` or `[`."""
    return bool(_WILD.intersection(target))
