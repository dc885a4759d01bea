"""Which capture the archive holds where, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.core.rank import Rank

__all__ = ["MemoryArchived"]

_OK = 200


class MemoryArchived:
    """The `ArchiveLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def captures(self) -> Iterator[CaptureRecord]:
        """Every capture that the archive holds, by file and offset."""
        placed = [(c.ref.file, c.ref.offset, c) for c in self._state.seen.captures.values() if c.ref]
        yield from (capture for _, _, capture in sorted(placed, key=lambda row: row[:2]))

    def ends(self) -> dict[str, int]:
        """How far each archive file is committed."""
        ends: dict[str, int] = {}
        for ref in (capture.ref for capture in self._state.seen.captures.values()):
            if ref:
                ends[ref.file] = max(ends.get(ref.file, 0), ref.offset + ref.length)
        return ends

    def originals_of(self, payloads: Collection[str]) -> dict[str, Original]:
        """The first capture that holds each body."""
        found: dict[str, Original] = {}
        for capture in self._state.seen.captures.values():
            payload = capture.payload_sha256
            if capture.capture_id in self._state.mirrors.lost:
                continue
            if payload and payload in payloads and payload not in found and capture.ref:
                found[payload] = Original(capture.ref, capture.final_url, capture.fetched_at)
        return found

    def last_of(self, asked: Mapping[UrlKey, str | None]) -> dict[UrlKey, Original]:
        """The last capture of each URL with a body: from the address asked, and one that was read, if any."""
        there = (c for name, c in self._state.seen.captures.items() if name not in self._state.mirrors.lost)
        whole = [c for c in there if c.status == _OK and c.ref and c.payload_sha256]
        read = {name for name, _ in self._state.seen.observed}
        payloads = {}
        for key, address in asked.items():
            own = [capture for capture in whole if capture.place.key == key]
            if own:
                last = max(own, key=lambda c: (c.final_url == address, c.capture_id in read, *self._rank(c)))
                payloads[key] = last.payload_sha256 or ""
        originals = self.originals_of(set(payloads.values()))
        return {key: originals[payload] for key, payload in payloads.items()}

    def _rank(self, capture: CaptureRecord) -> tuple[Rank, int]:
        """Its place; of those in one place, the first that was written comes last."""
        rank, number = self._state.place_of(capture)
        return rank, -number

    def lost(self) -> frozenset[str]:
        """Captures that the archive cannot give back."""
        return frozenset(self._state.mirrors.lost)

    def lose(self, refs: Collection[RecordRef], at: datetime) -> int:  # noqa: ARG002 - the port has it
        """The archive cannot give records back, nor others with a body that they alone held."""
        archived = {name: c for name, c in self._state.seen.captures.items() if c.ref}
        firsts: dict[str, str] = {}
        for name, capture in archived.items():
            if capture.payload_sha256 and name not in self._state.mirrors.lost:
                firsts.setdefault(capture.payload_sha256, name)
        direct = {name for name, capture in archived.items() if capture.ref in refs}
        repeats = {name for name, c in archived.items() if firsts.get(c.payload_sha256 or "") in direct}
        new = (direct | repeats) - self._state.mirrors.lost
        self._state.mirrors.lost |= new
        keys = {archived[name].place.key for name in new}
        for pages in self._state.mirrors.pages.values():
            for key in keys & set(pages):
                page, links = pages[key]
                pages[key] = (replace(page, etag=None, last_modified=None), links)
        return len(new)

    def store_id(self) -> str:
        """There is only one store in memory."""
        return ""

    def expect_spare(self, names: Collection[str]) -> None:
        """There are no files in memory."""

    def spare_files(self) -> tuple[str, ...]:
        """There are no files in memory."""
        return ()

    def spare_files_are_gone(self) -> None:
        """There were none."""
