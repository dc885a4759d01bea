r"""What the parts of the writer share: the page's links, the way back to the writing of blocks, escaping.

No text may turn into markup: what is escaped, and where, is the law of CommonMark 0.31 and GFM.

Escaping looks at the whole joined run of a paragraph, never at one text node: `operator<` and `<br>` are
harmless apart and a tag together. In a run, markup is a code: NUL and one private-use character. NUL is
in no parsed tree, so no text can forge one.

1. `\` before ASCII punctuation, a code or the end.
2. Every backtick.
3. `*` unless white space is on both sides, `_` unless it is inside a word or has white space on both sides.
4. `<` before what could start a tag, `&` before what could be an entity, `!` before a code, `]` before `(`,
   `[` or `:`, `[` before `^`.
5. Every `~` where there are two, or any code.
6. At the start of a line: `#`, `>`, `-`, `+`, `*`, `1.`, `1)`, `=`, a task's box, the line that would rule
   a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Protocol

from holdfast.core.page.html.tree import Element, Node
from holdfast.core.page.markdown.marks import Anchors

MAX_NESTING: Final = 24
"""Lists, quotes and definitions inside each other; deeper ones are written flat, so that output stays
proportional to input."""

BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p pre "
    "search section summary table tbody td tfoot th thead tr ul #document #note optgroup frameset".split()
)
"""Elements that are laid out as blocks."""
_BLOCK_NAMES: Final = frozenset(("structfield",))
"""Classes of others that are: a rustdoc page has a `span` for each field."""
TABLES: Final = {"block": BLOCKS, "block name": _BLOCK_NAMES}
"""What the native reader is told of these tables."""


class Destinations(Protocol):
    """Resolves the references of the page."""

    def destination(self, reference: str) -> str:
        """A reference as a link destination; empty where it leads nowhere."""
        ...


class Blocks(Protocol):
    """The writer, as its parts see it."""

    @property
    def links(self) -> Destinations:
        """The page's links."""
        ...

    @property
    def anchors(self) -> Anchors:
        """The page's anchors."""
        ...

    def mark(self, element: Element) -> str:
        """What stands for the place of a heading or a term until all is written."""
        ...

    def blocks(self, children: Iterable[Node], depth: int) -> list[str]:
        """Children as Markdown blocks."""
        ...

    def line(self, children: Iterable[Node], line_break: str = " ") -> str:
        """Children as inline Markdown on one line, the anchors that wait before them."""
        ...


def holds_block(element: Element) -> bool:
    """Whether an element must be laid out as a block: it is one, or one is inside."""
    if element.tag in BLOCKS or (element.names and not _BLOCK_NAMES.isdisjoint(element.names)):
        return True
    for child in element.children:  # noqa: SIM110 - a generator costs twice as much, here
        if type(child) is Element and holds_block(child):
            return True
    return False


_INLINE = re.compile(
    # Each alternative begins with its character: the search then skips what cannot begin one.
    r"\\(?=[!-/:-@\[-`{-~\x00]|$)"
    r"|`"
    r"|\*(?:(?<! \*)(?<!^\*)|(?! |$))"
    r"|_(?!(?<=[^\W_]_)[^\W_])(?!(?<= _) )"
    r"|<(?=[A-Za-z/!?\x00])"
    r"|&(?=#?[A-Za-z0-9]{1,32};)"
    r"|!(?=[\[\x00])"
    r"|\](?=[(\[:])"
    r"|\[(?=\^)"
)
_LINE_START = re.compile(
    r"(?P<number>\d{1,9})(?=[.)](?:\s|$))"
    r"|(?P<mark>#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+[ ]*$|-[-:| ]*$|~{3}|\[(?=[ xX]\](?:\s|$))|[|:](?=[-:| ]*$))"
)
_TICKS = re.compile(r"`+")


def escape(run: str) -> str:
    """A joined run with its literal text escaped; codes pass unchanged."""
    run = _INLINE.sub(_escaped, run)
    if "~" in run and (run.count("~") > 1 or "\x00" in run):
        run = run.replace("~", "\\~")
    return run


def _escaped(found: re.Match[str]) -> str:
    return "\\" + found[0]


def escape_line_start(line: str) -> str:
    """A line of a paragraph that cannot be taken for a heading, a list, a quote, a rule or a table."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    if match["number"]:
        return f"{match['number']}\\{line[match.end() :]}"
    return "\\" + line


def fence_length(code: str, least: int) -> int:
    """How many backticks hold this code."""
    return max(least, 1 + max(map(len, _TICKS.findall(code)), default=0))


def code_span(text: str) -> str:
    """A code span; the text is on one line already."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * fence_length(text, 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
