"""Messages that are kept instead of sent."""

from __future__ import annotations

from holdfast.core.notify.message import Message
from holdfast.core.notify.target import Target

__all__ = ["MemoryMessenger"]


class MemoryMessenger:
    """The `Messenger` port; `trouble` is what every target answers for as long as it is set."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Message]] = []
        self.tries = 0
        self.trouble = ""

    def deliver(self, target: Target, message: Message) -> str:
        """Keep a message, unless there is trouble."""
        self.tries += 1
        if not self.trouble:
            self.taken.append((target.name, message))
        return self.trouble
