"""Which hosts may be asked: two lists of names, the refusing one stronger.

`example.com` is that host alone; `*.example.com` is the host and all hosts under it. Ports do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["HostRules"]


class HostRules:
    """The user's own rules about hosts."""

    def __init__(self, ask: Sequence[str] = (), skip: Sequence[str] = ()) -> None:
        self._ask = tuple(name.strip().lower().rstrip(".") for name in ask)
        self._skip = tuple(name.strip().lower().rstrip(".") for name in skip)

    def refusal(self, host: str) -> str | None:
        """None admits; a text refuses and names the rule."""
        name = host.lower().rstrip(".")
        for rule in self._skip:
            if _matches(name, rule):
                return f"skip_hosts has {rule}"
        if self._ask and not any(_matches(name, rule) for rule in self._ask):
            return f"ask_hosts does not have {name}"
        return None


def _matches(host: str, rule: str) -> bool:
    if rule.startswith("*."):
        return host == rule[2:] or host.endswith(rule[1:])
    return host == rule
