"""YAML, read safely: the only door to the parser.

Plain data only: mappings, lists, texts, numbers, booleans, null. Times stay texts. No tags, and no aliases,
which let a short file mean an endless one.
"""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["YamlError", "read_yaml"]


class YamlError(ValueError):
    """The text is no YAML that is read here; the message says where."""


class _Loader(yaml.CSafeLoader):  # type: ignore[misc]  # the binding has no stubs for its C classes
    """The safe loader, with less."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases before they are followed."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(
                None, None, "aliases are not read", self.peek_event().start_mark
            )
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(text: str) -> Any:
    """The value of one YAML document."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(str(error)) from error
