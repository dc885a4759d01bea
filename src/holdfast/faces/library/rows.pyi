"""The rows as functions, for type checkers. Made by `make docs` from the rows: do not edit."""

from datetime import date, datetime
from os import PathLike
from typing import Unpack

from holdfast.core.url.policy import Recipe
from holdfast.faces.library.given_settings import GivenSettings
from holdfast.jobs.upkeep.verify_row import StoreVerified
from holdfast.questions.kept_here import StoreStatus
from holdfast.questions.log.diff import Diff
from holdfast.questions.log.items import ItemList
from holdfast.questions.log.log import TargetLog
from holdfast.questions.log.run_list import RunList
from holdfast.questions.rows.question import StoreAnswers
from holdfast.questions.show import ShownTarget

def __dir__() -> list[str]: ...
def diff(
    target: str | PathLike[str],
    old: datetime | date | str | None = None,
    new: datetime | date | str | None = None,
    *,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    normalization: str | Recipe | None = None,
    context: int = 3,
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[Diff]: ...
def items(
    target: str | PathLike[str],
    *,
    limit: int | None = 50,
    from_: str = "",
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[ItemList]: ...
def log(
    target: str | PathLike[str] | None = None,
    *,
    since: datetime | date | str | None = None,
    after: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    limit: int | None = 50,
    from_: str = "",
    normalization: str | Recipe | None = None,
    differences: bool = False,
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[TargetLog]: ...
def runs(
    target: str | PathLike[str] | None = None,
    *,
    since: datetime | date | str | None = None,
    after: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    limit: int | None = 50,
    from_: str = "",
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[RunList]: ...
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
def verify(
    target: str | PathLike[str] | None = None,
    *,
    repair: bool = False,
    dry_run: bool = False,
    **settings: Unpack[GivenSettings],
) -> StoreAnswers[StoreVerified]: ...
