"""A state folder to be asked, as the flags name it; what is odd about the overrides file is said."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast import wiring
from holdfast.faces.cli.flags import say_what_is_odd, settings_from
from holdfast.faces.cli.life_sign import say_life_sign

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

__all__ = ["reader_from"]


@contextmanager
def reader_from(args: argparse.Namespace) -> Iterator[Reader]:
    """Who answers for the state folder that the flags name; a search index says how far its building is."""
    settings = settings_from(args)
    say_what_is_odd(settings)
    with wiring.reading.open_reader(settings, tell=_tell) as reader:
        yield reader


def _tell(done: int, total: int) -> None:
    say_life_sign(f"building the search index: {done:,} of {total:,}" if done < total else "searching")
