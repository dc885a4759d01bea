"""What several schemas share: hashes, addresses, times, a citation, a cited URL."""

from __future__ import annotations

from typing import Final

from holdfast.core.base.json_shape import (
    BID,
    BOOLEAN,
    COUNT,
    HASH,
    INTEGER,
    POSITIVE,
    SECONDS,
    TEXT,
    Shape,
    array,
    at,
    inside,
    one_of,
    optional,
    record,
    sometimes,
    tuple_of,
)
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.page import LinkKind
from holdfast.core.url.redaction import shown

STATE: Final = one_of(LinkState)
STANDING: Final = one_of(Standing)


SHOWN: Final = Shape(TEXT.schema, shown)
"""An address, or a text that may be one, without its secrets (SEC-3)."""

CITATION: Final = record(
    url=at("place.url", SHOWN),
    raw=at("mention.raw", SHOWN),
    text=at("mention.text", SHOWN),
    kind=at("mention.kind", one_of(kind for kind in LinkKind if kind is not LinkKind.ALTERNATE)),
    fragment=TEXT,
    line=at("mention.span.line", POSITIVE),
    column=at("mention.span.column", POSITIVE),
    utf16_column=at("mention.span.utf16_column", POSITIVE),
    start=at("mention.span.start", COUNT),
    end=at("mention.span.end", COUNT),
    ignored=BOOLEAN,
    finding=one_of((None, LinkState.FRAGMENT_MISSING)),
)
"""A citation, with its exact place in the document."""

BACKLINK: Final = record(document=TEXT, **inside("citation", CITATION))
"""A citation, with its document."""

EVIDENCE: Final = record(
    rule=sometimes(lambda notes: notes.evidence.rule or None, TEXT),
    status=sometimes(lambda notes: notes.evidence.status or None, INTEGER),
    hops=sometimes(lambda notes: notes.evidence.hops or None, array(tuple_of(TEXT, INTEGER, TEXT))),
    header=sometimes(lambda notes: notes.evidence.header or None, TEXT),
    detail=sometimes(lambda notes: notes.evidence.detail or None, TEXT),
)
"""What a state rests on: the rule that decided, and what it saw."""

NODE: Final = record(
    url=SHOWN,
    url_bid=at("node.url_bid", BID),
    bid=at("node.bid", optional(BID)),
    state=STATE,
    standing=STANDING,
    status_code=at("status", optional(INTEGER)),
    final_url=optional(SHOWN),
    content_hash=at("node.content_sha256", optional(HASH)),
    fetched_at=at("node.fetched_at", optional(SECONDS)),
    checked_at=optional(SECONDS),
    failures=at("node.looks.failures", INTEGER),
    failing_since=at("node.looks.since", optional(SECONDS)),
    evidence=at("notes", EVIDENCE),
    warnings=at("notes.warnings", array(TEXT)),
)
"""A cited URL (`questions.links.CitedUrl`), with all that its state rests on."""
