"""`.gitignore` and `.holdfastignore`: which files are left out, by git's own rules.

1. A line is a pattern; blank lines and lines that start with `#` are none. `\\` makes the next character
   literal; unescaped spaces at the end do not count.
2. `!` takes back what an earlier line ignored. The last line that matches decides; a deeper file speaks after
   the files above it. What lies in an ignored folder cannot be taken back.
3. A slash at the end: folders only. A slash at the start or inside: from the file's own folder. No slash: at
   any depth.
4. `*` and `?` do not match `/`, nor does `[a-z]`; `**/`, `/**/` and `/**` match any number of folders.
5. A pattern is matched part by part, never by a regular expression: where a star was met, only the last one
   is taken up again, so that no line takes longer than its length times that of a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.base.wildcards import Segment, glob_matches, read_segment, segments_match, split_segments

OWN_IGNORES: Final = ".holdfastignore"
"""The ignore file of Holdfast's own; at the root it also names URLs (`core.findings.ignore`)."""


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of an ignore file that stands in `folder` (POSIX, no slash at the end, empty for the root)."""

    folder: str
    segments: tuple[Segment | None, ...]
    anchored: bool
    folders_only: bool
    takes_back: bool
    line: int
    written: str = ""

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the line speaks of a path."""
        if self.folders_only and not is_folder:
            return False
        if self.folder and not path.startswith(self.folder + "/"):
            return False
        inside = path[len(self.folder) + 1 :] if self.folder else path
        if self.anchored:
            return segments_match(self.segments, inside.split("/"))
        (segment,) = self.segments
        return segment is None or glob_matches(segment, inside.rpartition("/")[2])


def read_ignore_file(text: str, folder: str) -> tuple[IgnorePattern, ...]:
    """The patterns of a file that stands in `folder`."""
    patterns = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        rule = _without_trailing_spaces(line.removesuffix("\r"))
        if not rule or rule.startswith("#"):
            continue
        takes_back = rule.startswith("!")
        rule = rule[1:] if takes_back else rule
        folders_only = rule.endswith("/")
        rule = rule[:-1] if folders_only else rule
        segments = _segments(rule.removeprefix("/")) if rule else None
        if segments is not None:
            patterns.append(
                IgnorePattern(folder, segments, "/" in rule, folders_only, takes_back, number, line.strip())
            )
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


def _segments(rule: str) -> tuple[Segment | None, ...] | None:
    """The parts of a pattern between slashes, `**` as None; None for a pattern that matches nothing."""
    segments: list[Segment | None] = []
    for part in split_segments(rule) or [""]:
        if part.startswith("**") and not part.strip("*"):
            if not (segments and segments[-1] is None):
                segments.append(None)
            continue
        segment = read_segment(part) if part else None
        if segment is None:
            return None
        segments.append(segment)
    return tuple(segments)
