"""What happened on the way that somebody should know of and nobody asked for: one sentence at a time.

A face that has a place for such sentences listens; without one they go to the log named `holdfast`.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["listen", "notice", "notice_once"]

_listeners: list[Callable[[str], None]] = []
_said: set[str] = set()


def listen(listener: Callable[[str], None]) -> None:
    """Send every sentence there from now on, and nowhere else."""
    _listeners[:] = [listener]
    _said.clear()


def notice(text: str) -> None:
    """Say something."""
    if _listeners:
        _listeners[0](text)
        return
    import logging  # noqa: PLC0415 # lazy: it is rarely needed

    logging.getLogger("holdfast").warning("%s", text)


def notice_once(text: str) -> None:
    """Say something, unless whoever listens has heard it."""
    if text not in _said:
        _said.add(text)
        notice(text)
