"""The blocks of reStructuredText, as far as links need them: which bytes are text, target, image, raw,
comment.

1. A paragraph that ends in `::` makes what is indented under it literal, or what is quoted right below it.
2. Explicit markup (`..`) is, in this order: a target, an anonymous target, a footnote or citation, a
   substitution, a directive, else a comment. Its body is what is indented under it.
3. Directives in `VERBATIM` show their body as it is: no link comes from them. `raw:: html` holds HTML. All
   other directives hold text.
4. Doctest blocks (`>>> `) are code.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from holdfast.core.values import dataclass

__all__ = ["Block", "BlockKind", "blocks"]

VERBATIM: Final = frozenset(
    b"code code-block sourcecode literalinclude highlight math graphviz digraph graph mermaid uml plantuml"
    b" doctest testcode testoutput testsetup testcleanup prompt console ipython plot program-output"
    b" command-output productionlist include toctree autosummary jinja runblock".split()
)
_TARGET = re.compile(
    rb"\.\.[ ]+_(?!_:)(?:`((?:[^`\\]|\\.)+)`|((?:[^:\\`\n]|\\.|:(?![ \n]|\Z))+)):(?:[ ]+|(?=\n|\Z))"
)
_ANONYMOUS = re.compile(rb"(?:\.\.[ ]+__:|__)(?:[ ]+|(?=\n|\Z))")
_NOTE = re.compile(rb"\.\.[ ]+\[[^\]\n]+\](?:[ ]+|(?=\n|\Z))")
_DIRECTIVE = re.compile(
    rb"\.\.[ ]+(?:\|[^|\n]+\|[ ]+)?([A-Za-z0-9](?:[-_+:.]?[A-Za-z0-9])*)[ ]?::(?:[ ]+|(?=\n|\Z))"
)
_EXPLICIT = re.compile(rb"\.\.(?:[ ]+|(?=\n|\Z))")
_QUOTED = re.compile(rb"[!-/:-@\[-`{-~]")


class BlockKind(Enum):
    """What the bytes of a block are."""

    TEXT = auto()
    TARGET = auto()
    ANONYMOUS = auto()
    IMAGE = auto()
    RAW_HTML = auto()
    COMMENT = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Some bytes and what they are; `name` is a target's."""

    kind: BlockKind
    start: int
    end: int
    name: bytes = b""


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    indent: int
    blank: bool


class _Blocks:
    """A walk over the lines, one block at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found: list[Block] = []
        self.lines = _lines(data)
        self.at = 0

    def run(self) -> list[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            text = self._text(line)
            if line.blank:
                self.at += 1
            elif text.startswith(b">>> "):
                self._to_blank()
            elif text.startswith((b"..", b"__")) and self._explicit(line):
                pass
            else:
                self._paragraph(line)
        return self.found

    def _text(self, line: _Line) -> bytes:
        return self.data[line.start + line.indent : line.end]

    def _to_blank(self) -> None:
        while self.at < len(self.lines) and not self.lines[self.at].blank:
            self.at += 1

    def _paragraph(self, first: _Line) -> None:
        start = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            inner = self.at > start and line.indent != first.indent
            if line.blank or (inner and self._text(line).startswith(b".. ")):
                break
            self.at += 1
            if self._text(line).rstrip().endswith(b"::") and self._opens_literal(line):
                self.found.append(Block(BlockKind.TEXT, first.start, line.end))
                self._literal(line)
                return
        self.found.append(Block(BlockKind.TEXT, first.start, self.lines[self.at - 1].end))

    def _opens_literal(self, line: _Line) -> bool:
        following = self.lines[self.at] if self.at < len(self.lines) else None
        return following is None or following.blank or following.indent > line.indent

    def _literal(self, opener: _Line) -> None:
        while self.at < len(self.lines) and self.lines[self.at].blank:
            self.at += 1
        if self.at < len(self.lines) and self.lines[self.at].indent > opener.indent:
            self._body(opener.indent)
        elif self.at < len(self.lines) and _QUOTED.match(self._text(self.lines[self.at])):
            mark = self._text(self.lines[self.at])[:1]
            while self.at < len(self.lines) and self._text(self.lines[self.at])[:1] == mark:
                self.at += 1

    def _body(self, indent: int) -> tuple[int, int]:
        """Pass over what is indented more; its bytes."""
        start = self.at
        while self.at < len(self.lines) and (
            self.lines[self.at].blank or self.lines[self.at].indent > indent
        ):
            self.at += 1
        if self.at == start:
            return 0, 0
        return self.lines[start].start, self.lines[self.at - 1].end

    def _explicit(self, line: _Line) -> bool:
        place = line.start + line.indent
        if match := _TARGET.match(self.data, place, line.end):
            self._argument(BlockKind.TARGET, line, match.end(), match[1] or match[2])
        elif match := _ANONYMOUS.match(self.data, place, line.end):
            self._argument(BlockKind.ANONYMOUS, line, match.end())
        elif match := _NOTE.match(self.data, place, line.end):
            self.at += 1
            self.found.append(Block(BlockKind.TEXT, match.end(), line.end))
        elif match := _DIRECTIVE.match(self.data, place, line.end):
            self._directive(match, line)
        elif match := _EXPLICIT.match(self.data, place, line.end):
            self.at += 1
            _, end = self._body(line.indent)
            self.found.append(Block(BlockKind.COMMENT, match.end(), max(end, line.end)))
        else:
            return False
        return True

    def _argument(self, kind: BlockKind, line: _Line, start: int, name: bytes = b"") -> None:
        """A target's URL, which goes on over indented lines up to a blank one."""
        end = line.end
        self.at += 1
        while self.at < len(self.lines):
            following = self.lines[self.at]
            if following.blank or following.indent <= line.indent:
                break
            end = following.end
            self.at += 1
        self.found.append(Block(kind, start, end, name))

    def _directive(self, match: re.Match[bytes], line: _Line) -> None:
        name = match[1].lower()
        self.at += 1
        if name in VERBATIM:
            self._body(line.indent)
        elif name in (b"image", b"figure"):
            self.found.append(Block(BlockKind.IMAGE, match.end(), line.end))
        elif name == b"raw":
            start, end = self._body(line.indent)
            if b"html" in self.data[match.end() : line.end].lower():
                self.found.append(Block(BlockKind.RAW_HTML, start, end))
        elif name == b"parsed-literal":
            start, end = self._body(line.indent)
            self.found.append(Block(BlockKind.TEXT, start, end))
        else:
            self.found.append(Block(BlockKind.TEXT, match.end(), line.end))


def blocks(data: bytes) -> list[Block]:
    """The blocks of a text that can hold URLs or comments, in order."""
    return _Blocks(data).run()


def _lines(data: bytes) -> list[_Line]:
    lines, start = [], 0
    for piece in data.splitlines(keepends=True):
        text = piece.rstrip(b"\r\n")
        indent = len(text) - len(text.lstrip(b" \t"))
        lines.append(_Line(start, start + len(text), indent, indent == len(text)))
        start += len(piece)
    return lines
