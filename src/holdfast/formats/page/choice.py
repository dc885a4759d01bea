"""Whether the native reader may read. Whoever starts a process decides, once; by default it may.

Both readers give the same: the choice is for whoever doubts it, or measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["VARIABLE", "choose", "may_be_native"]

VARIABLE: Final = "HOLDFAST_NATIVE"
_state: Final = {"native": True}


def choose(environment: Mapping[str, str]) -> None:
    """Go by the environment: `HOLDFAST_NATIVE=0` is the reference alone."""
    _state["native"] = environment.get(VARIABLE) != "0"


def may_be_native() -> bool:
    """What was chosen."""
    return _state["native"]
