"""How SQLite answers every statement of the ledger is on a list (`ledger_plans.txt`): one that is new, or is
answered in another way than before, fails until the list says so; one that reads a whole table has a reason.

`python tests/storage/sqlite/test_sqlite_plans.py` writes the list anew and keeps the reasons.
"""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from holdfast.storage.sqlite.sqlite_ledger import open_ledger

LIST = Path(__file__).with_name("ledger_plans.txt")
NAMED_HERE = re.compile(
    r"SCAN (?:\d+ )?(?:ROWS|CONSTANT|going_|losing|moving|moved|w\b|cited|unknown|found|\(subquery)"
)


def is_full_scan(line: str) -> bool:
    """Whether a line of a plan reads all of a table, not of what the statement itself gathered."""
    return line.lstrip().startswith("SCAN") and not NAMED_HERE.match(line.lstrip())


def shortened(sql: str) -> str:
    """One form for any number of values."""
    return re.sub(r"(\([?, ]+\))(?:, \1)+", r"\1", sql)


def listed() -> dict[str, tuple[tuple[str, ...], str]]:
    """Statements of the list, each with its plan and the reason, where there is one."""
    found = {}
    for block in LIST.read_text(encoding="utf-8").split("\n\n"):
        sql, *lines = [line for line in block.splitlines() if not line.startswith("#")] or [""]
        if sql:
            reason = next((line.removeprefix("  why: ") for line in lines if line.startswith("  why: ")), "")
            plan = tuple(line.removeprefix("    ") for line in lines if line.startswith("    "))
            found[sql] = (plan, reason)
    return found


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    from storage.sqlite.ledger_tour import walk  # noqa: PLC0415 - what it imports needs the tests' path

    return walk(tmp_path_factory.mktemp("tour"))


@pytest.fixture(scope="module")
def plans(tour):
    return {shortened(sql): tuple(map(shortened_rows, plan)) for sql, plan in tour.plans.items()}


def shortened_rows(line: str) -> str:
    return re.sub(
        r"SUBQUERY \d+|subquery-\d+", "SUBQUERY", re.sub(r"\d+ CONSTANT ROWS?|CONSTANT ROW", "ROWS", line)
    )


def test_the_tour_asks_at_every_line_where_the_adapter_asks(tour):
    from storage.sqlite.ledger_tour import call_sites  # noqa: PLC0415 - as above

    missing = [
        f"{file}:{first}"
        for (file, first), last in call_sites().items()
        if not any(file == seen and first <= line <= last for seen, line in tour.lines)
    ]
    assert missing == []


def test_every_statement_is_answered_as_the_list_says(plans):
    known = {sql: plan for sql, (plan, _) in listed().items()}
    assert plans == known, f"if this is meant: python {Path(__file__).name}"


def test_a_statement_is_prepared_once_whatever_its_values(tmp_path):
    """By default a planner that knows samples of a column asks for its plan again at every other value."""
    ledger = open_ledger(tmp_path / "ledger.db", datetime(2026, 1, 1, tzinfo=UTC))
    db, asked = ledger._db._apsw, []
    db.execute("PRAGMA foreign_keys = OFF")
    db.authorizer = lambda *_: asked.append(1) or apsw.SQLITE_OK  # it is asked while one is prepared
    anew, tried = [], 0
    for sql in listed():
        values = len(set(re.findall(r"\$\d+", sql))) + sql.count("?")
        try:
            for number in range(2):
                asked.clear()
                with suppress(apsw.ConstraintError, apsw.MismatchError):
                    db.execute(sql, [number + n for n in range(values)]).fetchall()
        except apsw.SQLError:
            continue  # of a table that is there for a while only
        tried += 1
        anew += [sql] if asked else []
    ledger.close()
    assert anew == []
    assert tried > 200


def test_values_are_numbered_in_the_order_in_which_they_appear(tour):
    """SQLite goes by the order, PostgreSQL by the number."""
    assert tour.misnumbered == []


@pytest.mark.spec("CLU-5")
def test_whatever_reads_a_whole_table_has_a_reason():
    unexplained = [
        sql for sql, (plan, reason) in listed().items() if any(map(is_full_scan, plan)) and len(reason) < 10
    ]
    assert unexplained == []


def test_no_statement_makes_an_index_of_its_own(plans):
    assert not [sql for sql, plan in plans.items() if any("AUTOMATIC" in line for line in plan)]


def write() -> None:
    """The list as it is now."""
    from storage.sqlite.ledger_tour import walk  # noqa: PLC0415 - as above

    reasons = {sql: reason for sql, (_, reason) in listed().items()} if LIST.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        walked = {shortened(sql): plan for sql, plan in walk(Path(folder)).plans.items()}
    blocks = [
        "# How SQLite answers each statement of the ledger; test_sqlite_plans.py says what this is for."
    ]
    for sql, plan in sorted(walked.items()):
        why = reasons.get(sql, "")
        lines = [sql, *([f"  why: {why}"] if why or any(map(is_full_scan, plan)) else [])]
        blocks.append("\n".join([*lines, *(f"    {shortened_rows(line)}" for line in plan)]))
    LIST.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    write()
