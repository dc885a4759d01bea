"""`holdfast --version --verbose`: what is installed here, and in which form it runs.

An extra is here when everything it asks for is installed; what it asks for is read from the package's own
metadata, so that this list cannot differ from what `pip install` brings. What is for another Python or
system alone (`; python_version < '3.14'`) is not asked for.
"""

from __future__ import annotations

import operator
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import Any, Final

from holdfast import __version__, wiring

__all__ = ["about", "asked_by_extra"]

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([a-z0-9-]+)['"]""")
_MARKER = re.compile(r"""(python_version|sys_platform)\s*(<|>=|==|!=)\s*['"]([^'"]+)['"]""")
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_FOR_DEVELOPERS = {"bench", "browser", "dev", "docs", "fuzz"}


def about() -> Iterator[str]:
    """The lines, one a fact."""
    yield f"holdfast {__version__}"
    yield f"Python   {platform.python_version()} ({platform.python_implementation()}, {platform.system()})"
    yield f"SQLite   {wiring.about.sqlite_version() or 'not installed'}"
    yield f"reader   {wiring.about.page_reader()}"
    asked = asked_by_extra(requires("holdfast") or (), sys.version_info[:2], sys.platform)
    for extra, packages in sorted(asked.items()):
        missing = [package for package in packages if _installed(package) is None]
        state = f"missing {', '.join(missing)}: pip install 'holdfast[{extra}]'" if missing else "installed"
        yield f"[{extra}]".ljust(11) + state


def asked_by_extra(lines: Iterable[str], python: tuple[int, ...], system: str) -> dict[str, list[str]]:
    """What each extra asks for on such a Python and system, by the names of packages."""
    asked: dict[str, list[str]] = {}
    own = metadata("holdfast")["Name"]
    here = {"python_version": python, "sys_platform": system}
    for line in lines:
        package, extra = _NAME.match(line), _EXTRA.search(line)
        if not package or not extra or package[0] == own or extra[1] in _FOR_DEVELOPERS:
            continue
        packages = asked.setdefault(extra[1], [])
        if all(_COMPARED[how](here[name], _value(name, text)) for name, how, text in _MARKER.findall(line)):
            packages.append(package[0])
    return asked


def _value(name: str, text: str) -> object:
    return tuple(map(int, text.split("."))) if name == "python_version" else text


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
