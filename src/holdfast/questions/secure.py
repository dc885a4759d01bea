"""Whether a page that is cited by http is the same by https, as far as the ledger knows."""

from __future__ import annotations

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.canonical_fast import canonicalize
from holdfast.core.citation import CitedPlace
from holdfast.core.citation_state import standing
from holdfast.core.link_state import Standing
from holdfast.core.policy import Policy
from holdfast.core.url import secure_form
from holdfast.ports import CitationLedger

__all__ = ["is_known_to_be_secure"]


def is_known_to_be_secure(ledger: CitationLedger, policy: Policy, node: CitedPlace) -> bool:
    """True of a place whose https form is known too, alive, with the same content."""
    secure = secure_form(node.place.url)
    if secure is None or node.content_sha256 is None:
        return False
    canonical = canonicalize(secure, policy)
    other = ledger.place(canonical.key) if isinstance(canonical, CanonicalUrl) else None
    return (
        other is not None
        and standing(other) is Standing.ALIVE
        and other.content_sha256 == node.content_sha256
    )
