"""Which URLs may be asked: two lists of hosts, the refusing one stronger, and patterns of URLs to leave out.

1. `example.com` is that host alone; `*.example.com` is the host and all hosts under it. Ports do not
   matter.
2. A pattern of `skip_urls` is a regular expression that is looked for anywhere in the URL.
3. A pattern of `ask_urls` is stronger than all of these; where there are none, it alone says what is asked.
4. Names that are reserved for examples are left out on request; that is not a rule of the user's own.
5. A rule that leaves out nothing that is cited is `unused`: what it was for is gone.

URLs that stand for others are names that are reserved for examples and tests, and templates:

6. Reserved are `example`, `test`, `invalid`, `localhost` and what ends in them, `example.com`,
   `example.net`, `example.org` and the hosts under them (RFC 2606, RFC 6761).
7. A template has a hole in it: `{id}`, `{{ host }}`, `${HOST}`, `<id>`, `%7B%7Bid%7D%7D`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Protocol


class SoughtPattern(Protocol):
    """Something that is looked for in a URL, as it was written."""

    pattern: str

    def search(self, text: str) -> bool:
        """Whether it is found anywhere in a text."""
        ...


class HostRules:
    """The user's own rules about what is asked."""

    def __init__(
        self,
        ask: Sequence[str] = (),
        skip: Sequence[str] = (),
        skip_urls: Sequence[SoughtPattern] = (),
        *,
        ask_urls: Sequence[SoughtPattern] = (),
        skip_reserved: bool = False,
    ) -> None:
        self._wanted = tuple(ask_urls)
        self._skip_reserved = skip_reserved
        self._ask = tuple(name.strip().lower().rstrip(".") for name in ask)
        self._skip = tuple(name.strip().lower().rstrip(".") for name in skip)
        self._patterns = tuple(skip_urls)
        self._has_hosts = bool(self._ask or self._skip or skip_reserved)

    def refusal(self, host: str) -> str | None:
        """None admits a host; a text refuses and names the rule."""
        if not self._has_hosts:
            return None
        name = host.lower().rstrip(".")
        for rule in self._skip:
            if _matches(name, rule):
                return f"skip_hosts has {rule}"
        if self._skip_reserved and is_reserved(name) and name not in self._ask:
            return f"{name} is reserved for examples"
        if self._ask and not any(_matches(name, rule) for rule in self._ask):
            return f"ask_hosts does not have {name}"
        return None

    def refusal_of(self, url: str, host: str) -> str | None:
        """None admits a URL on a host; a text refuses and names the rule."""
        if self._wanted:
            if any(pattern.search(url) for pattern in self._wanted):
                return None
            if not (self._ask or self._skip or self._patterns):
                return "ask_urls does not have it"
        for pattern in self._patterns:
            if pattern.search(url):
                return f"skip_urls has {pattern.pattern}"
        return self.refusal(host)

    def unused(self, urls: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """The rules that leave out none of these URLs and hosts, as they would be named in a refusal."""
        left: dict[str, SoughtPattern | str] = {f"skip_hosts has {rule}": rule for rule in self._skip}
        left |= {f"skip_urls has {pattern.pattern}": pattern for pattern in self._patterns}
        for url, host in urls:
            if not left:
                break
            for name, rule in tuple(left.items()):
                matched = _matches(host, rule) if isinstance(rule, str) else rule.search(url)
                if matched:
                    del left[name]
        return tuple(left)


def _matches(host: str, rule: str) -> bool:
    if rule.startswith("*."):
        return host == rule[2:] or host.endswith(rule[1:])
    return host == rule


_RESERVED: Final = re.compile(r"(?:.*\.)?(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\.?")
_TEMPLATE: Final = re.compile(r"\{|\$[A-Z(]|<[^<>\s]|%7[Bb]%7[Bb]")


@lru_cache(maxsize=1_000)
def is_reserved(host: str) -> bool:
    """Whether no page can be on a host."""
    return _RESERVED.fullmatch(host.lower()) is not None


def is_template(url: str) -> bool:
    """Whether a URL as written has a hole in it."""
    return _TEMPLATE.search(url) is not None
