"""How the user ends a run early; apart from `tools`, so that workers can start before the job is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from holdfast.core.base.values import dataclass


@dataclass(slots=True)
class Stop:
    """Asked once, what is in flight is finished; asked twice, it is dropped."""

    asked: int = 0
    wakers: list[Callable[[], object]] = field(default_factory=list)

    def ask(self) -> None:
        """Ask to stop; may be called from a signal handler of the event loop."""
        self.asked += 1
        for wake in self.wakers:
            wake()

    @property
    def soon(self) -> bool:
        """Whether to begin nothing new."""
        return self.asked > 0

    @property
    def now(self) -> bool:
        """Whether to leave everything as it is."""
        return self.asked > 1
