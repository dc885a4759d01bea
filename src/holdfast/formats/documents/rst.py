"""URLs in reStructuredText: embedded, referenced, anonymous and standalone hyperlinks, images, raw HTML.

1. Inline literals, emphasis, interpreted text and roles are not links, but for `:doc:`, `:ref:`, `:numref:`
   and `:download:`, which Sphinx resolves to files and labels of one's own (`core.sphinx_links`). The rules
   of where inline markup starts and ends, and what a standalone URL may hold and end with, are those of the
   reStructuredText specification.
2. A reference counts where it is used, and stands where its target stands. Targets may name other targets,
   and a target without a URL means the next one. Anonymous references and targets pair up in order.
3. White space inside a URL is dropped; a backslash makes the next character literal.
"""

from __future__ import annotations

import re
from dataclasses import field, replace

from holdfast.core.page import LinkKind
from holdfast.core.sphinx_links import DOC, REF
from holdfast.core.values import dataclass
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.html_tags import read_html
from holdfast.formats.documents.rst_blocks import Block, BlockKind, blocks
from holdfast.formats.documents.rst_inline import InlineKind, InlineMarkup, inlines
from holdfast.formats.documents.rst_tables import cell_texts
from holdfast.formats.documents.source import decode

__all__ = ["read_rst"]

_SCHEMES = frozenset("http https ftp sftp ssh git svn irc gopher rsync ldap telnet ws wss".split())
_EMBEDDED = re.compile(rb"(?P<text>.*?)(?:(?<=\s)|\A)<(?P<url>[^<>]+)(?<![\s\\])>\Z", re.DOTALL)
_TITLED = re.compile(rb"(?P<text>[^<>]++)<(?P<url>[^<>]++)>")
_TARGET_OPTION = re.compile(
    rb"^(?P<indent>[ \t]++):target:[ \t]+(?P<url>\S[^\n]*+(?:\n(?P=indent)[ \t]++[^\s:][^\n]*+)*)",
    re.MULTILINE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAX_HOPS = 32
_ROLES = {
    **dict.fromkeys((b"doc", b"std:doc"), DOC),
    **dict.fromkeys((b"ref", b"std:ref", b"numref", b"std:numref"), REF),
    b"download": "",
}


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a name leads: a URL with its bytes, another name, or the next target."""

    url: str = ""
    start: int = 0
    end: int = 0
    other: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference by name; an empty name is anonymous."""

    name: str
    text: str
    at: int
    end: int


@dataclass(slots=True)
class _Document:
    found: list[Found] = field(default_factory=list)
    targets: dict[str, _Target] = field(default_factory=dict)
    anonymous: list[_Target] = field(default_factory=list)
    uses: list[_Use] = field(default_factory=list)


def read_rst(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text, and its comments."""
    document = _Document()
    comments: list[Comment] = []
    waiting: list[str] = []
    for block in blocks(data):
        match block.kind:
            case BlockKind.TARGET:
                _target(data, block, document, waiting)
                continue
            case BlockKind.ANONYMOUS:
                document.anonymous.append(_destination(data, block))
            case BlockKind.IMAGE:
                target = _destination(data, block)
                document.found.append(Found(target.url, "", LinkKind.IMAGE, target.start, target.end))
            case BlockKind.RAW_HTML:
                for find in read_html(data[block.start : block.end])[0]:
                    placed = find._replace(start=find.start + block.start, end=find.end + block.start)
                    document.found.append(placed._replace(kind=LinkKind.HTML))
            case BlockKind.COMMENT:
                comments.append(Comment(decode(data[block.start : block.end]), block.start, block.end))
            case BlockKind.TABLE:
                _table(data, block, document)
            case BlockKind.TEXT:
                _inline(data, block.start, block.end, document)
        waiting.clear()
    _resolve(document)
    document.found.sort(key=lambda find: find.used_at if find.used_at >= 0 else find.start)
    return document.found, comments


def _target(data: bytes, block: Block, document: _Document, waiting: list[str]) -> None:
    """Note a target; `waiting` are the names that still wait for a URL."""
    name = _normal(decode(block.name))
    if not data[block.start : block.end].strip():
        waiting.append(name)
        return
    target = _destination(data, block)
    for each in (*waiting, name):
        document.targets.setdefault(each, target)
    waiting.clear()


def _destination(data: bytes, block: Block) -> _Target:
    written = data[block.start : block.end]
    start = block.start + len(written) - len(written.lstrip())
    end = block.start + len(written.rstrip())
    text = decode(data[start:end])
    if re.fullmatch(r"`[^`]+`_|[\w.+:-]+_", text) and "://" not in text:
        return _Target(other=_normal(text.strip("`_")))
    return _Target(_url(text), start, end)


def _table(data: bytes, block: Block, document: _Document) -> None:
    """Every cell is a text of its own; what is no table is one text."""
    cells = cell_texts(data, block.start, block.end)
    if cells is None:
        _inline(data, block.start, block.end, document)
        return
    for text, region in cells:
        cell = _Document()
        _inline(text, 0, len(text), cell)
        document.found += map(region.place, cell.found)
        document.uses += [
            replace(use, at=region.back(use.at), end=region.back_end(use.end)) for use in cell.uses
        ]
        for name, target in cell.targets.items():
            place = region.back(target.start), region.back_end(target.end)
            document.targets.setdefault(name, _Target(target.url, *place))


def _inline(data: bytes, start: int, end: int, document: _Document) -> None:
    text, begun = data[start:end], len(document.found)
    for found in inlines(text):
        written = decode(text[found.start : found.end])
        match found.kind:
            case InlineKind.URL if written.partition(":")[0].lower() in _SCHEMES:
                place = start + found.start, start + found.end
                document.found.append(Found(_unescaped(written), written, LinkKind.BARE, *place))
            case InlineKind.PHRASE:
                _phrase(text[found.start : found.end], found, start, document)
            case InlineKind.ROLE if found.mark in _ROLES:
                document.found += _role(text[found.start : found.end], found, start)
            case InlineKind.NAME:
                name = "" if found.mark == b"__" else _normal(written)
                document.uses.append(_Use(name, written, start + found.start, start + found.whole_end))
    found_at = {document.found[index].start: index for index in range(begun, len(document.found))}
    for option in _TARGET_OPTION.finditer(text):
        given = option["url"].rstrip()
        first = start + option.start("url")
        target = Found(_url(decode(given)), "", LinkKind.ANCHOR, first, first + len(given))
        if first not in found_at and b"://" in given:
            document.found.append(target)
        elif first in found_at and document.found[found_at[first]].end < target.end:
            document.found[found_at[first]] = target


def _phrase(phrase: bytes, inline: InlineMarkup, start: int, document: _Document) -> None:
    embedded = _EMBEDDED.match(phrase)
    end = start + inline.whole_end
    if embedded is None:
        text = " ".join(_unescaped(decode(phrase)).split())
        name = "" if inline.mark == b"__" else _normal(text)
        document.uses.append(_Use(name, text, start + inline.start, end))
        return
    first = start + inline.start + embedded.start("url")
    written = decode(embedded["url"])
    text = " ".join(_unescaped(decode(embedded["text"])).split())
    if written.endswith("_") and not written.endswith("\\_"):
        document.uses.append(_Use(_normal(written[:-1].strip("`")), text, first, end))
        return
    url = _url(written)
    target = _Target(url, first, first + len(embedded["url"]))
    if inline.mark == b"_" and text:
        document.targets.setdefault(_normal(text), target)
    document.found.append(Found(url, text or url, LinkKind.ANCHOR, target.start, target.end))


def _role(given: bytes, inline: InlineMarkup, start: int) -> list[Found]:
    """What a role of Sphinx's names; with a `!` before it, it names nothing."""
    embedded = _TITLED.fullmatch(given)
    first, last = embedded.span("url") if embedded else (0, len(given))
    text = " ".join(_unescaped(decode(embedded["text"] if embedded else given)).split())
    target = " ".join(_unescaped(decode(given[first:last])).split())
    if not target or target.startswith(("!", "~")) or (inline.mark == b"download" and target.startswith("/")):
        return []
    place = start + inline.start + first, start + inline.start + last
    return [Found(_ROLES[inline.mark] + target, text, LinkKind.REFERENCE, *place)]


def _resolve(document: _Document) -> None:
    anonymous = iter(document.anonymous)
    for use in sorted(document.uses, key=lambda use: use.at):
        target = next(anonymous, None) if not use.name else document.targets.get(use.name)
        hops = 0
        while target is not None and target.other and hops < _MAX_HOPS:
            target = document.targets.get(target.other)
            hops += 1
        if target is not None and target.url:
            found = Found(target.url, use.text, LinkKind.REFERENCE, target.start, target.end, use.at)
            document.found.append(found)


def _url(text: str) -> str:
    return "".join(_unescaped(text).split())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: "" if match[1].isspace() else match[1], text)


def _normal(name: str) -> str:
    """Names match without regard to case, runs of white space being one space."""
    return " ".join(_unescaped(name).split()).lower()
