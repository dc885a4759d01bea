"""YAML, read safely: the only door to the parser.

Plain data only: mappings, lists, texts, numbers, booleans, null. Times stay texts. No tags, and no aliases,
which let a short file mean an endless one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import yaml

__all__ = ["YamlError", "read_yaml"]

_MAX_DEPTH: Final = 100
"""The parser takes the square of the depth."""


class YamlError(ValueError):
    """The text is no YAML that is read here; the message says where."""


def read_yaml(text: str) -> Any:
    """The value of one YAML document."""
    import yaml  # noqa: PLC0415 # lazy: 10 ms, and most folders have no YAML

    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise YamlError("aliases are not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise YamlError("it is nested too deeply")
        return yaml.load(text, Loader=_loader())
    except YamlError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise YamlError(str(error)) from error


@cache
def _loader() -> type[yaml.CSafeLoader]:
    import yaml  # noqa: PLC0415 # lazy: as above

    class Loader(yaml.CSafeLoader):
        """The safe loader, with less."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader
