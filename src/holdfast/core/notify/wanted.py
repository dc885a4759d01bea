"""Which events somebody wants to be told of.

1. An event is wanted whose kind is, whose URL a pattern matches (where there are patterns) and none of `skip`
   does, and, if a page changed, which changed enough. A change that nobody could measure is a whole one.
2. A pattern with a section wants a change of that section: by its anchor, or as it is cited. That the whole
   page went, died or moved concerns every section.
3. That a run failed has no URL: it is wanted where there are no patterns, or where it is named.
4. What a filter needs to know of sections and drift may take reading the archive: `may_want` decides by what
   is known without, `wants` by all of it.
"""

from __future__ import annotations

from holdfast.core.answers.events import Occurrence
from holdfast.core.change_detail import SectionVerdict
from holdfast.core.event_kind import EventKind
from holdfast.core.notify.target import EventFilter, UrlPattern
from holdfast.core.scope import matches
from holdfast.core.url import Url, parse_url

__all__ = ["may_want", "needs_reading", "wants"]

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
