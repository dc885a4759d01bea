"""The JSON of notifications: what a webhook or a command is given, and what is on its way."""

from __future__ import annotations

from typing import Final

from holdfast.core.change_detail import SectionVerdict
from holdfast.core.event_kind import EventKind
from holdfast.core.event_words import facts_of, headline
from holdfast.core.notify.target import Channel, Digest
from holdfast.core.redaction import shown
from holdfast.core.section_moves import SectionChange
from holdfast.formats.notice_text import short_diff, subject_of_message
from holdfast.formats.schemas.pieces import BACKLINK, DRIFT, HASH
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    COUNT,
    DATE_TIME,
    INTEGER,
    TEXT,
    Schema,
    array,
    at,
    counts_of,
    described,
    mapping,
    one_of,
    optional,
    record,
)

__all__ = ["DELIVERIES", "NOTICES", "NOTICES_DROPPED", "NOTIFICATION"]

_EVENT: Final = record(
    event_id=described(HASH, "What the event is called; the same wherever it is told."),
    kind=one_of(EventKind),
    at=DATE_TIME,
    url=at(
        lambda event: shown(event.url) if event.url else "",
        described(TEXT, "The canonical URL, without secrets; empty where a run as a whole failed."),
    ),
    title=TEXT,
    headline=at(headline, TEXT),
    facts=at(facts_of, described(TEXT, "What else is known, in words.")),
    run_id=TEXT,
    mirror=at("label", described(TEXT, "The mirror's folder; empty for what documents cite.")),
    version=optional(INTEGER),
    old=described(optional(TEXT), "What a cited URL was: its revision, state, or address."),
    new=optional(TEXT),
    drift=optional(DRIFT),
    changed_sections=at(
        lambda event: event.page.sections if event.page else (),
        array(
            record(
                anchor=optional(TEXT),
                headings=array(TEXT),
                change=one_of(SectionChange),
                added=COUNT,
                removed=COUNT,
            )
        ),
    ),
    cited_sections=at("sections", mapping(one_of(SectionVerdict))),
    diff=at(short_diff, described(array(TEXT), "The first lines that came (+) and went (-).")),
    citations=array(BACKLINK),
)

NOTIFICATION: Final = Schema(
    "notification",
    "What a webhook is sent, and a command of [notify.NAME] reads on its standard input. `id` is the same "
    "when a delivery is tried again.",
    record(
        id=at("notice_id", HASH),
        target=TEXT,
        made_at=DATE_TIME,
        is_test=BOOLEAN,
        subject=at(subject_of_message, TEXT),
        counts=counts_of(EventKind),
        events=array(_EVENT),
        more=described(COUNT, "How many events there are beside those listed."),
    ),
)

_NOTICE: Final = record(
    id=at("notice_id", HASH),
    target=TEXT,
    made_at=DATE_TIME,
    events=COUNT,
    attempts=COUNT,
    next_try=DATE_TIME,
    trouble=TEXT,
    sent_at=optional(DATE_TIME),
)

NOTICES: Final = Schema(
    "notices",
    "What `holdfast notify --json` prints: who is told, what waits for them, what was sent last.",
    record(
        targets=array(record(name=TEXT, channel=one_of(Channel), digest=one_of(Digest))),
        owed=described(mapping(COUNT), "Runs whose events were not gathered yet, by target."),
        unsent=array(_NOTICE),
        sent=array(_NOTICE),
    ),
)

DELIVERIES: Final = Schema(
    "deliveries",
    "What `holdfast notify send --json` and `notify test --json` print: what became of each attempt.",
    record(
        deliveries=at(
            "attempts",
            array(
                record(
                    id=at("notice_id", HASH),
                    target=TEXT,
                    events=COUNT,
                    trouble=described(TEXT, "Empty where the target took it."),
                    next_try=optional(DATE_TIME),
                )
            ),
        )
    ),
)

NOTICES_DROPPED: Final = Schema(
    "notices-dropped",
    "What `holdfast notify drop --json` prints: how many notices a target was not sent.",
    record(target=TEXT, notices=COUNT),
)
