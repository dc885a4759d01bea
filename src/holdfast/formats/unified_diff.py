"""Unified diffs: written for people, `git apply` and `patch`, read for the lines that a change touched.

1. Written lines keep their bytes: a text is decoded with `surrogateescape`, and so must be encoded.
2. A line ends at LF alone; CR belongs to the line. A last line without LF is marked as git does.
3. A name is written as git writes it: after one with a space stands a tab, without which `patch` takes its
   first word; one with a quote, a backslash or a control character is quoted.
4. Of a diff that is read, only file names and hunk heads count. Names may be quoted as git quotes them.
"""

from __future__ import annotations

import difflib
import re

__all__ = ["changed_lines", "unified_diff"]

_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_ESCAPES = {code: f"\\{code:03o}" for code in (*range(0x20), 0x7F)} | {
    code: f"\\{chr(letter)}" for letter, code in _LETTERS.items()
}


def unified_diff(path: str, old: bytes, new: bytes) -> str:
    """The difference between two versions of a file; empty where there is none."""
    return "".join(
        line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"
        for line in difflib.unified_diff(_lines(old), _lines(new), _name(f"a/{path}"), _name(f"b/{path}"))
    )


def changed_lines(diff: bytes) -> dict[str, list[range]]:
    """The lines of each file that a diff without context added or changed, as they are numbered after it."""
    found: dict[str, list[range]] = {}
    path = None
    left = 0
    for line in diff.split(b"\n"):
        if left and line.startswith((b"+", b"-")):
            left -= 1  # a line of the file, whatever it looks like
        elif line.startswith(b"+++ "):
            path = _path(line[4:])
        elif hunk := _HUNK.match(line):
            taken, first, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            left = taken + added
            if path is not None:
                found.setdefault(path, []).append(range(first, first + added))
    return {path: [lines for lines in ranges if lines] for path, ranges in found.items()}


def _name(path: str) -> str:
    quoted = path.translate(_ESCAPES)
    if quoted != path:
        return f'"{quoted}"'
    return f"{path}\t" if " " in path else path


def _path(name: bytes) -> str | None:
    name = name.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name[1:-1])
    if name == b"/dev/null":
        return None
    return name.removeprefix(b"b/").decode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[bytes]) -> bytes:
    word = match[1]
    return bytes([_LETTERS[word[0]] if len(word) == 1 else int(word, 8)])


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])
