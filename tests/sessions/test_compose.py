"""The guide's compose file, tried by plain processes: its services, with the addresses they have here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from jobs.cluster.test_cluster import project, settle, site_of  # noqa: F401 - a fixture

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "one-machine-to-ten.md"


def composed():
    [text] = re.findall(r"```yaml\n# compose.yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return yaml.safe_load(text)["services"]


def worker_saying(file, folder, words, places):
    with file.open("w") as said:
        command = [sys.executable, "-m", "holdfast", *words]
        return subprocess.Popen(command, cwd=folder, env={**os.environ, **places}, stderr=said)


@pytest.mark.spec("CLU-1")
def test_the_services_of_the_guide_make_a_mirror(holdfast, project, postgres, s3):  # noqa: F811
    services = composed()
    worker = services["worker"]
    here = {"HOLDFAST_LEDGER": postgres, "HOLDFAST_ARCHIVE": s3}
    here |= {name: os.environ[name] for name in worker["environment"] if name not in here}
    assert set(worker["environment"]) == {*here}  # every address and key that a worker needs, and no other
    with site_of(4).serve() as origin:
        settle(project, docs=f"{origin}/")
        said = [project / "said-1", project / "said-2"]
        started = [worker_saying(file, project, worker["command"], here) for file in said]
        try:
            made = holdfast("mirror", "docs", "--cluster", "--json")
        finally:
            for process in started:
                process.terminate()
            endings = [process.wait(60) for process in started]
    assert made.status == 0, made.err
    assert made.json["pages"] == 5
    assert endings == [0, 0], [file.read_text() for file in said]


def test_addresses_and_keys_fit_the_services_that_they_name():
    services = composed()
    told = services["worker"]["environment"]
    database, gateway = services["db"]["environment"], services["s3"]["command"]
    user, password, name = (database[f"POSTGRES_{part}"] for part in ("USER", "PASSWORD", "DB"))
    assert told["HOLDFAST_LEDGER"] == f"postgresql://{user}:{password}@db/{name}"
    assert told["AWS_ACCESS_KEY_ID"] == gateway[gateway.index("--access") + 1]
    assert told["AWS_SECRET_ACCESS_KEY"] == gateway[gateway.index("--secret") + 1]
    bucket = told["HOLDFAST_ARCHIVE"].split("/")[2]
    assert services["s3"]["volumes"] == [f"pages:/data/{bucket}"]
    assert "//s3:" in told["AWS_ENDPOINT_URL"]
