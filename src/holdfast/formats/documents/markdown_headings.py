"""The headings of a Markdown text, as renderers make ids of them.

1. The words count, not the markup; footnotes count as `[^name]`.
2. Of a picture some renderers take the description and some nothing: a heading with one is there twice.
   Where it stood a space is left, which forges make a hyphen of.
"""

from __future__ import annotations

from typing import Any

from holdfast.formats.documents.markdown import markdown_events
from holdfast.formats.documents.source import decode

__all__ = ["headings_of"]


def headings_of(data: bytes) -> list[str]:
    """The texts of the headings of a Markdown text."""
    headings: list[str] = []
    reading: _Heading | None = None
    for event, _ in markdown_events(decode(data)):
        if event.__class__ is str:
            continue
        start, end = event.get("Start"), event.get("End")
        if start.__class__ is dict and "Heading" in start:
            reading = _Heading()
        elif start.__class__ is dict and "FootnoteDefinition" in start:
            headings.append(f"[^{start['FootnoteDefinition']}]")
        elif reading is None:
            continue
        elif end.__class__ is dict and "Heading" in end:
            headings += reading.texts()
            reading = None
        else:
            reading.take(event)
    return headings


class _Heading:
    """One heading: all its words, and those outside pictures."""

    def __init__(self) -> None:
        self._all: list[str] = []
        self._outside: list[str] = []
        self._in_picture = False

    def take(self, event: dict[str, Any]) -> None:
        """A piece of the heading."""
        if event.get("End") == "Image":
            self._in_picture = False
        elif (start := event.get("Start")).__class__ is dict and "Image" in start:
            self._in_picture = True
        elif text := event.get("Text") or event.get("Code"):
            self._all.append(text)
            if not self._in_picture:
                self._outside.append(text)

    def texts(self) -> list[str]:
        """What the heading may be called."""
        whole, outside = "".join(self._all), "".join(self._outside)
        if whole == outside:
            return [whole]
        left = outside.strip()
        before, after = "-" * outside.startswith(" "), "-" * outside.endswith(" ")
        return [whole, left, f"{before}{left}{after}"] if left else [whole]
