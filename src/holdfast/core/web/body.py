"""A response's body as it arrives, under ceilings (SEC-2).

1. The ceilings are on bytes: as sent, once decoded, and decoded for each byte sent. The same bytes always
   end the same way: coded bodies are decoded in blocks of fixed size, however they arrive.
2. The ratio counts only beyond the first MiB decoded: small pages may compress as well as they like.
3. A collector that may cut keeps what it has when a ceiling is reached, and says that it is full.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.web.codings import Decoder, decoders_for

_BLOCK: Final = 16 * 1024
_RATIO_FREE: Final = 1024 * 1024


class BodyTooLargeError(ValueError):
    """A ceiling was reached; the message says which."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How much of a body is taken. With `cut`, what is beyond is left; without, the body is refused."""

    sent: int
    decoded: int
    ratio: float
    cut: bool = False


class BodyCollector:
    """Takes pieces as sent, gives the body decoded."""

    __slots__ = ("_decoded", "_decoders", "_limits", "_pending", "_pieces", "_sent", "is_full")

    def __init__(self, limits: BodyLimits, content_encoding: str | None) -> None:
        self._limits = limits
        self._decoders: tuple[Decoder, ...] = decoders_for(content_encoding) if content_encoding else ()
        self._pending = bytearray()
        self._pieces: list[bytes] = []
        self._sent = 0
        self._decoded = 0
        self.is_full = False

    def announce(self, content_length: str | None) -> None:
        """Refuse a body by the length it claims, before it is read."""
        if self._limits.cut or content_length is None or not content_length.isdecimal():
            return
        if len(content_length) > 19 or int(content_length) > self._limits.sent:
            raise BodyTooLargeError(
                f"{content_length[:20]} bytes announced, at most {self._limits.sent} taken"
            )

    def feed(self, data: bytes) -> None:
        """Take a piece as sent."""
        if not self._decoders:
            self._take(data)
            return
        self._pending += data
        while len(self._pending) >= _BLOCK and not self.is_full:
            block = bytes(self._pending[:_BLOCK])
            del self._pending[:_BLOCK]
            self._take(block)

    def finish(self) -> bytes:
        """The whole body, decoded; raises `CodingError` where a coding ended early."""
        if self._pending and not self.is_full:
            self._take(bytes(self._pending))
        if not self.is_full:
            for decoder in self._decoders:
                decoder.finish()
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _take(self, block: bytes) -> None:
        self._sent += len(block)
        if self._sent > self._limits.sent:
            self._overflow(f"more than {self._limits.sent} bytes sent")
        self._decode(block, 0)

    def _decode(self, data: bytes, layer: int) -> None:
        if layer == len(self._decoders):
            self._keep(data)
            return
        for piece in self._decoders[layer].feed(data):
            self._decode(piece, layer + 1)
            if self.is_full:
                return

    def _keep(self, piece: bytes) -> None:
        self._decoded += len(piece)
        if self._decoded > self._limits.decoded:
            self._overflow(f"more than {self._limits.decoded} bytes once decoded")
            piece = piece[: len(piece) - (self._decoded - self._limits.decoded)]
        elif self._decoders and self._decoded > _RATIO_FREE + self._limits.ratio * self._sent:
            self._overflow(f"decoded to more than {self._limits.ratio:g} times the {self._sent} bytes sent")
        self._pieces.append(piece)

    def _overflow(self, reason: str) -> None:
        if not self._limits.cut:
            raise BodyTooLargeError(reason)
        self.is_full = True
