"""A question as one row: how it is declared, read, found.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.questions.rows import (
        parameters,
        question,
        resolve_target,
        table,
    )

    __all__ = [
        "parameters",
        "question",
        "resolve_target",
        "table",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
