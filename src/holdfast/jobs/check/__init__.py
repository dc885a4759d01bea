"""Documents read, their links asked, and what is told of it.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.jobs.check import (
        asking,
        asking_run,
        check,
        check_result,
        cited_pages,
        fix,
        fixed,
        local,
        manifests,
        options,
        planning,
        read_report,
        reading_documents,
        recording,
    )

    __all__ = [
        "asking",
        "asking_run",
        "check",
        "check_result",
        "cited_pages",
        "fix",
        "fixed",
        "local",
        "manifests",
        "options",
        "planning",
        "read_report",
        "reading_documents",
        "recording",
    ]
else:
    _NEEDS = dict.fromkeys(("asking_run", "check", "fix"), "check")
    """The extras of modules that need more than the library of theirs that is missed first."""

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name, _NEEDS)
