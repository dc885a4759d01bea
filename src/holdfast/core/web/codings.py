"""Content codings undone piece by piece, so that a ceiling can stop them at any byte (SEC-2).

1. gzip (also `x-gzip`, several members), deflate (zlib, and raw as some servers send it), br, zstd. Names
   that mean nothing was done (`identity`, and the mistakes `none`, `utf-8`, `binary`) are passed over.
   Any other coding is an error: we did not ask for it and cannot read it.
2. A decoder yields pieces of about `PIECE` bytes, never twice that, and does no work until the next is
   taken.
3. A body that ends before its coding does is an error. What follows a finished gzip or zstd stream and is
   no further member is ignored, as browsers do.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd"
PIECE: Final = 64 * 1024
_MOST_CODINGS: Final = 3
_NOTHING_DONE: Final = frozenset(("", "identity", "none", "utf-8", "binary"))
_ZSTD_WINDOW: Final[dict[int, int]] = {zstd.DecompressionParameter.window_log_max: 23}
"""8 MiB, the most that the `zstd` coding may ask of a reader (RFC 9659)."""


class CodingError(ValueError):
    """The body is not in the coding it claims."""


class Decoder(Protocol):
    """One coding, undone."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes give, in pieces."""
        ...

    def finish(self) -> None:
        """The body is over; raises where its coding is not."""
        ...


def decoders_for(content_encoding: str) -> tuple[Decoder, ...]:
    """The decoders to apply, first to last, for a `Content-Encoding` field."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in _NOTHING_DONE]
    unknown = [name for name in names if name not in _DECODERS]
    if unknown:
        raise CodingError(f"unknown content coding {unknown[0][:40]!r}")
    if len(names) > _MOST_CODINGS:
        raise CodingError(f"{len(names)} content codings, one in another")
    return tuple(_DECODERS[name]() for name in reversed(names))


class _Zlib:
    """gzip and deflate."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream: Any = None  # made of the first byte: a body without any is empty, not broken
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream is None:
                self._stream = zlib.decompressobj(31 if self._gzip else _deflate_form(data))
            if self._stream.eof:
                if not (self._gzip and data.startswith(b"\x1f")):
                    return
                self._stream = zlib.decompressobj(31)
            try:
                piece = self._stream.decompress(data, PIECE)
            except zlib.error as error:
                if self._members:
                    return
                raise CodingError(f"bad {'gzip' if self._gzip else 'deflate'} data: {error}") from None
            if piece:
                yield piece
            if self._stream.eof:
                self._members += 1
                data = self._stream.unused_data
            else:
                data = self._stream.unconsumed_tail

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof and not self._members:
            raise CodingError(f"{'gzip' if self._gzip else 'deflate'} data ends early")


def _deflate_form(data: bytes) -> int:
    # A zlib stream opens with method 8 and, with its second byte, a multiple of 31; raw deflate does not.
    is_zlib = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
    return 15 if is_zlib else -15


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        try:
            while not self._stream.is_finished():
                piece = self._stream.process(data, output_buffer_limit=PIECE)
                data = b""
                if piece:
                    yield piece
                elif self._stream.can_accept_more_data():
                    return
        except brotli.error:
            raise CodingError("bad br data") from None

    def finish(self) -> None:
        if self._fed and not self._stream.is_finished():
            raise CodingError("br data ends early")


class _Zstd:
    def __init__(self) -> None:
        self._stream = zstd.ZstdDecompressor(options=_ZSTD_WINDOW)
        self._frames = 0
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        while True:
            if self._stream.eof:
                if not data:
                    return
                self._stream = zstd.ZstdDecompressor(options=_ZSTD_WINDOW)
            try:
                piece = self._stream.decompress(data, PIECE)
            except zstd.ZstdError as error:
                if self._frames:
                    return
                raise CodingError(f"bad zstd data: {error}") from None
            if piece:
                yield piece
            data = b""
            if self._stream.eof:
                self._frames += 1
                data = self._stream.unused_data
            elif self._stream.needs_input:
                return

    def finish(self) -> None:
        if self._fed and not self._stream.eof and not self._frames:
            raise CodingError("zstd data ends early")


_DECODERS: Final[dict[str, Callable[[], Decoder]]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
}
