"""The ledger at 10,000 and 100,000 pages: every question's cost in SQLite's own steps. Takes some minutes.

python tests/torture_ledger.py [SMALL LARGE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from adapters.ledger_questions import CONSTANT, LINEAR, make, steps


def main() -> int:
    few, many = (int(word) for word in sys.argv[1:] or ("10000", "100000"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        small, large = (make(Path(folder) / f"{pages}.db", pages) for pages in (few, many))
        for questions, growth in ((CONSTANT, 1.0), (LINEAR, many / few)):
            for name, ask in questions.items():
                before, after = steps(small, ask), steps(large, ask)
                is_good = after <= 1.1 * growth * before + 5
                failed += not is_good
                print(f"{'ok  ' if is_good else 'GROW'} {name:32} {before:12,} {after:14,} steps")
        small.close()
        large.close()
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
