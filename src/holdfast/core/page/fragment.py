"""What the fragment of a citation names on a page, and what that section says.

    fragment                        names
    empty, `top`                    the whole page
    `!…`, `/…`, `L12`, `a=b`        a route, a line, a state: only the site knows
    `…:~:text=words`                words (text fragments); what is before `:~:` is not looked at
    anything else                   an element: by its id, by the `name` of an `<a>`, or by the id that is
                                    generated from a heading

1. Ids are compared as written and percent-decoded, each with and without GitHub's `user-content-`.
2. A heading that has no id of its own has those that the usual generators would give it
   (`generated_ids`): scripts add them in the browser. The n-th heading of a name gets `-n` or `_n`.
3. A text directive is `[prefix-,]start[,end][,-suffix]`, each part percent-encoded; there may be several,
   joined by `&`. Words are compared without regard to case and to runs of white space.
4. A section is what search, changes and export call by its anchor, with all that is below it. Its heading,
   its API name, an id that stands in it and what generators make of its heading name it, too; an anchor
   goes before every other name.
5. The name of a section is looked for as it is written, then percent-decoded: it may come from a URL.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from holdfast.core.base.hashing import ContentHash, content_hash
from holdfast.core.base.values import dataclass
from holdfast.core.page.section import PageSection

SECTION_VERSION: Final = "section_v1"
_DIRECTIVE: Final = ":~:"
_OPAQUE = re.compile(r"!|/|L[0-9]+(?:[-C:]|\Z)|[^=]*=")
_GITHUB: Final = "user-content-"


@dataclass(frozen=True, slots=True)
class Whole:
    """The page itself."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that the page's markup cannot answer."""


@dataclass(frozen=True, slots=True)
class ElementTarget:
    """An element: the ids it may have, the likeliest first."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextQuote:
    """Words, the words they end with, and the words around them."""

    start: str
    end: str = ""
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Quoted words."""

    quotes: tuple[TextQuote, ...]


Fragment = Whole | Opaque | ElementTarget | Words


@dataclass(frozen=True, slots=True)
class Section:
    """A cited section of a page: whether it is there (None: nobody can tell), and the hash of its own text.

    `content` is None where there is no text of its own to speak of.
    """

    fragment: str
    is_there: bool | None
    content: str | None = None


def read_fragment(fragment: str) -> Fragment:
    """What a fragment, without its `#`, names."""
    name, mark, directives = fragment.partition(_DIRECTIVE)
    if mark:
        quotes = tuple(_quote(part[5:]) for part in directives.split("&") if part.startswith("text="))
        if any(quote.start for quote in quotes):
            return Words(tuple(quote for quote in quotes if quote.start))
    decoded = unquote(name)
    if not name or decoded.lower() == "top":
        return Whole()
    if _OPAQUE.match(decoded):
        return Opaque()
    names = dict.fromkeys((name, decoded))
    other = [n.removeprefix(_GITHUB) if n.startswith(_GITHUB) else _GITHUB + n for n in names]
    return ElementTarget((*names, *other))


def section_hash(text: str | bytes) -> str:
    """The hash of a section's text, or of that in UTF-8, with the version of the rules that cut it out."""
    digest: ContentHash = content_hash(text)
    return f"{SECTION_VERSION}-{digest}"


def generated_ids(headings: Iterable[str]) -> list[tuple[str, ...]]:
    """The ids that generators would make of headings, in order; all that are made for one name."""
    counts: dict[str, int] = {}
    ids = []
    for text in headings:
        slugs = dict.fromkeys((_github_slug(text), _toc_slug(text), _docutils_slug(text)))
        made = []
        for slug in filter(None, slugs):
            number = counts.get(slug, 0)
            counts[slug] = number + 1
            made += [f"{slug}-{number}", f"{slug}_{number}"] if number else [slug]
        ids.append(tuple(made))
    return ids


def passage(text: str, quote: TextQuote) -> str | None:
    """The part of a text that a quote means; None where the text has no such part."""
    folded = _folded(text)
    start, end = _folded(quote.start), _folded(quote.end)
    prefix, suffix = _folded(quote.prefix), _folded(quote.suffix)
    at = folded.find(start)
    while at >= 0:
        stop = at + len(start)
        if end:
            stop = folded.find(end, stop)
            stop = stop + len(end) if stop >= 0 else -1
        before, after = folded[:at].rstrip(), folded[max(stop, 0) :].lstrip()
        if stop >= 0 and before.endswith(prefix) and after.startswith(suffix):
            return folded[at:stop]
        at = folded.find(start, at + 1)
    return None


def _quote(directive: str) -> TextQuote:
    parts = directive.split(",")
    prefix = unquote(parts.pop(0)[:-1]) if len(parts) > 1 and parts[0].endswith("-") else ""
    suffix = unquote(parts.pop()[1:]) if len(parts) > 1 and parts[-1].startswith("-") else ""
    end = unquote(parts[1]) if len(parts) > 1 else ""
    return TextQuote(unquote(parts[0]), end, prefix, suffix)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _github_slug(text: str) -> str:
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def _toc_slug(text: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text.strip().lower()))


def _docutils_slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")


def named_section(outline: Sequence[PageSection], markdown: str, wanted: str) -> int | None:
    """The number of the section that is meant."""
    found = (_number(outline, markdown, name) for name in dict.fromkeys((wanted, unquote(wanted))))
    return next((number for number in found if number is not None), None)


def section_markdown(outline: Sequence[PageSection], number: int, markdown: str) -> str:
    """The Markdown of a section and of all that is below it; its text, where the Markdown leaves it out."""
    spans = [span for section in sections_below(outline, number) for span in section.spans]
    if not spans:
        return outline[number].text
    first, last = min(first for first, _ in spans), max(last for _, last in spans)
    return _bytes(markdown)[first:last].decode("utf-8", "replace").strip("\n")


def section_text(outline: Sequence[PageSection], number: int) -> str:
    """The text of a section and of all that is below it."""
    return "\n".join(section.text for section in sections_below(outline, number))


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


def sections_below(outline: Sequence[PageSection], number: int) -> Iterator[PageSection]:
    """A section, and all that is below it."""
    path = outline[number].path
    yield outline[number]
    for section in outline[number + 1 :]:
        if len(section.path) <= len(path) or section.path[: len(path)] != path:
            return
        yield section


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
