"""Messages between this process and a worker: a length, then a pickle of that many bytes.

To a worker goes a `Setup` and the call's own values; None for the setup where it is that of the call before.
Back comes the number of a `WorkerAnswer` and the result, or words; after a setup also that it was understood.
A number: to name a class in a message takes longer than a short result.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, Final

from holdfast.core.values import dataclass

__all__ = ["ANSWERS", "READ_BYTES", "Frames", "Setup", "WorkerAnswer", "pack"]

READ_BYTES: Final = 1 << 16
"""For more than 128 KiB the allocator asks the system each time, which takes longer than reading."""
_LENGTH: Final = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Setup:
    """What many calls have in common: the function, and its last arguments."""

    function: Callable[..., Any]
    common: tuple[Any, ...]


class WorkerAnswer(IntEnum):
    """How a call ended; `READY` is not an answer to a call."""

    DONE = 0
    RAISED = 1
    MEMORY = 2
    READY = 3


ANSWERS: Final = tuple(WorkerAnswer)
"""By number."""


def pack(message: object) -> bytes:
    """A message as it is sent."""
    data = pickle.dumps(message, protocol=5)
    return _LENGTH.pack(len(data)) + data


class Frames:
    """What was received so far, handed out message by message."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """Take bytes in; the messages that they complete. Both ends are this program: pickles are safe."""
        self._data += data
        while (end := self._end()) is not None:
            with memoryview(self._data) as whole, whole[_LENGTH.size : end] as message:
                read = pickle.loads(message)
            del self._data[:end]
            yield read

    def _end(self) -> int | None:
        """Where the first message ends; None where it is not complete."""
        if len(self._data) < _LENGTH.size:
            return None
        end: int = _LENGTH.size + _LENGTH.unpack_from(self._data)[0]
        return end if end <= len(self._data) else None
