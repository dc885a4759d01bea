"""Lengths of time as people write them: `90s`, `30m`, `12h`, `7d`, `2w`; a bare number is days. And the
moment since which everything was.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["EVER", "parse_duration"]

EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Before anything that was seen."""

_FORM: Final = re.compile(r"(\d+(?:\.\d+)?)([smhdw]?)")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "": 86400}


def parse_duration(text: str) -> timedelta | None:
    """The length of time, or None where the text is not one."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return None
    seconds = float(match[1]) * _SECONDS[match[2]]
    return timedelta(seconds=seconds) if seconds < 1e11 else None
