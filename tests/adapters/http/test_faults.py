"""Every fault of the table has its outcome, and costs as many requests as it says."""

import pytest

from helpers.faults.document import PAGE, missing_tests, render
from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer
from helpers.faults.table import FAULTS

pytestmark = pytest.mark.spec("SEC-2", "MIR-4")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault(fault):
    async def main():
        async with FaultServer({"/start": fault.play()}) as server:
            async with door(server.base, **fault.settings) as fetcher:
                outcome = await fetcher.fetch(ask(f"{server.base}/start"))
            return label(outcome), sum(server.requests.values()), outcome

    seen, requests, outcome = run(main())
    assert seen == fault.outcome, outcome
    assert requests == fault.requests == outcome.trail.requests


def test_the_page_of_faults_is_this_table_and_names_tests_that_are_there():
    assert PAGE.read_text() == render(), "run PYTHONPATH=tests python tests/helpers/faults/document.py"
    assert missing_tests() == []
