"""URLs in reStructuredText: embedded, referenced, anonymous and standalone hyperlinks, images, raw HTML.

1. Inline literals, emphasis, interpreted text and roles are not links, but for `:doc:`, `:ref:`, `:numref:`
   and `:download:`, which Sphinx resolves to files and labels of one's own (`core/links/project`). The
   rules of where inline markup starts and ends, and what a standalone URL may hold and end with, are those
   of the reStructuredText specification.
2. A reference counts where it is used, and stands where its target stands. Targets may name other targets,
   and a target without a URL means the next one. Anonymous references and targets pair up in order.
3. White space inside a URL is dropped; a backslash makes the next character literal.

Inline markup is read as far as links need it: literals, emphasis, phrases, names, URLs.

4. Markup starts at the start of a text or after one of the characters that the specification names, and
   ends before one of them: spaces, opening brackets and punctuation, those of other scripts included.
5. What is met first counts: a literal hides what it holds, so does emphasis.
6. A run of letters is measured once, whichever of its places markup could start at; a closing mark is
   looked for once. So a text costs as much as it is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from enum import Enum, auto
from typing import NamedTuple

from holdfast.core.base.values import dataclass
from holdfast.core.documents.found import Ahead, Comment, Found, decode
from holdfast.core.documents.html_source import read_html
from holdfast.core.documents.rst_blocks import Block, BlockKind, blocks, cell_texts
from holdfast.core.links.project import DOC, REF
from holdfast.core.page.page import LinkKind

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


_URIC = rb"[-_.!~*'()\[\];/:@&=+$,%a-zA-Z0-9\\]"
_LAST = rb"(?:[_~*/=+a-zA-Z0-9]|" + _URIC + rb"(?=>))"
_PART = _URIC + rb"*" + _LAST
_AFTER = rb"(?=\s|[\x80-\xff.,;!?\-/:\"')>\]}]|\Z)"
_BEFORE = (
    rb"(?<![\s\S])",
    rb"(?<=[\s\"'(<\[{\-/:])",
    rb"(?<=\xc2[\xa0\xa1\xab\xb7\xbb\xbf])",  # Latin: no-break space, quotes, points
    rb"(?<=\xd6\xbe)|(?<=\xd8[\x8c\x9b\x9f])|(?<=\xdb\x94)|(?<=\xe0\xa5[\xa4\xa5])",  # Hebrew, Arabic, Hindi
    rb"(?<=\xe2[\x80-\xbf][\x80-\xbf])",  # General punctuation and what follows it
    rb"(?<=\xe3\x80[\x80-\x83\x88\x8a\x8c\x8e\x90\x94\x96\x98\x9a\x9c\x9d\xb0\xbd])|(?<=\xe3\x83\xbb)",  # CJK
    rb"(?<=\xef\xbc[\x81-\x83\x85-\x88\x8a\x8c-\x8f\x9a\x9b\x9f\xa0\xbb\xbc])",  # the wide forms of ASCII's
    rb"(?<=\xef\xbd[\x9b\x9f\xa1\xa2\xa4\xa5])",
)
_STARTS = re.compile(rb"(?:" + rb"|".join(_BEFORE) + rb")[`*:|A-Za-z0-9\x80-\xff]")
_LITERAL_END = re.compile(rb"(?<=\S)``(?!`)" + _AFTER)
_EMPHASIS = re.compile(rb"(?:\*\*(?![\s*])[^*]++(?<![\s\\])\*\*|\*(?![\s*])[^*]++(?<![\s\\])\*)" + _AFTER)
_PHRASE = re.compile(rb"`(?P<phrase>(?![\s`])[^`\\]*+(?:\\.[^`\\]*+)*+)`", re.DOTALL)
_SUBSTITUTION = re.compile(rb"\|(?P<name>(?![\s|])[^|]++(?<![\s\\]))\|(?P<mark>__?)" + _AFTER)
_LETTER = rb"[A-Za-z0-9\x80-\xff]"
_NAME = re.compile(_LETTER + rb"++(?:[-._+:]" + _LETTER + _LETTER + rb"*+)*+")
_SCHEME = re.compile(rb"[a-zA-Z0-9.+\-]++")
_REST = re.compile(rb"://" + _PART + rb"(?:\?" + _PART + rb")?(?:#" + _PART + rb")?" + _AFTER)
_REFERS = re.compile(rb"(__?)" + _AFTER)
_ENDS = re.compile(_AFTER)


class InlineKind(Enum):
    """What a piece of inline markup is."""

    URL = auto()
    PHRASE = auto()
    NAME = auto()
    ROLE = auto()


class InlineMarkup(NamedTuple):
    """A URL, a phrase in backticks, a name or a substitution that refers, or what a role is given;
    `mark` is `_` or `__`, or the role.
    """

    kind: InlineKind
    start: int
    end: int
    mark: bytes = b""
    whole_end: int = 0


def inlines(text: bytes) -> Iterator[InlineMarkup]:
    """The markup that may be a link, in order."""
    reader = _Reader(text)
    at = 0
    while start := _STARTS.search(text, at):
        found, at = reader.read(start.start())
        if found is not None:
            yield found


class _Runs:
    """Where runs of a kind of character end; places are asked in order, and each run is measured once."""

    __slots__ = ("_end", "_pattern", "_start", "_text")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern, self._text = pattern, text
        self._start = self._end = -1

    def end(self, place: int) -> int:
        """The end of the run in which a place stands; the place itself where there is no run."""
        if not self._start <= place < self._end:
            match = self._pattern.match(self._text, place)
            self._start, self._end = place, match.end() if match else place
        return self._end


class _Reader:
    """Reads one piece of markup at a time; `read` returns it, and where to go on."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._literal_ends = Ahead(_LITERAL_END, text)
        self._names = _Runs(_NAME, text)
        self._schemes = _Runs(_SCHEME, text)

    def read(self, at: int) -> tuple[InlineMarkup | None, int]:
        text = self._text
        match text[at]:
            case 0x60 if text.startswith(b"``", at):
                return None, self._literal(at)
            case 0x60:
                return self._phrase(at)
            case 0x2A:
                emphasis = _EMPHASIS.match(text, at)
                return None, emphasis.end() if emphasis else at + 1
            case 0x7C if refers := _SUBSTITUTION.match(text, at):
                found = InlineMarkup(InlineKind.NAME, *refers.span("name"), refers["mark"], refers.end())
                return found, refers.end()
            case 0x7C:
                return None, at + 1
            case 0x3A:
                end = self._names.end(at + 1) if at + 1 < len(text) else at + 1
                is_role = end > at + 1 and text.startswith(b":`", end)
                return self._phrase(end + 1, text[at + 1 : end]) if is_role else (None, at + 1)
            case _:
                return self._word(at)

    def _literal(self, at: int) -> int:
        """A literal's end; without one its first backtick may begin a phrase, which is empty and none."""
        begins = at + 2 < len(self._text) and not self._text[at + 2 : at + 3].isspace()
        end = self._literal_ends.after(at + 3) if begins else None
        return end.end() if end else at + 1

    def _phrase(self, at: int, role: bytes = b"") -> tuple[InlineMarkup | None, int]:
        text = self._text
        phrase = _PHRASE.match(text, at)
        if phrase is None:
            return None, at + 1
        if refers := _REFERS.match(text, phrase.end()):
            found = InlineMarkup(InlineKind.PHRASE, *phrase.span("phrase"), refers[1], refers.end())
            return (None if role else found), refers.end()
        if text.startswith(b":", phrase.end()):
            end = self._names.end(phrase.end() + 1)
            if end > phrase.end() + 1 and text.startswith(b":", end) and _ENDS.match(text, end + 1):
                return None, end + 1
        if not _ENDS.match(text, phrase.end()):
            return None, at + 1
        given = InlineMarkup(InlineKind.ROLE, *phrase.span("phrase"), role, phrase.end()) if role else None
        return given, phrase.end()

    def _word(self, at: int) -> tuple[InlineMarkup | None, int]:
        text = self._text
        if text[at : at + 1].isalpha():
            end = self._schemes.end(at)
            if text.startswith(b"://", end) and (rest := _REST.match(text, end)):
                return InlineMarkup(InlineKind.URL, at, rest.end()), rest.end()
        end = self._names.end(at)
        if end > at and (refers := _REFERS.match(text, end)):
            return InlineMarkup(InlineKind.NAME, at, end, refers[1], refers.end()), refers.end()
        return None, at + 1
