"""No text may turn into markup: what is escaped, and where. The law of CommonMark 0.31 and GFM.

Escaping looks at the whole joined run of a paragraph, never at one text node: `operator<` and `<br>` are
harmless apart and a tag together. In a run, markup is a code: NUL and one private-use character. NUL is
in no parsed tree, so no text can forge one.

1. `\\` before ASCII punctuation, a code or the end. 2. Every backtick. 3. `*` unless white space is on both
sides, `_` unless it is inside a word or has white space on both sides. 4. `<` before what could start a
tag, `&` before what could be an entity, `!` before a code, `]` before `(`, `[` or `:`, `[` before `^`.
5. Every `~` where there are two, or any code.
6. At the start of a line: `#`, `>`, `-`, `+`, `*`, `1.`, `1)`, `=`, a task's box, the
line that would rule a table.
"""

from __future__ import annotations

import re

__all__ = ["code_span", "escape", "escape_line_start", "fence_length"]

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
