"""Documents and the URLs they cite: one reader a format, one answer (TRK-2).

1. A reader finds every URL its format makes a link of, with its words and its exact bytes; relative ones
   too.
2. External is what names another host: a scheme and an authority (`https://…`, `ftp://…`), or an authority
   alone (`//host/…`, read as https). Mail, phone, script and data URLs name no place.
3. A document without anything that could be one is not parsed at all.
4. Any bytes are read; only a notebook that is not JSON is an error. In UTF-16 nothing is found
   (`is_utf16`).
5. What a reader found becomes mentions: lines and columns, names on one line, URLs without white space.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from types import ModuleType
from typing import Any, Final, cast

from holdfast.core.base.values import dataclass
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.found import Comment, Found, Source, is_external, read_plaintext
from holdfast.core.documents.front_matter import front_matter
from holdfast.core.documents.html_source import read_css, read_html
from holdfast.core.documents.inline_ignores import read_ignores
from holdfast.core.documents.markdown_source import read_markdown
from holdfast.core.findings.ignore import Ignore, IgnoreProblem, LocalReading
from holdfast.core.page.page import Mention, Span

_WITH_FRONT_MATTER: Final = (DocumentFormat.MARKDOWN, DocumentFormat.MDX, DocumentFormat.ASCIIDOC)
_TEMPLATE = re.compile(rb"\{[{%]|\bth:[a-z]++=|<%|<\?(?:php|=)|<c:")
_BEGINNING: Final = 1_000
_MAYBE = re.compile(rb"//|www\.|&|\\/|holdfast:")


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """What a document cites, which of it shall not count, and what it says about itself."""

    mentions: tuple[Mention, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    problems: tuple[IgnoreProblem, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def local(self) -> LocalReading:
        """What is said about files of its own."""
        here = tuple(mention for mention in self.mentions if not is_external(mention.raw))
        return LocalReading(here, self.ignores)


def read_document(data: bytes, kind: DocumentFormat) -> DocumentReading:
    """Everything a document says about external URLs."""
    if kind is not DocumentFormat.NOTEBOOK and not _MAYBE.search(data):
        return DocumentReading(metadata=_metadata(data, kind))
    found, comments, metadata = _read(data, kind, external=True)
    source = Source(data)
    mentions = mentions_of([find for find in found if is_external(find[0])], source)
    ignores, problems = read_ignores(comments, source) if comments else ((), ())
    return DocumentReading(mentions, ignores, problems, metadata)


def is_utf16(data: bytes) -> bool:
    """Whether it is text of two bytes a character, of which the readers find nothing."""
    return data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and b"\0" in data[:_BEGINNING]


def is_template(data: bytes, kind: DocumentFormat) -> bool:
    """Whether it is HTML that a program fills in: its local links are those of the page that comes of it."""
    return kind is DocumentFormat.HTML and _TEMPLATE.search(data) is not None


def read_local(data: bytes, kind: DocumentFormat, *, wiki_links: bool = False) -> LocalReading:
    """Everything a document says about files of its own."""
    return read_whole(data, kind, wiki_links=wiki_links).local


def read_whole(data: bytes, kind: DocumentFormat, *, wiki_links: bool = False) -> DocumentReading:
    """Everything a document says about external URLs and about files of its own, read once."""
    found, comments, metadata = _read(data, kind, external=False)
    if wiki_links and kind in (DocumentFormat.MARKDOWN, DocumentFormat.MDX):
        found += _module("mdx").read_wiki_links(data)
    source = Source(data)
    mentions = mentions_of(found, source)
    ignores, problems = read_ignores(comments, source) if comments else ((), ())
    return DocumentReading(mentions, ignores, problems, metadata)


def read_links(data: bytes, kind: DocumentFormat) -> tuple[Mention, ...]:
    """Every link of a document, relative ones included."""
    return mentions_of(_read(data, kind, external=False)[0], Source(data))


def _metadata(data: bytes, kind: DocumentFormat) -> Mapping[str, Any]:
    return front_matter(data).values if kind in _WITH_FRONT_MATTER else {}


def _read(
    data: bytes, kind: DocumentFormat, *, external: bool
) -> tuple[list[Found], list[Comment], Mapping[str, Any]]:
    if kind not in _WITH_FRONT_MATTER:
        return (*_reader(kind)(data), {})
    head = front_matter(data)
    body = data[head.body :] if head.body else data
    if kind is DocumentFormat.MARKDOWN:
        found, comments = read_markdown(body, external=external)
    elif kind is DocumentFormat.MDX:
        found, comments = _read_mdx(body, external=external)
    else:
        found, comments = _reader(kind)(body)
    if head.body:
        found = [_shifted(find, head.body) for find in found]
        comments = [Comment(c.text, c.start + head.body, c.end + head.body) for c in comments]
    if head.end > head.start:
        in_head, wishes = read_plaintext(data[head.start : head.end])
        found = [_shifted(find, head.start) for find in in_head] + found
        comments += [Comment(c.text, c.start + head.start, c.end + head.start) for c in wishes]
    return found, comments, head.values


def _read_mdx(body: bytes, *, external: bool) -> tuple[list[Found], list[Comment]]:
    mdx = _module("mdx").read_mdx_tags(body)
    found, comments = read_markdown(mdx.markdown, external=external)
    return sorted(found + mdx.found, key=_place), comments + mdx.comments


def _place(find: Found) -> int:
    return find.used_at if find.used_at >= 0 else find.start


_Reader = Callable[[bytes], tuple[list[Found], list[Comment]]]
_READERS: Final = {
    DocumentFormat.RST: ("rst", "read_rst"),
    DocumentFormat.ASCIIDOC: ("asciidoc", "read_asciidoc"),
    DocumentFormat.NOTEBOOK: ("notebook", "read_notebook"),
}
"""Modules that are imported with the first document of their kind: they compile patterns for 14 ms, and a
folder has one format or two. The reader of Markdown is not among them: it takes more than bytes.
"""


def _reader(kind: DocumentFormat) -> _Reader:
    """The reader of a format."""
    if kind in _READERS:
        module, name = _READERS[kind]
        return cast("_Reader", getattr(_module(module), name))
    if kind is DocumentFormat.CSS:
        return read_css
    return read_html if kind is DocumentFormat.HTML else read_plaintext


def _module(name: str) -> ModuleType:
    return import_module(f"holdfast.core.documents.{name}")


def _shifted(find: Found, by: int) -> Found:
    used_at = find.used_at + by if find.used_at >= 0 else -1
    return find._replace(start=find.start + by, end=find.end + by, used_at=used_at)


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
