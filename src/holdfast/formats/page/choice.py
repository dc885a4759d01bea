"""Whether the native reader may read. Whoever starts a process decides, before it is imported: by default it
may.

Both readers give the same: the choice is for whoever doubts it, or measures.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

__all__ = ["NATIVE", "VARIABLE", "without_native"]

VARIABLE: Final = "HOLDFAST_NATIVE"
NATIVE: Final = "holdfast.formats.page._native"


def without_native(environment: Mapping[str, str], modules: MutableMapping[str, Any]) -> bool:
    """Under `HOLDFAST_NATIVE=0` the reference alone reads: among `modules`, those of the process, the native
    one is marked as not there. Whether that was so.
    """
    if environment.get(VARIABLE) != "0":
        return False
    modules[NATIVE] = None  # Python's own way to say that an import fails
    return True
