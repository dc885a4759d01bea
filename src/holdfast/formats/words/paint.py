"""How a line gets its colours: whoever prints it says how, or that there are none."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Paint"]


class Paint(Protocol):
    """A text in the named styles (`bold`, `dim`, `red`, …), as the place it goes to shows them."""

    def __call__(self, text: str, /, *names: str) -> str:
        """The text."""
        ...
