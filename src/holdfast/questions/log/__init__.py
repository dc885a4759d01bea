"""What a page, a mirror, a run was at which moment, and what changed between two.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.questions.log import (
        compare,
        diff,
        items,
        kept_page,
        log_forms,
        mirror_log,
        page_as_of,
        page_diffs,
        page_log,
        runs,
        timeline,
    )

    __all__ = [
        "compare",
        "diff",
        "items",
        "kept_page",
        "log_forms",
        "mirror_log",
        "page_as_of",
        "page_diffs",
        "page_log",
        "runs",
        "timeline",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
