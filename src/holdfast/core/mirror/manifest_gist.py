"""What a manifest says, without its long parts: these are a digest each (MIR-10).

1. A manifest is read line by line, as it is written: memory does not grow with the number of pages. One that
   somebody laid out in another way is read whole.
2. Two manifests say the same of their pages when the digests are equal: they are over the values, not over
   the bytes.
3. The same pass tells whether its seal holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from holdfast.core.base.long_lists import lines_of
from holdfast.core.base.plain_data import read_json
from holdfast.core.base.values import dataclass
from holdfast.core.mirror.manifest import SEAL, SEAL_END, checked_manifest, read_manifest

_OPENS: Final = {
    b' "pages": [\n': "pages",
    b' "aliases": [\n': "aliases",
    b'  "fetched_at": {\n': "fetched_at",
}
_CLOSES: Final = {"pages": b" ]", "aliases": b" ]", "fetched_at": b"  }"}
_TAIL: Final = len(SEAL) + 64 + len(SEAL_END)


@dataclass(frozen=True, slots=True)
class ManifestGist:
    """The document without pages, aliases and fetch times, a digest of each of these, and whether its seal
    holds.
    """

    head: Mapping[str, Any]
    parts: Mapping[str, str]
    is_sealed: bool

    @property
    def crawl(self) -> Mapping[str, Any]:
        """What moves: the run, its status and counts."""
        return dict(self.head.get("crawl", {}))


def gist_of_manifest(read: Callable[[], Iterable[bytes]]) -> ManifestGist | str:
    """What a manifest says, or why it is corrupt; `read` gives its bytes in pieces, from the beginning."""
    try:
        return _by_line(read())
    except ValueError:  # perhaps it is laid out in another way
        return _as_whole(b"".join(read()))


def head_of_manifest(read: Callable[[], Iterable[bytes]]) -> Mapping[str, Any] | str:
    """What a manifest says without its long parts, or why it is corrupt. Where its seal holds, it is as it
    was written, and these are passed over.
    """
    sealing, kept, close = _Sealing(), list[bytes](), b""
    for line in lines_of(sealing.over(read())):
        if close and not line.startswith(close):
            continue
        kept.append(line)
        close = _CLOSES[_OPENS[line]] if line in _OPENS else b""
    if sealing.holds():
        with suppress(ValueError):  # somebody sealed what is laid out in another way
            document = checked_manifest(read_json(b"".join(kept)))
            return document if isinstance(document, str) else {**document, "crawl": _without_times(document)}
    found = gist_of_manifest(read)
    return found if isinstance(found, str) else found.head


def _without_times(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.get("crawl", {}).items() if name != "fetched_at"}


def _by_line(pieces: Iterable[bytes]) -> ManifestGist:
    sealing, parts, kept = _Sealing(), dict[str, str](), list[bytes]()
    lines = lines_of(sealing.over(pieces))
    for line in lines:
        kept.append(line)
        if (name := _OPENS.get(line)) is not None:
            digest = _Digest()
            kept.append(_take(lines, _CLOSES[name], name, digest))
            parts[name] = digest.text()
    document = checked_manifest(read_json(b"".join(kept)))
    if isinstance(document, str) or parts.keys() != _CLOSES.keys():
        raise ValueError(document if isinstance(document, str) else "it is laid out in another way")
    return ManifestGist({**document, "crawl": _without_times(document)}, parts, sealing.holds())


def _take(lines: Iterator[bytes], close: bytes, name: str, digest: _Digest) -> bytes:
    """Read the lines of a part up to the one that closes it, which is returned."""
    is_last = False
    for line in lines:
        if line.startswith(close):
            return line
        text = line.strip()
        if is_last:
            raise ValueError("a comma is missing")
        is_last = not text.endswith(b",")
        text = text.removesuffix(b",")
        digest.add(read_json(text if name != "fetched_at" else b"{" + text + b"}"))
    raise ValueError("it ends too soon")


def _as_whole(data: bytes) -> ManifestGist | str:
    document = read_manifest(data)
    if isinstance(document, str):
        return document
    crawl = dict(document.get("crawl", {}))
    times = crawl.pop("fetched_at", {})
    values = {
        "pages": document["pages"],
        "aliases": document.get("aliases", []),
        "fetched_at": [{path: time} for path, time in times.items()] if isinstance(times, dict) else [times],
    }
    parts = {}
    for name, own in values.items():
        digest = _Digest()
        for value in own:
            digest.add(value)
        parts[name] = digest.text()
    sealing = _Sealing()
    for _ in sealing.over([data]):
        pass
    return ManifestGist({**document, "pages": [], "aliases": [], "crawl": crawl}, parts, sealing.holds())


class _Digest:
    """Of values, one after another."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, value: Any) -> None:
        self._hash.update(json.dumps(value, sort_keys=True).encode() + b"\n")

    def text(self) -> str:
        return self._hash.hexdigest()


class _Sealing:
    """Whether the bytes before the `sha256` of a manifest are those it was made of."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._tail = b""

    def over(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The same pieces; what may be the seal itself is held back from the hash."""
        for piece in pieces:
            tail = self._tail + piece
            self._hash.update(tail[:-_TAIL])
            self._tail = tail[-_TAIL:]
            yield piece

    def holds(self) -> bool:
        """To be asked when all pieces have been seen."""
        return self._tail == SEAL + self._hash.hexdigest().encode() + SEAL_END
