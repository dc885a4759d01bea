"""What follows once a group of effects is in archive and ledger, in the one order that survives a crash
anywhere:

    archive, synced → ledger, one transaction → files, synced and renamed → lines of `_processed.txt`

1. Nothing is acknowledged (a line in `_processed.txt`) before page and ledger are durable.
2. A crash between two steps leaves entries that the ledger calls done and the checkpoint does not: the
   next start asks for them again, and finds that nothing new has to be written.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.crawl.effect import Effect
from holdfast.formats.checkpoint import FAILED_LOG, PROCESSED
from holdfast.ports import Mirror

__all__ = ["put_files"]


def put_files(folder: Mirror, effects: Sequence[Effect]) -> dict[str, str]:
    """Write what effects leave in the folder, and acknowledge them; files that were refused, with the
    reason.
    """
    files = {path: content for effect in effects for path, content in effect.files}
    times = {
        path: effect.response.capture.fetched_at.timestamp()
        for effect in effects
        if effect.response
        for path, _ in effect.files
    }
    refused = folder.write_all(files, times) if files else {}
    for effect in effects:
        for path in effect.obsolete:
            folder.remove(path)
    _acknowledge(folder, effects, refused)
    return refused


def _acknowledge(folder: Mirror, effects: Sequence[Effect], refused: dict[str, str]) -> None:
    lines, log = [], []
    for effect in effects:
        if not any(path in refused for path, _ in effect.files):
            lines += [f"{url}\n" for url in effect.processed]
        log += [effect.log] if effect.log else []
    if log:
        folder.append(FAILED_LOG, "".join(log).encode("utf-8", "replace"))
    if lines:
        folder.append(PROCESSED, "".join(lines).encode())
