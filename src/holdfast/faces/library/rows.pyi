"""The rows as functions, for type checkers. Made by `make docs` from the rows: do not edit."""

from datetime import date, datetime
from os import PathLike
from typing import Unpack

from holdfast.faces.library.given_settings import GivenSettings
from holdfast.questions.kept_here import StoreStatus
from holdfast.questions.rows.question import StoreAnswers
from holdfast.questions.show import ShownTarget

def __dir__() -> list[str]: ...
def show(
    target: str | PathLike[str],
    *,
    at: datetime | date | str | None = None,
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[ShownTarget]: ...
def status(
    target: str | PathLike[str] | None = None,
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[StoreStatus]: ...
