"""A notice with its events, as it is delivered: who wants which, in which order, when, and how it reads.

1. The worst is told first. A message holds up to a hundred events; the rest are counted.
2. By day: what was gathered is told at the first moment after that time of day, if anything was.

Which events somebody wants to be told of:

3. An event is wanted whose kind is, whose URL a pattern matches (where there are patterns) and none of
   `skip` does, and, if a page changed, which changed enough. A change that nobody could measure is a whole
   one.
4. A pattern with a section wants a change of that section: by its anchor, or as it is cited. That the whole
   page went, died or moved concerns every section.
5. That a run failed has no URL: it is wanted where there are no patterns, or where it is named.
6. What a filter needs to know of sections and drift may take reading the archive: `may_want` decides by
   what is known without, `wants` by all of it.

As text a message has a subject of one line, and a body with a short difference for each page that changed:

7. Texts of the web are made harmless (SEC-7). A difference has at most twelve lines: what came and what
   went.

As JSON it is what a webhook or a command is given; what is on its way has its JSON here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final

from holdfast.core.base.json_shape import (
    BOOLEAN,
    COUNT,
    DATE_TIME,
    DRIFT,
    HASH,
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
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence, diff_lines, facts_of, headline, subject_of_event
from holdfast.core.lineage.event_kind import EventKind, Notice, SectionVerdict
from holdfast.core.links.link_shapes import BACKLINK
from holdfast.core.page.section import SectionChange
from holdfast.core.settings.receivers import Channel, Digest, EventFilter, Target, UrlPattern
from holdfast.core.url.redaction import shown
from holdfast.core.url.scope import matches
from holdfast.core.url.url import Url, parse_url

MOST_EVENTS: Final = 100
_WORST: Final = (
    EventKind.FAILED,
    EventKind.DIED,
    EventKind.GONE,
    EventKind.MOVED,
    EventKind.CHANGED,
    EventKind.NEW,
    EventKind.REVIVED,
)


@dataclass(frozen=True, slots=True)
class Message:
    """A notice with its events, as it is delivered; `counts` has all of them by kind, `events` the worst."""

    notice_id: str
    target: str
    made_at: datetime
    counts: Mapping[EventKind, int]
    events: tuple[Occurrence, ...]
    is_test: bool = False

    @property
    def more(self) -> int:
        """How many events there are beside those in the message."""
        return sum(self.counts.values()) - len(self.events)


@dataclass(frozen=True, slots=True)
class NoticeList:
    """Who is told, what waits for them, and what was sent last.

    `owed` counts the runs whose events were not gathered yet, by target; one that the settings do not name
    any more may be among them.
    """

    targets: tuple[Target, ...]
    owed: Mapping[str, int]
    unsent: tuple[Notice, ...]
    sent: tuple[Notice, ...]


def digest_is_due(target: Target, oldest: datetime, now: datetime) -> bool:
    """Whether what was gathered since `oldest` is told now; times of day are those of `now`."""
    if target.digest is Digest.RUN:
        return True
    at = now.replace(hour=target.at.hour, minute=target.at.minute, second=target.at.second, microsecond=0)
    last = at if at <= now else at - timedelta(days=1)
    return oldest < last


def worst_first(events: Iterable[Occurrence], most: int = MOST_EVENTS) -> list[Occurrence]:
    """The worst of any number of events, in the order in which they are told."""
    return nsmallest(most, events, key=lambda event: (_WORST.index(event.kind), event.url, event.at))


_WORSE = (SectionVerdict.CHANGED, SectionVerdict.MISSING)


def may_want(wanted: EventFilter, event: Occurrence) -> bool:
    """Whether an event can be wanted, by its kind and URL."""
    return (
        event.kind in wanted.kinds
        and (not event.url or bool(_matching(wanted, event)))
        and (bool(event.url) or wanted.tells_of_runs)
    )


def needs_reading(wanted: EventFilter, event: Occurrence) -> bool:
    """Whether what the archive knows of a change decides."""
    if event.kind is not EventKind.CHANGED:
        return False
    has_section = any(pattern.section for pattern in wanted.urls)
    return has_section or (wanted.drift > 0 and event.drift is None)


def wants(wanted: EventFilter, event: Occurrence) -> bool:
    """Whether an event is wanted, by all that is known of it."""
    if not may_want(wanted, event):
        return False
    if event.kind is not EventKind.CHANGED:
        return True
    amount = event.drift.amount if event.drift else 1.0
    return amount >= wanted.drift and any(
        not pattern.section or _concerns(event, pattern.section) for pattern in _matching(wanted, event)
    )


def _matching(wanted: EventFilter, event: Occurrence) -> tuple[UrlPattern, ...]:
    """The patterns that let an event through; where there are none, one for everything."""
    url = parse_url(event.url)
    if not isinstance(url, Url) or any(matches(pattern.glob, url) for pattern in wanted.skip):
        return ()
    if not wanted.urls:
        return (UrlPattern("*"),)
    sections = event.kind is not EventKind.NEW
    return tuple(p for p in wanted.urls if matches(p.glob, url) and (sections or not p.section))


def _concerns(event: Occurrence, section: str) -> bool:
    if event.sections.get(section) in _WORSE:
        return True
    changed = event.page.sections if event.page else ()
    return any(each.anchor == section or section in each.headings[-1:] for each in changed)


_LINES: Final = 12
_WIDTH: Final = 200
_CITATIONS: Final = 5
_WORDS: Final = {EventKind.DIED: "dead"}
_TRIAL: Final = "Holdfast: a trial"


def subject_of_message(message: Message) -> str:
    """One line: what happened, how often; of one event, to what."""
    if message.is_test:
        return _TRIAL
    if len(message.events) == 1 and not message.more:
        return _line(f"Holdfast: {headline(message.events[0])}")
    counts = ", ".join(f"{count} {_WORDS.get(kind, kind)}" for kind, count in message.counts.items())
    return f"Holdfast: {counts}"


def text_of_message(message: Message) -> str:
    """The whole of it."""
    if message.is_test:
        return f"This is a trial of [notify.{message.target}]. It reached you.\n"
    lines: list[str] = []
    for event in message.events:
        lines += [*_event_lines(event), ""]
    if message.more:
        lines.append(f"… and {message.more} more: `holdfast log` lists them.")
    return "\n".join(lines).rstrip() + "\n"


def short_diff(event: Occurrence) -> tuple[str, ...]:
    """The lines that came and went, the first few of them."""
    lines = [line for line in diff_lines(event) if line[:1] in "+-" and line.strip("+- ")]
    shortened = [line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…" for line in lines[:_LINES]]
    return (*shortened, f"… {len(lines) - _LINES} more lines") if len(lines) > _LINES else tuple(shortened)


def _event_lines(event: Occurrence) -> Iterator[str]:
    yield _line(headline(event))
    if event.url and subject_of_event(event) != shown(event.url):
        yield f"  {_line(shown(event.url))}"
    facts = facts_of(event)
    if facts:
        yield f"  {_line(facts)}"
    sections = [each for each in event.page.sections if each.headings] if event.page else []
    if sections:
        yield f"  in: {_line('; '.join(' › '.join(each.headings) for each in sections[:_CITATIONS]))}"
    for link in event.citations[:_CITATIONS]:
        yield f"  cited in {_line(link.document)}:{link.line}"
    if len(event.citations) > _CITATIONS:
        yield f"  and in {len(event.citations) - _CITATIONS} more places"
    yield from (f"    {_line(line)}" for line in short_diff(event))


def _line(text: str) -> str:
    return harmless(" ".join(text.split()) if text[:1] not in "+-" else text)


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

NOTIFY_LIST: Final = Schema(
    "notify-list",
    "What `holdfast notify --json` prints: who is told, what waits for them, what was sent last.",
    record(
        targets=array(record(name=TEXT, channel=one_of(Channel), digest=one_of(Digest))),
        owed=described(mapping(COUNT), "Runs whose events were not gathered yet, by target."),
        unsent=array(_NOTICE),
        sent=array(_NOTICE),
    ),
)

NOTIFY_DELIVERIES: Final = Schema(
    "notify-deliveries",
    "What `holdfast notify send --json` and `notify send --test --json` print: what became of each attempt.",
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

NOTIFY_DROPPED: Final = Schema(
    "notify-dropped",
    "What `holdfast notify drop --json` prints: how many notices a target was not sent.",
    record(target=TEXT, notices=COUNT),
)
