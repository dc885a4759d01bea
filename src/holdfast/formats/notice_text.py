"""A message as text: a subject of one line, and a body with a short difference for each page that changed.

Texts of the web are made harmless (SEC-7). A difference has at most twelve lines: what came and what went.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.answers.events import Occurrence
from holdfast.core.event_kind import EventKind
from holdfast.core.event_words import diff_lines, facts_of, headline, subject_of_event
from holdfast.core.notify.message import Message
from holdfast.core.redaction import shown
from holdfast.core.shown_text import harmless

__all__ = ["short_diff", "subject_of_message", "text_of_message"]

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
        lines.append(f"… and {message.more} more: `holdfast changes` and `holdfast changed` list them.")
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
