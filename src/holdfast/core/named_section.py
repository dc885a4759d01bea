"""The section of a page that a name means, and what it says.

1. A section is what search, changes and export call by its anchor, with all that is below it. Its heading,
   its API name, an id that stands in it and what generators make of its heading name it, too; an anchor goes
   before every other name.
2. A name is looked for as it is written, then percent-decoded: it may come from a URL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from holdfast.core.fragment import generated_ids
from holdfast.core.section import PageSection

__all__ = ["named_section", "section_markdown", "section_text", "section_title"]


def named_section(outline: Sequence[PageSection], markdown: str, wanted: str) -> int | None:
    """The number of the section that is meant."""
    found = (_number(outline, markdown, name) for name in dict.fromkeys((wanted, unquote(wanted))))
    return next((number for number in found if number is not None), None)


def section_markdown(outline: Sequence[PageSection], number: int, markdown: str) -> str:
    """The Markdown of a section and of all that is below it; its text, where the Markdown leaves it out."""
    spans = [span for section in _with_those_below(outline, number) for span in section.spans]
    if not spans:
        return outline[number].text
    first, last = min(first for first, _ in spans), max(last for _, last in spans)
    return _bytes(markdown)[first:last].decode("utf-8", "replace").strip("\n")


def section_text(outline: Sequence[PageSection], number: int) -> str:
    """The text of a section and of all that is below it."""
    return "\n".join(section.text for section in _with_those_below(outline, number))


def section_title(section: PageSection) -> str:
    """Its heading."""
    return section.path[-1] if section.path else ""


def _number(outline: Sequence[PageSection], markdown: str, wanted: str) -> int | None:
    made = generated_ids(section_title(section) for section in outline)
    at = _bytes(markdown).find(_bytes(f'<a id="{wanted}">'))
    ways = (
        (section.anchor == wanted for section in outline),
        (any(first <= at < last for first, last in section.spans) for section in outline),
        (wanted in (section_title(section), section.name) for section in outline),
        (wanted in names for names in made),
    )
    return next((number for fits in ways for number, is_it in enumerate(fits) if is_it), None)


def _with_those_below(outline: Sequence[PageSection], number: int) -> Iterator[PageSection]:
    path = outline[number].path
    yield outline[number]
    for section in outline[number + 1 :]:
        if len(section.path) <= len(path) or section.path[: len(path)] != path:
            return
        yield section


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
