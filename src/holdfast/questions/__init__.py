"""Questions: the ledger and the archive in, one frozen value out. Nothing is written, fetched or printed.

citations   who cites what, what of it is broken, what changed, the graph
history     what a URL said: captures, lineage, a page as it was at a date
changes     the difference between two versions; what a run brought; what is new in a mirror
mirrors     runs, mirrors, the pages of a mirror
search      where something is said
export      a mirror as records: pages or sections, and what changed

The values are in `core.answers`, their JSON in `formats.schemas`. Each question is a function of the ports it
reads. A face holds a `Reader` (`questions.reader`), which binds them to one open state folder: no face
reads the ledger.

A module is imported when somebody first says its name (`questions.history`), as those of `wiring` are: who
asks one thing does not pay for all of them.
"""

from types import ModuleType
from typing import TYPE_CHECKING

from holdfast.core.late_modules import module_of

if TYPE_CHECKING:
    from holdfast.questions import (
        browsing,
        changes,
        citations,
        events,
        export,
        history,
        known_urls,
        mirrors,
        proposed_fixes,
        search,
        site_links,
    )

    __all__ = [
        "browsing",
        "changes",
        "citations",
        "events",
        "export",
        "history",
        "known_urls",
        "mirrors",
        "proposed_fixes",
        "search",
        "site_links",
    ]
else:

    def __getattr__(name: str) -> ModuleType:
        return module_of(__name__, name)
