"""Documents and the URLs they cite: one reader a format, one answer (TRK-2).

1. A reader finds every URL its format makes a link of, with its words and its exact bytes; relative ones too.
2. External is what names another host: a scheme and an authority (`https://…`, `ftp://…`), or an authority
   alone (`//host/…`, read as https). Mail, phone, script and data URLs name no place.
3. A document without anything that could be one is not parsed at all.
4. Any bytes are read; only a notebook that is no JSON is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from types import ModuleType
from typing import Any, Final, cast

from holdfast.core.ignore import Ignore, IgnoreProblem
from holdfast.core.page import Mention
from holdfast.formats.documents.external import is_external
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.front_matter import front_matter
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.ignores import read_ignores
from holdfast.formats.documents.markdown import read_markdown
from holdfast.formats.documents.mentions import mentions_of
from holdfast.formats.documents.plaintext import read_plaintext
from holdfast.formats.documents.source import Source

__all__ = [
    "DocumentFormat",
    "DocumentReading",
    "format_of",
    "is_external",
    "is_template",
    "read_document",
    "read_links",
    "read_local",
    "read_whole",
]


class DocumentFormat(StrEnum):
    """The formats that are read."""

    MARKDOWN = "markdown"
    MDX = "mdx"
    HTML = "html"
    RST = "rst"
    ASCIIDOC = "asciidoc"
    NOTEBOOK = "notebook"
    TEXT = "text"


SUFFIXES: Final = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mkdn", "qmd", "rmd"), DocumentFormat.MARKDOWN),
    "mdx": DocumentFormat.MDX,
    **dict.fromkeys(("html", "htm", "xhtml"), DocumentFormat.HTML),
    **dict.fromkeys(("rst", "rest"), DocumentFormat.RST),
    **dict.fromkeys(("adoc", "asciidoc", "asc"), DocumentFormat.ASCIIDOC),
    "ipynb": DocumentFormat.NOTEBOOK,
    **dict.fromkeys(("txt", "text"), DocumentFormat.TEXT),
}

_WITH_FRONT_MATTER: Final = (DocumentFormat.MARKDOWN, DocumentFormat.MDX, DocumentFormat.ASCIIDOC)
_TEMPLATE = re.compile(rb"\{[{%]")
_MAYBE = re.compile(rb"//|www\.|&|\\/|holdfast:")


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """What a document cites, which of it shall not count, and what it says about itself."""

    mentions: tuple[Mention, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    problems: tuple[IgnoreProblem, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def format_of(path: str) -> DocumentFormat | None:
    """The format of a file, by its name; None for what is no document."""
    name = path.rpartition("/")[2].lower()
    _, dot, suffix = name.rpartition(".")
    if not dot:
        return DocumentFormat.TEXT if name == "readme" else None
    return SUFFIXES.get(suffix)


def read_document(data: bytes, kind: DocumentFormat) -> DocumentReading:
    """Everything a document says about external URLs."""
    if kind is not DocumentFormat.NOTEBOOK and not _MAYBE.search(data):
        return DocumentReading(metadata=_metadata(data, kind))
    found, comments, metadata = _read(data, kind, external=True)
    source = Source(data)
    mentions = mentions_of([find for find in found if is_external(find[0])], source)
    ignores, problems = read_ignores(comments, source) if comments else ((), ())
    return DocumentReading(mentions, ignores, problems, metadata)


def is_template(data: bytes, kind: DocumentFormat) -> bool:
    """Whether it is HTML that a program fills in: its local links are those of the page that comes of it."""
    return kind is DocumentFormat.HTML and _TEMPLATE.search(data) is not None


def read_local(data: bytes, kind: DocumentFormat, *, wiki_links: bool = False) -> DocumentReading:
    """Everything a document says about files of its own."""
    return _reading(data, kind, lambda url: not is_external(url), wiki_links=wiki_links)


def read_whole(data: bytes, kind: DocumentFormat, *, wiki_links: bool = False) -> DocumentReading:
    """Everything a document says about external URLs and about files of its own, read once."""
    return _reading(data, kind, lambda _: True, wiki_links=wiki_links)


def _reading(
    data: bytes, kind: DocumentFormat, is_wanted: Callable[[str], bool], *, wiki_links: bool
) -> DocumentReading:
    found, comments, metadata = _read(data, kind, external=False)
    if wiki_links and kind in (DocumentFormat.MARKDOWN, DocumentFormat.MDX):
        found += _module("wiki").read_wiki_links(data)
    source = Source(data)
    mentions = mentions_of([find for find in found if is_wanted(find[0])], source)
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
    return read_html if kind is DocumentFormat.HTML else read_plaintext


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")


def _shifted(find: Found, by: int) -> Found:
    used_at = find.used_at + by if find.used_at >= 0 else -1
    return find._replace(start=find.start + by, end=find.end + by, used_at=used_at)
