"""Pages converted on the machines of a Dask cluster: the same bytes as here."""

from __future__ import annotations

import shutil
import time

import pytest

from faces.cli.test_ledger_on_a_server import bytes_of
from holdfast.adapters.workers.dask_engine import DaskEngine
from holdfast.core.base.errors import FailedError
from jobs.cluster.test_cluster import site_of


@pytest.mark.spec("CLU-1", "CLU-4", "VER-5")
def test_rebuild_verify_and_reprocess_give_the_same_on_a_cluster(holdfast, tmp_path, dask_cluster):
    there = ("--scheduler", dask_cluster.address)
    with site_of(12).serve() as origin:
        made = holdfast("mirror", f"{origin}/", "-o", "docs", "--discover", "links", "-q", "--allow-private",
                        "--content-rate-limit", "0")  # fmt: skip
        assert made.status == 0, made.err
    rebuilt = holdfast("restore", "docs", "--output", "other", "-q", *there)
    assert rebuilt.status == 0, rebuilt.err
    assert bytes_of(tmp_path / "other") == bytes_of(tmp_path / "docs")
    assert holdfast("verify", "docs", *there).status == 0
    shutil.copytree("docs", "twin")
    [run] = holdfast("log", "--runs", "--store", "docs/.holdfast", "--json").json["parts"][0]["runs"]
    asked = ("store", "reprocess", run["run_id"], "--compare", "body", "--json", "--store")
    here, away = holdfast(*asked, "docs/.holdfast"), holdfast(*asked, "twin/.holdfast", *there)
    assert (here.status, away.status) == (0, 0), away.err
    assert away.json == here.json


@pytest.mark.spec("CLU-4")
def test_a_scheduler_that_is_lost_is_told_in_words(dask_cluster):
    engine = DaskEngine(dask_cluster.address)
    waiting = engine.submit(time.sleep, 60)
    dask_cluster.lose_scheduler()
    assert isinstance(waiting.exception(60), FailedError)
    assert "the Dask cluster ended" in str(waiting.exception())
    engine.close()
