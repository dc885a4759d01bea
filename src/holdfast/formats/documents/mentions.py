"""From what a reader found to mentions: lines and columns, names on one line, URLs without white space."""

from __future__ import annotations

from holdfast.core.page import Mention
from holdfast.formats.documents.found import Found
from holdfast.formats.documents.source import Source

__all__ = ["mentions_of"]


def mentions_of(found: list[Found], source: Source) -> tuple[Mention, ...]:
    """The finds of a whole file, as they are told."""
    mentions = []
    for url, text, kind, start, end, used_at in found:
        used = source.span(used_at, used_at) if used_at >= 0 else None
        words = " ".join(text.split()) if "\n" in text or "  " in text else text.strip()
        mentions.append(Mention(url.strip(), words, kind, source.span(start, end), used))
    return tuple(mentions)
