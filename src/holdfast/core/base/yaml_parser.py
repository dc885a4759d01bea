"""The only door to the YAML parser."""

from __future__ import annotations

from typing import Any, Final

import yaml

_MAX_DEPTH: Final = 100
"""The parser takes the square of the depth."""


class _Loader(yaml.CSafeLoader):
    """The safe loader, without times."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse_yaml(text: str, refused: type[ValueError]) -> Any:
    """The value of one YAML document; `refused` is raised where it is not read."""
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise refused("aliases are not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise refused("it is nested too deeply")
        return yaml.load(text, Loader=_Loader)
    except refused:
        raise
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise refused(str(error)) from error
