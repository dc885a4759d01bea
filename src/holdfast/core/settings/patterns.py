"""Regular expressions of settings, looked for in linear time: a pattern may be a stranger's (SEC-11).

1. The engine is RE2: time grows with the text's length and no faster, memory is bounded. It has no looking
   ahead or behind, no references back to a group, no repeats that give nothing back, no conditions.
2. What it has not is an error that names the setting and the construct. So is `{,3}`, which it would take as
   it stands; `\\Z`, as Python writes the end, is read as `\\z`.
3. A remap is a regular expression, a space, and what to write in the place of what it finds; `$1` and `$name`
   are its groups. The first remap that fits decides. The cited URL stays the identity.

The engine is imported where there is a pattern, not before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from holdfast.core.base.errors import ConfigError

_GROUP: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_NUMBER: Final = re.compile("[0-9]{1,3}")
_END: Final = re.compile(r"((?:^|[^\\])(?:\\\\)*)\\Z")
_NO_LEAST: Final = re.compile(r"(?:^|[^\\])(?:\\\\)*(\{,\d+\})")
_CONSTRUCTS: Final = {
    "(?=": "a look-ahead",
    "(?!": "a look-ahead",
    "(?<": "a look-behind",
    "(?P": "a reference back to a group",
    "escape sequence: \\": "the escape {0}",
    "(?(": "a condition",
    "(?>": "a group that gives nothing back",
    "bad repetition operator": "the repeat {0}",
    "invalid repetition size": "the repeat {0}",
}


class LinearPattern:
    """A pattern of a setting, which messages name."""

    def __init__(self, pattern: str, setting: str) -> None:
        self.pattern = pattern
        if found := _NO_LEAST.search(pattern):
            raise ConfigError(f"{setting}: {pattern!r} has {found[1]}", hint=f"write {{0{found[1][1:]}")
        engine = import_module("holdfast.core.settings.pattern_engine")
        made: Any = engine.compile_pattern(_END.sub(r"\1\\z", _utf8(pattern)))
        if isinstance(made, str):
            raise _refused(pattern, setting, made)
        self.compiled = made

    def search(self, text: str) -> bool:
        """Whether it is found anywhere in a text."""
        return self.compiled.search(_utf8(text)) is not None


def _refused(pattern: str, setting: str, words: str) -> ConfigError:
    for sign, name in _CONSTRUCTS.items():
        if sign in words:
            what = name.format(words.rpartition(": ")[2])
            return ConfigError(
                f"{setting}: {pattern!r} has {what}; patterns of settings are read by RE2, which has none",
                hint="write it without, or as several patterns",
            )
    return ConfigError(f"{setting}: {pattern!r} is not a regular expression: {words}")


class Remaps:
    """The addresses that are asked in place of others."""

    def __init__(self, rules: Sequence[str] = ()) -> None:
        self._rules = [_rule(text) for text in rules]

    def address(self, url: str) -> str:
        """What is asked for a cited URL."""
        for pattern, replacement in self._rules:
            changed, count = pattern.compiled.subn(replacement, _utf8(url))
            if count:
                return str(changed)
        return url


def _rule(text: str) -> tuple[LinearPattern, str]:
    written, space, target = text.strip().partition(" ")
    if not space or not target.strip():
        raise ConfigError(f"remap: {text!r} is not a pattern, a space and an address")
    replacement = _GROUP.sub(lambda m: rf"\g<{m[1] or m[2]}>", target.strip().replace("\\", r"\\"))
    pattern = LinearPattern(written, "remap")
    for group in re.findall(r"\\g<(\w+)>", replacement):
        is_known = (
            int(group) <= pattern.compiled.groups
            if _NUMBER.fullmatch(group)
            else group in pattern.compiled.groupindex
        )
        if not is_known:
            raise ConfigError(f"remap: {text!r}: there is no group {group}")
    return pattern, replacement


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
