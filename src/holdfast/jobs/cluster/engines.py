"""Workers on an engine: this machine, or a Dask cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from holdfast.adapters.workers.engine import LocalEngine
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.cluster.cluster import require_shared
from holdfast.jobs.trust import TRUST_ALL

_TOLD = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
)  # fmt: skip


def run_local_workers(settings: Settings, count: int, *, drain: bool, seconds: float) -> int:
    """Run workers as processes of this machine; the highest exit status."""
    require_shared(settings)
    os.environ.update(_where(settings))
    if settings.folder.is_trusted_for_now:
        os.environ.update(TRUST_ALL)
    return LocalEngine().run_workers(_command(settings, drain=drain, seconds=seconds), count)


def run_dask_workers(settings: Settings, count: int, scheduler: str, *, drain: bool, seconds: float) -> int:
    """Run workers as tasks of a Dask cluster; the highest exit status. Addresses and keys go in the tasks'
    environment, through the scheduler: it is trusted with them.
    """
    require_shared(settings)
    told = {name: os.environ[name] for name in _TOLD if name in os.environ} | _where(settings)
    from holdfast.adapters.workers.dask_engine import DaskEngine  # noqa: PLC0415 - an extra

    engine = DaskEngine(scheduler)
    try:
        return engine.run_workers(_command(settings, drain=drain, seconds=seconds), told, count)
    finally:
        engine.close()


def _where(settings: Settings) -> dict[str, str]:
    """Where ledger and archive are: in the environment, not on a command line that everybody sees."""
    return {
        "HOLDFAST_LEDGER": settings.store.ledger or "",
        "HOLDFAST_ARCHIVE": settings.store.archive or "",
    }


def _command(settings: Settings, *, drain: bool, seconds: float) -> Sequence[str]:
    own = ["--processes", str(settings.mirror.processes)] if settings.mirror.processes else []
    return (
        sys.executable,
        "-P",
        "-m",
        "holdfast",
        "cluster",
        "worker",
        "--lease",
        str(seconds),
        *(["--drain"] * drain),
        *own,
    )
