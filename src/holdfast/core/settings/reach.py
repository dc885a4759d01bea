"""What a setting can reach.

What a setting can reach, and which settings of a folder are obeyed only once they are trusted (SEC-9).

A settings file comes with its folder: from the user, or from whoever made what was cloned. So it is judged by
what its settings reach, never by their names: what reaches nothing outside the folder is obeyed; what does
is obeyed once the user trusted exactly that. Each setting and each key of a table declares its `Reach`.

"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import ConsentError
from holdfast.core.base.shown_text import harmless, without_userinfo
from holdfast.core.base.values import dataclass

if TYPE_CHECKING:
    from holdfast.core.settings.resolve import Settings


STORED_IN: Final = ("ledger", "archive")
STORE: Final = ("store", *STORED_IN)
"""The settings that say where history is kept: to ignore one would begin a second history."""


class Reach(StrEnum):
    """What a setting can reach outside the folder that it was found in."""

    NOTHING = "nothing"
    NETWORK = "network"
    PROGRAM = "program"
    SERVER = "server"
    PATH = "path"
    CREDENTIAL = "credential"
    CONSENT = "consent"


@dataclass(frozen=True, slots=True)
class Reaching:
    """One key of a settings file that reaches out. `table` is empty for the file's own settings, else as in
    `mirror.docs`; `leads_to` is where a path ends up, symlinks followed.
    """

    table: str
    key: str
    value: Any
    reach: Reach
    leads_to: str = ""

    @property
    def place(self) -> str:
        """What a person finds it by."""
        return harmless(f"[{self.table}] {self.key}" if self.table else self.key)


@dataclass(frozen=True, slots=True)
class FolderWord:
    """What the settings file of a folder had to say about the settings that were made: the folder, what was
    not obeyed and nothing else replaced, and whether the user trusted all for this one call. `record` is the
    folder of the user's own record; without one, as in the library, no store is known to be the user's.
    """

    place: str = ""
    withheld: tuple[Reaching, ...] = ()
    is_trusted_for_now: bool = False
    record: str = ""


def untrusted_words(word: FolderWord) -> str:
    """What is told once: what is not obeyed, and what allows it."""
    names = ", ".join(dict.fromkeys(each.place for each in word.withheld))
    return (
        f"not obeyed, because the settings of {word.place} are not trusted: {names}; "
        "`holdfast config trust` there shows and allows them"
    )


def lacks_trusted_consent(settings: Settings) -> bool:
    """Whether consent to ask stands only in settings that are not trusted."""
    return any(each.reach is Reach.CONSENT for each in settings.folder.withheld)


def is_store_trusted(settings: Settings) -> bool:
    """Whether history is where nobody says it is, or where somebody says who is trusted."""
    return not any(_is_of_store(each, STORE) for each in settings.folder.withheld)


def require_trusted(settings: Settings, names: Iterable[str] = STORE) -> None:
    """Refuse to go on where one of these settings stands in a file and is not trusted."""
    for each in settings.folder.withheld:
        if _is_of_store(each, names):
            refuse(each, settings.folder.place)


def _is_of_store(each: Reaching, names: Iterable[str]) -> bool:
    return each.key in names and each.table.partition(".")[0] in ("", "mirror", "check")


def in_state(settings: Settings, state: str) -> Settings:
    """Settings for a store that the user named, whatever a file says about it."""
    kept = tuple(each for each in settings.folder.withheld if each.key != "store")
    return replace(
        settings,
        store=replace(settings.store, folder=state),
        folder=replace(settings.folder, withheld=kept),
    )


def refuse(each: Reaching, folder: str) -> None:
    """End with the command that allows it."""
    named = without_userinfo(f"{each.place} = {each.value!r}")
    raise ConsentError(
        f"the settings of {folder} name {named}, and you have not trusted them",
        hint=f"`holdfast config trust` in {folder} shows and allows them; --trust does for one call",
    )
