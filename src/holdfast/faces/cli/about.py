"""`holdfast --version --verbose`: what is installed here, and in which form it runs.

An extra is here when everything it asks for is installed; what it asks for is read from the package's own
metadata, so that this list cannot differ from what `pip install` brings.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from holdfast import __version__, wiring

__all__ = ["about"]

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([a-z0-9-]+)['"]""")
_FOR_DEVELOPERS = {"bench", "browser", "dev", "docs", "fuzz"}


def about() -> Iterator[str]:
    """The lines, one a fact."""
    yield f"holdfast {__version__}"
    yield f"Python   {platform.python_version()} ({platform.python_implementation()}, {platform.system()})"
    yield f"SQLite   {wiring.about.sqlite_version() or 'not installed'}"
    yield f"reader   {wiring.about.page_reader()}"
    for extra, packages in sorted(_extras().items()):
        missing = [package for package in packages if _installed(package) is None]
        state = f"missing {', '.join(missing)}: pip install 'holdfast[{extra}]'" if missing else "installed"
        yield f"[{extra}]".ljust(11) + state


def _extras() -> dict[str, list[str]]:
    """What each extra asks for, by the names of packages."""
    asked: dict[str, list[str]] = {}
    own = metadata("holdfast")["Name"]
    for line in requires("holdfast") or ():
        package, extra = _NAME.match(line), _EXTRA.search(line)
        if package and extra and package[0] != own and extra[1] not in _FOR_DEVELOPERS:
            asked.setdefault(extra[1], []).append(package[0])
    return asked


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
