"""What is asked: ledger and archive in, one frozen value out. Nothing is written, fetched or printed.

A face holds a `Reader` (`questions.reader`), which binds the questions to one open store: no face reads the
ledger.

A module is imported when a face first says its name, until the last command has become a row.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.base.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.questions import (
        browse,
        config,
        convert,
        export,
        fixes,
        kept_here,
        kept_words,
        known_urls,
        link_graph,
        link_words,
        links,
        log,
        reader,
        rows,
        search,
        show,
        status,
        url_forms,
    )

    __all__ = [
        "browse",
        "config",
        "convert",
        "export",
        "fixes",
        "kept_here",
        "kept_words",
        "known_urls",
        "link_graph",
        "link_words",
        "links",
        "log",
        "reader",
        "rows",
        "search",
        "show",
        "status",
        "url_forms",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
