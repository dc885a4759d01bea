"""What the SQLite ledger costs as it grows from 1,000 to 10,000 pages, in steps of SQLite, not in seconds.

`python tests/proofs/torture_ledger.py` goes on to 100,000.
"""

from __future__ import annotations

import apsw
import pytest

from helpers.growth import least_memory
from helpers.ledger_cases import at, capture, content, moved_to, place, run
from holdfast.core.lineage.ledger_values import Draft, Finding
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.section import KeptSection
from holdfast.core.url.policy import WEB
from holdfast.questions.log.page_log import history
from holdfast.storage.ledger.laws import altered_links
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger
from storage.sqlite.large_ledger import fill
from storage.sqlite.ledger_questions import (
    CONSTANT,
    JOBS,
    LINEAR,
    STREAMED,
    answer,
    finding,
    first_row,
    make,
    steps,
)

SMALL, LARGE = 1_000, 10_000


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with_few = make(tmp_path_factory.mktemp("small") / "ledger.db", SMALL)
    yield with_few
    with_few.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    with_many = make(tmp_path_factory.mktemp("large") / "ledger.db", LARGE)
    yield with_many
    with_many.close()


@pytest.mark.parametrize("name", CONSTANT)
def test_a_question_about_one_thing_costs_the_same_in_a_ledger_ten_times_as_large(small, large, name):
    few, many = steps(small, CONSTANT[name]), steps(large, CONSTANT[name])
    assert few > 0, "nothing was counted"
    assert many <= 1.1 * few + 5


@pytest.mark.parametrize("name", LINEAR | JOBS)
def test_a_question_about_everything_costs_as_much_for_each_thing_whatever_their_number(small, large, name):
    ask = (LINEAR | JOBS)[name]
    few, many = steps(small, ask), steps(large, ask)
    assert few > 0, "nothing was counted"
    assert many <= 1.1 * few * LARGE / SMALL


@pytest.mark.parametrize("name", STREAMED)
def test_the_first_row_of_everything_costs_the_same_in_a_ledger_ten_times_as_large(small, large, name):
    few, many = (steps(ledger, LINEAR[name], first_row) for ledger in (small, large))
    assert few > 0, "nothing was counted"
    assert many <= 1.1 * few + 20


def test_a_ledger_written_as_sets_answers_as_the_one_that_the_product_wrote(tmp_path):
    written = make(tmp_path / "written.db", 120, links=6)
    filled = fill(tmp_path / "filled.db", 120, links=6)
    for ask in (*CONSTANT.values(), *LINEAR.values(), *JOBS.values()):
        assert answer(filled, ask) == answer(written, ask)
    written.close()
    filled.close()
    assert list(check_file(tmp_path / "filled.db")) == []


@pytest.mark.spec("STA-4")
def test_forgetting_costs_as_much_for_each_page_whatever_their_number(tmp_path):
    costs = []
    for pages in (SMALL // 4, SMALL):
        ledger = open_ledger(tmp_path / f"{pages}.db", at(0))
        ledger.runs.begin_run(run())
        found = [finding(n) for n in range(pages)]
        ledger.commit("run-1", found, at(0))
        keys = [f.capture.place.key for f in found[::2]]
        moved = {f.capture.capture_id: RecordRef("g", n, 1) for n, f in enumerate(found[1::2])}
        anew = moved_to(moved)
        costs.append(steps(ledger, lambda asked, k=keys, a=anew: asked.forgetting.purge(k, (), a, at(9))))
        ledger.close()
    assert costs[1] <= 1.1 * 4 * costs[0]


def test_checking_links_holds_those_of_one_observation_at_a_time(small, large):
    def check(ledger):
        assert list(altered_links(ledger._db)) == []

    assert least_memory(lambda: check(large)) < 2 * least_memory(lambda: check(small))


def test_a_history_asks_for_the_sections_of_its_versions_at_once(tmp_path):
    asked = []
    for versions in (20, 200):
        ledger = open_ledger(tmp_path / f"{versions}.db", at(0))
        ledger.runs.begin_run(run())
        for n in range(versions):
            sections = (KeptSection("", ("T",), None, "prose", section_hash(str(n))),)
            draft = Draft(content(str(n)), "T", sections=sections)
            ledger.commit("run-1", [Finding(capture(place("a"), n), draft)], at(n))
        statements = []
        ledger._db._apsw.trace_v2(apsw.SQLITE_TRACE_PROFILE, statements.append)
        found = history(ledger, WEB, "https://example.com/a")
        assert len(found.sections) == versions - 1
        asked.append(len(statements))
        ledger.close()
    assert asked[0] == asked[1]
