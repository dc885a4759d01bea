"""What the ledger knows of the URLs that a text cites, whether or not the text was ever tracked (TRK-10)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from holdfast.core.answers.events import Occurrence, cited_event
from holdfast.core.citation_findings import KnownUrl
from holdfast.core.citation_state import standing
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey
from holdfast.core.policy import Policy
from holdfast.ports import Ledger
from holdfast.questions.secure import is_known_to_be_secure

__all__ = ["known_urls"]


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
