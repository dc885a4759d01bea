"""`.gitignore` and `.holdfastignore`: which files are none of our business, by git's own rules.

1. A line is a pattern; blank lines and lines that start with `#` are none. `\\` makes the next character
   literal; unescaped spaces at the end do not count.
2. `!` takes back what an earlier line ignored. The last line that matches decides; a deeper file speaks after
   the files above it. What lies in an ignored folder cannot be taken back.
3. A slash at the end: folders only. A slash at the start or inside: from the file's own folder. No slash: at
   any depth.
4. `*` and `?` do not match `/`, nor does `[a-z]`; `**/`, `/**/` and `/**` match any number of folders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["IgnorePattern", "deciding", "is_ignored", "read_ignore_file"]


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of an ignore file that stands in `folder` (POSIX, no slash at the end, empty for the root)."""

    folder: str
    pattern: re.Pattern[str]
    folders_only: bool
    takes_back: bool
    line: int
    written: str = ""

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the line speaks of a path."""
        if self.folders_only and not is_folder:
            return False
        if not self.folder:
            return self.pattern.fullmatch(path) is not None
        inside = path.startswith(self.folder + "/")
        return inside and self.pattern.fullmatch(path, len(self.folder) + 1) is not None


def read_ignore_file(text: str, folder: str) -> tuple[IgnorePattern, ...]:
    """The patterns of a file that stands in `folder`."""
    patterns = []
    for number, line in enumerate(text.splitlines(), 1):
        rule = _without_trailing_spaces(line)
        if not rule or rule.startswith("#"):
            continue
        takes_back = rule.startswith("!")
        rule = rule[1:] if takes_back else rule
        folders_only = rule.endswith("/") and not rule.endswith("\\/")
        rule = rule.rstrip("/") if folders_only else rule
        if rule:
            compiled = re.compile(_regex(rule), re.DOTALL)
            patterns.append(IgnorePattern(folder, compiled, folders_only, takes_back, number, line.strip()))
    return tuple(patterns)


def is_ignored(path: str, patterns: Sequence[IgnorePattern], *, is_folder: bool) -> bool:
    """What the patterns, from the topmost file to the deepest, say of a path whose folder is not ignored."""
    pattern = deciding(path, patterns, is_folder=is_folder)
    return pattern is not None and not pattern.takes_back


def deciding(path: str, patterns: Sequence[IgnorePattern], *, is_folder: bool) -> IgnorePattern | None:
    """The pattern that decides about a path: the last one that speaks of it."""
    matching = (pattern for pattern in reversed(patterns) if pattern.matches(path, is_folder=is_folder))
    return next(matching, None)


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and len(stripped) < len(line) else stripped


def _regex(rule: str) -> str:
    anchored = "/" in rule
    rule = rule.removeprefix("/")
    parts = ["" if anchored else "(?:.*/)?"]
    if rule.startswith("**/"):
        parts = ["(?:.*/)?"]
        rule = rule[3:]
    at = 0
    while at < len(rule):
        piece, at = _piece(rule, at)
        parts.append(piece)
    return "".join(parts)


def _piece(rule: str, at: int) -> tuple[str, int]:
    if rule.startswith("/**/", at):
        return "/(?:.*/)?", at + 4
    if rule.startswith("/**", at) and at + 3 == len(rule):
        return "/.+", at + 3
    char = rule[at]
    if char == "*":
        while rule.startswith("*", at):
            at += 1
        return "[^/]*", at
    if char == "?":
        return "[^/]", at + 1
    if char == "[" and (match := _CLASS.match(rule, at)):
        negated = "^/" if match[1] else ""
        inside = match[2].replace("\\", "\\\\").replace("[", "\\[") if "\\" not in match[2] else match[2]
        return _valid_class(f"[{negated}{inside}]", match[0]), match.end()
    if char == "\\" and at + 1 < len(rule):
        return re.escape(rule[at + 1]), at + 2
    return re.escape(char), at + 1


_CLASS = re.compile(r"\[([!^]?)(\]?(?:[^\]\\]|\\.)*)\]")


def _valid_class(regex: str, written: str) -> str:
    try:
        re.compile(regex)
    except re.error:
        return re.escape(written)
    return f"(?!/){regex}"
