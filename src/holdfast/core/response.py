"""An answer on its way to the archive."""

from __future__ import annotations

from holdfast.core.capture import Capture
from holdfast.core.lineage import RecordRef
from holdfast.core.place import Place
from holdfast.core.values import dataclass

__all__ = ["Response"]


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, whose it is, and where the archive has it, if it has. `confirms` is the hash of the body
    that a 304 confirms, where that is not simply the last one of the place; `told`: its addresses are for
    others to read (SEC-3).
    """

    capture: Capture
    place: Place
    ref: RecordRef | None = None
    confirms: str | None = None
    told: bool = False
