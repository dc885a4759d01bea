"""What follows once a group of effects is in archive and ledger, in the one order that survives a crash
anywhere:

    archive, synced → ledger, one transaction → files, renamed → files, synced → lines of `_processed.txt`

1. Nothing is acknowledged (a line in `_processed.txt`) before page and ledger are durable.
2. Nobody waits for the files but the lines: they are synced beside the crawl, all that gathered together, and
   the lines follow. So a group costs the sync of archive and ledger alone.
3. A crash between two steps leaves entries that the ledger calls done and the checkpoint does not: the
   next start asks for them again, and finds that nothing new has to be written. An update does not list again
   what is listed; there the start looks at the files themselves (`opening`), and a file that was there before
   is never replaced by one that may be lost.
4. At the end of a start the lines themselves are durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from holdfast.core.crawl.effect import Effect
from holdfast.formats.checkpoint import FAILED_LOG, PROCESSED
from holdfast.ports import Mirror

__all__ = ["Acknowledging", "put_files"]


def put_files(folder: Mirror, effects: Sequence[Effect]) -> dict[str, str]:
    """Write what effects leave in the folder; files that were refused, with the reason."""
    files = {path: content for effect in effects for path, content in effect.files}
    times = {
        path: effect.response.capture.fetched_at.timestamp()
        for effect in effects
        if effect.response
        for path, _ in effect.files
    }
    refused = folder.put_all(files, times) if files else {}
    for effect in effects:
        for path in effect.obsolete:
            folder.remove(path)
    return refused


class Acknowledging:
    """The lines of effects whose files are put: written once these are durable, in the order they came. After
    a failure nothing more is written, and `check` and `flush` raise it.
    """

    def __init__(self, folder: Mirror) -> None:
        self._folder = folder
        self._lines: list[str] = []
        self._log: list[str] = []
        self._working: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def add(self, effects: Sequence[Effect], refused: dict[str, str]) -> None:
        """Acknowledge effects soon; not those whose files were refused."""
        for effect in effects:
            if not any(path in refused for path, _ in effect.files):
                self._lines += [f"{url}\n" for url in effect.processed]
            if effect.log:
                self._log.append(effect.log)
        if self._working is None and self._failure is None and (self._lines or self._log):
            self._working = asyncio.create_task(self._work())

    def check(self) -> None:
        """Raise what failed, if something did."""
        if self._failure is not None:
            raise self._failure

    async def flush(self) -> None:
        """Wait until everything that was added is acknowledged, durably."""
        await self.rest()
        if self._failure is None:
            await asyncio.to_thread(self._folder.settle)
        self.check()

    async def rest(self) -> None:
        """Wait until nothing is at work."""
        if self._working is not None:
            await asyncio.wait([self._working])

    async def _work(self) -> None:
        try:
            while self._lines or self._log:
                lines, log, self._lines, self._log = self._lines, self._log, [], []
                await asyncio.to_thread(self._acknowledge, "".join(lines), "".join(log))
        except BaseException as error:  # noqa: BLE001 - kept: every later call raises it
            self._failure = error
        finally:
            self._working = None

    def _acknowledge(self, lines: str, log: str) -> None:
        self._folder.settle()
        if log:
            self._folder.append(FAILED_LOG, log.encode("utf-8", "replace"))
        if lines:
            self._folder.append(PROCESSED, lines.encode())
