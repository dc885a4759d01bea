"""The event loop that commands run on."""

from holdfast.adapters.loop import run

__all__ = ["run"]
