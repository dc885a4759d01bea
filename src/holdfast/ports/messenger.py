"""Who carries messages to those who want to know."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.notify.message import Message
from holdfast.core.notify.target import Target

__all__ = ["Messenger"]


class Messenger(Protocol):
    """Each target by its own way."""

    def deliver(self, target: Target, message: Message) -> str:
        """Hand a message over; empty once the target took it, else what went wrong, in words. Never raises
        for anything that a target does.
        """
        ...
