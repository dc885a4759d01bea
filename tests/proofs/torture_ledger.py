"""Large ledgers: what every question costs. Takes minutes.

    python tests/proofs/torture_ledger.py [SMALL LARGE]      steps of SQLite at 10,000 and 100,000 pages
    python tests/proofs/torture_ledger.py FILE PAGES LINKS  seconds in a ledger of so many, links a page:
                                                             an answer, or its first row, within 50 ms of
                                                             processor time, which neighbours do not lengthen

FILE is made unless it is there, and stays.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.ledger_cases import at
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from storage.sqlite.large_ledger import fill
from storage.sqlite.ledger_questions import CONSTANT, JOBS, LINEAR, Ask, steps

WITHIN = 0.05


def main() -> int:
    words = sys.argv[1:]
    if len(words) == 3:
        return at_once(Path(words[0]), int(words[1]), int(words[2]))
    few, many = (int(word) for word in words or ("10000", "100000"))
    return growth(few, many)


def growth(few: int, many: int) -> int:
    """Whether questions about one thing cost the same, and those about everything the same for each thing."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        small, large = (fill(Path(folder) / f"{pages}.db", pages) for pages in (few, many))
        for questions, factor in ((CONSTANT, 1.0), (LINEAR | JOBS, many / few)):
            for name, ask in questions.items():
                before, after = steps(small, ask), steps(large, ask)
                is_good = after <= 1.1 * factor * before + 5
                failed += not is_good
                print(f"{'ok  ' if is_good else 'GROW'} {name:32} {before:12,} {after:14,} steps", flush=True)
        small.close()
        large.close()
    return 1 if failed else 0


def at_once(file: Path, pages: int, links: int) -> int:
    """Whether every question is answered, or begins to be, within 50 ms: the best of three."""
    began = time.perf_counter()
    ledger = open_ledger(file, at(0)) if file.exists() else fill(file, pages, links)
    rows = {table: ledger._db.number(f"SELECT count(*) FROM {table}") for table in ("page", "link", "url")}
    size = file.stat().st_size / 1e9
    print(f"{rows}, {size:.1f} GB, {time.perf_counter() - began:.0f} s", flush=True)
    failed = 0
    for name, ask in (*CONSTANT.items(), *LINEAR.items()):
        best = min(first_answer(ledger, ask) for _ in range(3))
        failed += best > WITHIN
        print(f"{'ok  ' if best <= WITHIN else 'SLOW'} {name:32} {1000 * best:10.1f} ms", flush=True)
    ledger.close()
    return 1 if failed else 0


def first_answer(ledger: Ledger, ask: Ask) -> float:
    """Processor seconds until a question is answered, or the first row of its answer is there."""
    began = time.thread_time()
    answer = ask(ledger)
    if isinstance(answer, Iterable):
        next(iter(answer), None)
    return time.thread_time() - began


if __name__ == "__main__":
    raise SystemExit(main())
