"""From what a reader found to mentions: lines and columns, names on one line, URLs without white space."""

from __future__ import annotations

from holdfast.core.page import Mention, Span
from holdfast.formats.documents.found import Found
from holdfast.formats.documents.source import Source

__all__ = ["mentions_of"]


def mentions_of(found: list[Found], source: Source) -> tuple[Mention, ...]:
    """The finds of a whole file, as they are told."""
    spans = _spans(found, source)
    mentions = []
    for url, text, kind, start, end, used_at in found:
        used = spans[used_at, used_at] if used_at >= 0 else None
        words = " ".join(text.split()) if "\n" in text or "  " in text else text.strip()
        mentions.append(Mention(url.strip(), words, kind, spans[start, end], used))
    return tuple(mentions)


def _spans(found: list[Found], source: Source) -> dict[tuple[int, int], Span]:
    """Every place, asked for in order."""
    places = [(find.start, find.end) for find in found]
    places += [(find.used_at, find.used_at) for find in found if find.used_at >= 0]
    return {place: source.span(*place) for place in sorted(set(places))}
