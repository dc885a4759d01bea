"""How far a crawl is, how fast it goes, how long it will take; and the files that keep it (MIR-5, MIR-9).

Times come in as arguments.

    _processed.txt    one canonical URL a line, appended when its page and the ledger are durable
    _progress.json    processed, total, elapsed_sec, eta_sec; replaced whole every 100 URLs

1. The last line of `_processed.txt` counts only when it ends with a newline: a torn one is dropped.
2. A file that is not UTF-8, holds a NUL, or has a line that is not a URL is corrupt as a whole.
3. Neither file is believed over the ledger: they can only make the crawl do more.
4. Pages that the trap rules have seen are rows of bytes: sorted, they are in the order in which they
   counted. A run that goes on reads its pages in the order of the frontier, and counts them in the order of
   their turns. As rows they can be sorted where not all of them fit in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from holdfast.core.base.long_lists import Fingerprints, lines_of
from holdfast.core.base.plain_data import read_json
from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Place


@dataclass(frozen=True, slots=True)
class Progress:
    """A crawl at one moment. `fresh` counts what this start did itself: the rate is made of that alone."""

    processed: int
    total: int
    fresh: int
    elapsed: float

    @property
    def rate(self) -> float:
        """URLs a second since the start."""
        return self.fresh / self.elapsed if self.elapsed > 0 else 0.0

    @property
    def eta(self) -> float | None:
        """Seconds to go at this rate; None while nothing is known."""
        left = max(self.total - self.processed, 0)
        if not left:
            return 0.0
        return left / self.rate if self.rate else None

    @property
    def line(self) -> str:
        """The counter that begins each progress line (MIR-9)."""
        return f"[{self.processed}/{self.total}]"


FAILED_LOG: Final = "_failed.log"
PROCESSED: Final = "_processed.txt"
PROGRESS: Final = "_progress.json"
SCHEMA: Final = "holdfast.progress/1"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The URLs that are done, and how many bytes of the file are whole lines."""

    urls: Fingerprints
    whole: int


@dataclass(frozen=True, slots=True)
class Corrupt:
    """The file is not what it should be; `why` says where."""

    why: str


def read_processed(pieces: Iterable[bytes]) -> Checkpoint | Corrupt:
    """Read `_processed.txt`, which comes in pieces."""
    urls, whole = Fingerprints(), 0
    for number, line in enumerate(lines_of(pieces), 1):
        if (at := line.find(b"\0")) >= 0:
            return Corrupt(f"a NUL byte at offset {whole + at}")
        if not line.endswith(b"\n"):
            break
        try:
            url = line[:-1].decode()
        except UnicodeDecodeError as error:
            return Corrupt(f"no UTF-8 at offset {whole + error.start}")
        if url and not url.startswith(("https://", "http://")):
            return Corrupt(f"line {number} is not a URL")
        if url:
            urls.add(url)
        whole += len(line)
    return Checkpoint(urls, whole)


def write_progress(progress: Progress) -> bytes:
    """What `_progress.json` says at a moment."""
    eta = progress.eta
    document = {
        "schema": SCHEMA,
        "processed": progress.processed,
        "total": progress.total,
        "elapsed_sec": round(progress.elapsed, 3),
        "eta_sec": None if eta is None else round(eta, 3),
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def progress_flaw(data: bytes) -> str | None:
    """Why a `_progress.json` is corrupt; None when it is not."""
    try:
        document: Any = read_json(data)
    except ValueError as error:
        return f"no JSON ({error})"
    if not isinstance(document, dict):
        return "no JSON object"
    missing = [key for key in ("processed", "total", "elapsed_sec", "eta_sec") if key not in document]
    return f"{', '.join(missing)} missing" if missing else None


class CountedPage(NamedTuple):
    """A page, and what its note says for the traps."""

    place: Place
    alike: bool | None
    gist: str


def trap_row(page: CountedPage, turn: int, number: int) -> bytes:
    """A page as a row; pages of the same turn stand in the order of `number`."""
    own = json.dumps([*page.place, page.alike, page.gist])
    return f"{turn:012d} {number:012d} {own}".encode()


def read_trap_row(row: bytes) -> CountedPage:
    """The page of a row."""
    *place, alike, gist = json.loads(row.split(b" ", 2)[2])
    return CountedPage(Place(*place), alike, gist)
