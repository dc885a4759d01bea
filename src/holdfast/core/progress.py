"""Progress: how far a crawl is, how fast it goes, how long it will take. Times come in as arguments."""

from __future__ import annotations

from holdfast.core.values import dataclass

__all__ = ["Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A crawl at one moment. `fresh` counts what this start did itself: the rate is made of that alone."""

    processed: int
    total: int
    fresh: int
    elapsed: float

    @property
    def rate(self) -> float:
        """URLs a second since the start."""
        return self.fresh / self.elapsed if self.elapsed > 0 else 0.0

    @property
    def eta(self) -> float | None:
        """Seconds to go at this rate; None while nothing is known."""
        left = max(self.total - self.processed, 0)
        if not left:
            return 0.0
        return left / self.rate if self.rate else None

    @property
    def line(self) -> str:
        """The counter that begins each progress line (MIR-9)."""
        return f"[{self.processed}/{self.total}]"
