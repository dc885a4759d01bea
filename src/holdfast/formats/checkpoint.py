"""The checkpoint files of a mirror: `_processed.txt` and `_progress.json` (MIR-5, MIR-9).

    _processed.txt    one canonical URL a line, appended when its page and the ledger are durable
    _progress.json    processed, total, elapsed_sec, eta_sec; replaced whole every 100 URLs

1. The last line of `_processed.txt` counts only when it ends with a newline: a torn one is dropped.
2. A file that is not UTF-8, holds a NUL, or has a line that is not a URL is corrupt as a whole.
3. Neither file is believed over the ledger: they can only make the crawl do more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from holdfast.core.fingerprints import Fingerprints
from holdfast.core.plain_data import read_json
from holdfast.core.progress import Progress
from holdfast.core.values import dataclass
from holdfast.formats.line_stream import lines_of

__all__ = [
    "FAILED_LOG",
    "PROCESSED",
    "PROGRESS",
    "Checkpoint",
    "Corrupt",
    "progress_flaw",
    "read_processed",
    "write_progress",
]

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
