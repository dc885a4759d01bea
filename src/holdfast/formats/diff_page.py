"""A difference, or a run's digest, as one HTML file that needs nothing else: no script, no font, no request.

Everything that came from the web is escaped, and characters that control a screen are shown as what they are
(SEC-7); addresses become links only if they are http or https.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from holdfast.core.shown_text import harmless, harmless_lines
from holdfast.core.text_diff import Hunk

__all__ = ["diff_table", "html_page"]

_STYLE = """
:root { color-scheme: light dark; --old: #ffebe9; --new: #dafbe1; --head: #ddf4ff; --line: #8c959f }
@media (prefers-color-scheme: dark) { :root { --old: #4c1d1d; --new: #12391f; --head: #10304d } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; margin: 1rem 0 }
td { padding: 0 .6rem; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top }
td.n { color: var(--line); text-align: right; width: 1%; user-select: none; white-space: nowrap }
tr.old { background: var(--old) } tr.new { background: var(--new) } tr.head { background: var(--head) }
dt { font-weight: 600 } .quiet { color: var(--line) }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CLASSES = {"-": "old", "+": "new", " ": "same"}


def html_page(title: str, body: Iterable[str]) -> Iterator[str]:
    """A whole page around pieces that are HTML already; the title is text."""
    title = harmless(title)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    yield f"<h1>{escape(title)}</h1>\n"
    yield from map(harmless_lines, body)
    yield "</body>\n</html>\n"


def diff_table(hunks: Iterable[Hunk]) -> Iterator[str]:
    """Hunks as a table with the lines' numbers on both sides."""
    yield "<table>\n"
    for hunk in hunks:
        yield f'<tr class="head"><td class="n"></td><td class="n"></td><td>{escape(hunk.head)}</td></tr>\n'
        old, new = hunk.old_start, hunk.new_start
        for mark, text in hunk.lines:
            left = f"{old}" if mark != "+" else ""
            right = f"{new}" if mark != "-" else ""
            yield (
                f'<tr class="{_CLASSES[mark]}"><td class="n">{left}</td><td class="n">{right}</td>'
                f"<td>{escape(mark + text)}</td></tr>\n"
            )
            old += mark != "+"
            new += mark != "-"
    yield "</table>\n"
