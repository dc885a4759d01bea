"""`X-Robots-Tag`: what a response says about itself (MIR-1).

A value is a list of words; a value that begins with a robot's name and a colon is for that robot alone and
is passed over, unless the robot is us. `none` means both.
"""

from __future__ import annotations

from holdfast.core.capture import Headers
from holdfast.core.user_agent import PRODUCT
from holdfast.core.values import dataclass

__all__ = ["MetaRobots", "meta_robots"]

_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


@dataclass(frozen=True, slots=True)
class MetaRobots:
    """Two wishes."""

    noindex: bool = False
    nofollow: bool = False


def meta_robots(headers: Headers) -> MetaRobots:
    """The wishes in the response's fields."""
    words: set[str] = set()
    for name, value in headers:
        if name.lower() == "x-robots-tag":
            words |= _words(value.lower())
    everything = "none" in words
    return MetaRobots(everything or "noindex" in words, everything or "nofollow" in words)


def _words(value: str) -> set[str]:
    robot, colon, rest = value.partition(":")
    if colon and robot.strip() not in _WITH_VALUE and "," not in robot:
        if robot.strip() != PRODUCT.lower():
            return set()
        value = rest
    return {word.strip() for word in value.split(",")}
