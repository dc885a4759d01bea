"""robots.txt (RFC 9309): the verdict is protego's, the words are ours (MIR-13).

A refusal names the line that spoke. protego does not say which it was, so for a refused URL, and only
then, the lines of our group are tried one by one, each as a robots.txt of its own, the longest first:
that is the order in which the standard lets them speak.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from protego import Protego

from holdfast.core.base.values import dataclass

_MOST_EXPLAINED: Final = 2_000
"""Lines that are tried for an explanation. A longer file still decides; it is only not quoted."""
_PROBE: Final = "http://probe.invalid/"


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """Whether a URL may be asked; `rule` is the line that forbids it, or what allowed it."""

    allowed: bool
    rule: str


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    length: int
    alone: Protego


class RobotsRules:
    """A robots.txt as one agent reads it."""

    def __init__(self, text: str, agent: str) -> None:
        self._text = text
        self._agent = agent
        self._rules = Protego.parse(text)

    @classmethod
    def of_bytes(cls, body: bytes, agent: str) -> RobotsRules:
        """Read a response's body; bytes that are not UTF-8 spoil their own line and nothing else."""
        return cls(body.decode("utf-8-sig", "replace").replace("\0", "\ufffd"), agent)

    @property
    def crawl_delay(self) -> float | None:
        """Seconds between two requests, where the file asks for some."""
        return self._rules.crawl_delay(self._agent)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The `Sitemap:` lines, in order, each once."""
        return tuple(dict.fromkeys(self._rules.sitemaps))

    def verdict(self, url: str) -> RobotsVerdict:
        """Whether a URL may be asked, and by which line not."""
        if self._rules.can_fetch(url, self._agent):
            return _ALLOWED
        return RobotsVerdict(allowed=False, rule=self._speaker(url))

    def _speaker(self, url: str) -> str:
        forbids = (line.text for line in self._disallows if not line.alone.can_fetch(url, self._agent))
        return next(forbids, "a Disallow line")

    @cached_property
    def _disallows(self) -> tuple[_Line, ...]:
        values = dict.fromkeys(_disallows_of(self._text, self._agent))
        lines = (
            _Line(f"Disallow: {value}", len(value), Protego.parse(f"User-agent: *\nDisallow: {value}"))
            for value in list(values)[:_MOST_EXPLAINED]
        )
        return tuple(sorted(lines, key=lambda line: -line.length))


_ALLOWED: Final = RobotsVerdict(allowed=True, rule="allowed by robots.txt")


def _disallows_of(text: str, agent: str) -> list[str]:
    """The values of the Disallow lines in our group: those that name us, else those of `*`."""
    own: list[str] = []
    others: list[str] = []
    agents: list[str] = []
    in_header = False
    for raw in text.splitlines():
        field, colon, value = raw.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if not colon:
            continue
        if field == "user-agent":
            agents = [*agents, value] if in_header else [value]
            in_header = True
            continue
        if field != "sitemap":
            in_header = False
        if field == "disallow" and value:
            if any(name != "*" and _names(name, agent) for name in agents):
                own.append(value)
            elif "*" in agents:
                others.append(value)
    return own or others


def _names(name: str, agent: str) -> bool:
    return not Protego.parse(f"User-agent: {name}\nDisallow: /").can_fetch(_PROBE, agent)
