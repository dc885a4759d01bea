"""Runs of spaces, as the text of a page and its Markdown have them: one."""

from __future__ import annotations

__all__ = ["one_spaced"]


def one_spaced(text: str) -> str:
    """Runs of spaces as one, none at the ends. Split at two, since most spaces stand alone and stay."""
    return " ".join([piece for part in text.split("  ") if (piece := part.strip(" "))])
