"""All that follows from one result, as one value: what the ledger is told, what the archive keeps, what the
folder holds after it.
"""

from __future__ import annotations

from holdfast.core.ledger import Finding
from holdfast.core.response import Response
from holdfast.core.values import dataclass

__all__ = ["Effect"]

_NOTHING = Finding()


@dataclass(frozen=True, slots=True)
class Effect:
    """`finding.capture` is made of `response` by whoever archives it. `beside` is another answer that it
    rests on: archived, no more. `processed` are lines of `_processed.txt`, `log` is one of `_failed.log`.
    """

    finding: Finding = _NOTHING
    response: Response | None = None
    beside: Response | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    obsolete: tuple[str, ...] = ()
    processed: tuple[str, ...] = ()
    log: str = ""

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        response, beside = self.response, self.beside
        weight = len(response.capture.body) if response is not None else 0
        return weight if beside is None else weight + len(beside.capture.body)
