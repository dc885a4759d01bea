"""The normal form of an answer, and the comparison of two recordings.

A recording is a tree of text files, one a call. What cannot be the same twice is replaced, by one table in
which each replacement has its reason; nothing else is touched.
"""

from __future__ import annotations

import difflib
import io
import lzma
import re
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

Recording = Mapping[str, str]


class Replacement(NamedTuple):
    """What is replaced in every answer, and why it cannot be the same twice."""

    pattern: re.Pattern[str]
    by: str
    reason: str


_WAITS = "durations come of the clock that only grows, which goes on"
REPLACEMENTS = (
    Replacement(
        re.compile(r"/[\w./-]*?/hf-probe-\w{8}(?:/\d{4})?"),
        "{probe}",
        "every call has a new copy of the world",
    ),
    Replacement(
        re.compile(r"(?<=http://127\.0\.0\.1:)(?!47811\b)\d{4,5}(?=[/\"'\s<&]|$)"),
        "{port}",
        "`serve` draws its port; the site's is fixed",
    ),
    Replacement(re.compile(r"\(\d+:\d\d, \d+(?:\.\d+)? (\w+/s)\)"), r"({duration}, {pace} \1)", _WAITS),
    Replacement(re.compile(r'("(?:seconds|elapsed_sec|eta_sec)": )\d+(?:\.\d+)?'), r"\1{duration}", _WAITS),
    Replacement(
        re.compile(r'(\n  \},\n  "sha256": )"[0-9a-f]{64}"'),
        r"\1{digest}",
        "the digest of a summary of which a duration is part",
    ),
    Replacement(re.compile(r"(\n  seconds=)\d+\.\d+"), r"\1{duration}", _WAITS),
    Replacement(
        re.compile(r'(name="secret" value=")[0-9a-f]{64}'),
        r"\1{secret}",
        "forms carry a secret that each server draws for itself",
    ),
    Replacement(re.compile(r'(\{"pid": )\d+'), r"\1{pid}", "who had the lock: a process of that recording"),
)


_WRITTEN = "a document is remembered with the time when it was written, by the system's clock"
IN_ARCHIVES = (
    Replacement(re.compile(r"(?<=,)\d{19}(?=,\d{16}\])"), "{written}", _WRITTEN),
    Replacement(re.compile(r"urn:uuid:[0-9a-f-]{36}"), "{record}", "made of the content: " + _WRITTEN),
    Replacement(re.compile(r"(WARC-Block-Digest: )\S+"), r"\1{digest}", "made of the content: " + _WRITTEN),
)
"""What is replaced in an archive's records, too; that their digests are right, `verify` says."""


def normal(text: str, table: tuple[Replacement, ...] = REPLACEMENTS) -> str:
    """A text without what cannot be the same twice."""
    for each in table:
        text = each.pattern.sub(each.by, text)
    return text


class Rename(NamedTuple):
    """An old name, the new one, and the rule by which it became so."""

    old: str
    new: str
    rule: str


def read_renames(text: str) -> tuple[Rename, ...]:
    """A table of names: old, new and rule, parted by tabs; `#` begins a comment.

    Raises ValueError for a line without a rule, and for an old name that stands twice.
    """
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 3 or not all(cell.strip() for cell in row):
            raise ValueError(f"old, new and rule are needed, parted by tabs: {row}")
    renames = tuple(Rename(*(cell.strip() for cell in row)) for row in rows)
    if len({each.old for each in renames}) < len(renames):
        raise ValueError("an old name stands twice")
    return renames


def renamed(text: str, renames: Iterable[Rename]) -> str:
    """A text in new names: whole words, the longest first, each place once."""
    table = {each.old: each.new for each in renames}
    if not table:
        return text
    names = "|".join(re.escape(old) for old in sorted(table, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{names})(?![\w-])", lambda found: table[found[0]], text)


def differences(a: Recording, b: Recording, renames: Iterable[Rename] = ()) -> list[str]:
    """What differs, a text for each call; none when both say the same once the table is applied to both."""
    table = tuple(renames)
    one, other = ({name: renamed(text, table) for name, text in each.items()} for each in (a, b))
    found = [f"only in the first: {name}" for name in sorted(one.keys() - other.keys())]
    found += [f"only in the second: {name}" for name in sorted(other.keys() - one.keys())]
    for name in sorted(one.keys() & other.keys()):
        if one[name] != other[name]:
            lines = (one[name].splitlines(), other[name].splitlines())
            found.append(
                "\n".join(difflib.unified_diff(*lines, f"first/{name}", f"second/{name}", "", "", 1, ""))
            )
    return found


def write_recording(recording: Recording, to: Path) -> None:
    """As a folder, or as one file (`.tar.xz`): the same bytes for the same recording."""
    if not to.name.endswith(".tar.xz"):
        for name, text in recording.items():
            file = to / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
        return
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(recording):
            content = recording[name].encode("utf-8", "surrogateescape")
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    to.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def read_recording(place: Path) -> dict[str, str]:
    """A recording, as a folder or as one file."""
    if place.is_dir():
        files = (each for each in place.rglob("*") if each.is_file())
        return {each.relative_to(place).as_posix(): _text(each.read_bytes()) for each in files}
    found = {}
    with tarfile.open(place, mode="r:xz") as archive:
        for entry in archive:
            content = archive.extractfile(entry)
            if content is not None:
                found[entry.name] = _text(content.read())
    return found


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
