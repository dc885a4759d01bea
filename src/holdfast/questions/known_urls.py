"""What the ledger knows of the URLs that a text cites, whether or not the text was ever tracked (TRK-10).

It also tells whether a page that is cited by http is known to be the same by https.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from holdfast.core.base.hashing import UrlKey
from holdfast.core.events.happenings import Occurrence, cited_event
from holdfast.core.findings.cited_findings import KnownUrl
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import CitedPlace
from holdfast.core.links.link_state import Standing
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import Policy
from holdfast.core.url.url import secure_form

if TYPE_CHECKING:
    from holdfast.storage.ledger.citation_table import CitationTable
    from holdfast.storage.ledger.ledger import Ledger


def known_urls(
    ledger: Ledger, keys: Collection[UrlKey], policy: Policy, news_since: datetime
) -> dict[UrlKey, KnownUrl]:
    """What is known of URLs, by `web` key; a change counts as news from `news_since` on."""
    nodes = [node for key in keys if (node := ledger.citations.place(key)) is not None]
    kept = ledger.archived.last_of({node.place.key: None for node in nodes}) if nodes else {}
    changes: dict[UrlKey, Occurrence] = {}
    if nodes:
        events = ledger.citations.events(news_since, (EventKind.CHANGED,))
        changes = {event.place.web_key: cited_event(event, ()) for event in events}
    return {
        node.place.web_key: KnownUrl(
            node,
            standing(node),
            original.fetched_at.date() if (original := kept.get(node.place.key)) else None,
            is_known_to_be_secure(ledger.citations, policy, node),
            changes.get(node.place.web_key),
        )
        for node in nodes
    }


def is_known_to_be_secure(ledger: CitationTable, policy: Policy, node: CitedPlace) -> bool:
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
