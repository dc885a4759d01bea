"""A state folder to be asked, as the flags name it; what is odd about the overrides file is said."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast import wiring
from holdfast.faces.cli.flags import say_what_is_odd, settings_from

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

__all__ = ["reader_from"]


@contextmanager
def reader_from(args: argparse.Namespace) -> Iterator[Reader]:
    """Who answers for the state folder that the flags name."""
    settings = settings_from(args)
    say_what_is_odd(settings)
    with wiring.reading.open_reader(settings) as reader:
        yield reader
