"""What every question shares: how a line gets its colours, and the JSON of an error.

Whoever prints a line says how it is coloured, or that there are no colours.
"""

from __future__ import annotations

from typing import Final, Protocol

from holdfast.core.base.json_shape import INTEGER, TEXT, Schema, Shape, at, optional, record
from holdfast.core.base.shown_text import without_userinfo


class Paint(Protocol):
    """A text in the named styles (`bold`, `dim`, `red`, …), as the place it goes to shows them."""

    def __call__(self, text: str, /, *names: str) -> str:
        """The text."""
        ...


_WORDS: Final = Shape(TEXT.schema, without_userinfo)

ERROR: Final = Schema(
    "error",
    "What a command that was asked for `--json` prints when it ends in an error.",
    record(
        error=at("message", _WORDS),
        hint=optional(_WORDS),
        exit_status=at(lambda e: int(e.exit_status), INTEGER),
    ),
)
