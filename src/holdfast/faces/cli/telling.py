"""After a run: the targets are told, and the person who started the run sees how that went."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import wiring
from holdfast.core.figures import counted
from holdfast.faces.cli.console import note

if TYPE_CHECKING:
    from holdfast.core.notify.notice import Deliveries
    from holdfast.core.settings import Settings

__all__ = ["say_deliveries", "tell_targets"]


def tell_targets(state: Path, settings: Settings) -> None:
    """Tell what happened. Whatever goes wrong is said, and changes nothing about the run."""
    done = wiring.notifying.tell_after_run(state, settings, os.environ)
    if isinstance(done, str):
        note(f"notify: {done}")
    else:
        say_deliveries(done)


def say_deliveries(deliveries: Deliveries) -> None:
    """One line for each attempt."""
    for each in deliveries.attempts:
        what = counted(each.events, "event") if each.events else "a trial"
        if not each.trouble:
            note(
                f"notify {each.target}: told of {what}"
                if each.events
                else f"notify {each.target}: sent {what}"
            )
        elif each.next_try is None:
            note(f"notify {each.target}: {each.trouble}")
        else:
            again = f"{each.next_try.astimezone():%Y-%m-%d %H:%M}"
            note(f"notify {each.target}: {each.trouble}; {what} kept, next try after {again}")
