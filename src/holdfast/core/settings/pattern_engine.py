"""The only door to the engine of patterns."""

from __future__ import annotations

from typing import Any

import re2


def compile_pattern(pattern: str) -> Any | str:
    """A pattern that is found in linear time, or why it is none."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0]
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
