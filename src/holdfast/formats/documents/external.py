"""Which URLs name a place on a host."""

from __future__ import annotations

import re

__all__ = ["is_external"]

_EXTERNAL = re.compile(r"\s*(?:(?!file:)[a-z][a-z0-9+.\-]*:)?//[^/?#\\]", re.IGNORECASE).match


def is_external(url: str) -> bool:
    """Whether a URL has a scheme and an authority, or an authority alone (`//host/…`)."""
    return _EXTERNAL(url) is not None
