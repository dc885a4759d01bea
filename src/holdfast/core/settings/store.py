"""Settings of ledger and archive."""

from __future__ import annotations

from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.values import dataclass

__all__ = ["StoreSettings"]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Settings of ledger and archive."""

    state: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="The state folder; by default found from the folder you work in.",
        kind="path",
    )
    ledger: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="The ledger's address, postgresql://user@host/database; by default a file in the state folder.",
        kind="str",
    )
    archive: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="The archive's address, s3://bucket/prefix; by default a folder in the state folder.",
        kind="str",
    )
    scheduler: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="A Dask scheduler, tcp://host:8786, whose machines convert pages; by default this one does.",
        kind="str",
    )
    notifications: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="Tell what happened to the targets ([notify.NAME]) that the settings file names.",
    )
    archive_file_mb: int = setting(
        reach=Reach.NOTHING,
        default=1000,
        help="Size at which an archive file is full and the next is begun, in MB.",
        least=1,
    )
