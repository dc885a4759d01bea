"""Hints that more than one command gives."""

from __future__ import annotations

from typing import Final

__all__ = ["ON_TLS"]

ON_TLS: Final = "a certificate was not trusted; if it is one of your own, --ca-file names its issuer's file"
