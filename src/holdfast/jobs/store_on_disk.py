"""What stands on disk around a ledger, what its settings say, and what commands are called today."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.settings.reach import lacks_trusted_consent
from holdfast.core.settings.resolve import Origin
from holdfast.jobs.name_tables import call_of_today
from holdfast.jobs.session import Session
from holdfast.storage.state_folder import CONFIG_FILE

if TYPE_CHECKING:
    from holdfast.core.links.citation import Document

_CONSENT: Final = "fetch_external_urls"


class StoreOnDisk:
    """The surroundings of an open store."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._root = session.state.resolve().parent

    def has_folder(self, label: str) -> bool:
        """Whether the folder of a mirror is there; of a ledger on a server each machine has its own."""
        return self._is_on_server() or (self._root / label).is_dir()

    def size(self) -> int | None:
        """Bytes of ledger and archive; None where they are on a server."""
        if self._is_on_server() or self._session.settings.store.archive is not None:
            return None
        found = 0
        for file in self._files():
            with suppress(OSError):  # a writer may have moved it meanwhile
                found += file.stat(follow_symlinks=False).st_size
        return found

    def is_edited(self, document: Document) -> bool:
        """Whether a document is another than when it was read, or gone."""
        try:
            facts = (self._root / document.path).stat()
        except OSError:
            return True
        return (facts.st_size, facts.st_mtime_ns) != (document.size, document.mtime_ns)

    def consent(self) -> tuple[str, bool]:
        """Which settings let the web be asked (nothing: none), and whether the user trusts them."""
        settings = self._session.settings
        if settings.check.asking.fetch_external_urls:
            (row,) = (each for each in settings.resolved if each.setting.name == _CONSENT)
            return CONFIG_FILE if row.origin in (Origin.FILE, Origin.JOB) else row.place, True
        return (CONFIG_FILE, False) if lacks_trusted_consent(settings) else ("", True)

    def call(self, call: str) -> str:
        """What is typed today in the place of a call."""
        return call_of_today(call)

    def _is_on_server(self) -> bool:
        return self._session.settings.store.ledger is not None

    def _files(self) -> list[Path]:
        state = self._session.state
        with suppress(OSError):
            return [*state.glob("ledger.db*"), *(state / "archive").iterdir()]
        return []
