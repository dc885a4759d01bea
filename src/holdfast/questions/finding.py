"""A URL as somebody writes it, and the key by which the ledger finds it, whatever version keyed it (ID-13).

Where nothing has the key that the ledger's `web` policy gives a URL, its form is looked up as the runs of the
ledger wrote it: a page is found by its own address, and by every address that its policy merged into it.
"""

from __future__ import annotations

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.citing import place_of_text, web_key_of
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.place import Place
from holdfast.core.policy import Policy, policy_of
from holdfast.ports import Ledger

__all__ = ["find_place", "find_url"]


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
