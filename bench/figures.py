"""What a benchmark found: figures beside what was asked for, kept as one JSON line a run.

A figure is a ratio wherever there is a peer. `bench/all.py` makes one page of the last lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

RESULTS = Path(__file__).parent / "results"


class Figure(NamedTuple):
    """One thing that was measured. `least` and `most` are what was asked for, if anything was."""

    what: str
    value: float
    unit: str = "×"
    least: float | None = None
    most: float | None = None

    @property
    def asked(self) -> str:
        if self.least is not None:
            return f"at least {self.least:g}"
        return f"at most {self.most:g}" if self.most is not None else ""

    @property
    def verdict(self) -> str:
        """Whether what was asked for is held; nothing where nothing was asked for."""
        if self.least is None and self.most is None:
            return ""
        is_held = self.value >= self.least if self.least is not None else self.value <= (self.most or 0)
        return "held" if is_held else "**missed**"


def keep(
    bench: str, figures: Sequence[Figure], details: Mapping[str, object], missing: Iterable[str] = ()
) -> None:
    """Print the figures, and append what was found to the bench's list; `missing` are peers."""
    width = max((len(figure.what) for figure in figures), default=0)
    for figure in figures:
        asked = f"  (asked: {figure.asked}, {figure.verdict.strip('*')})" if figure.asked else ""
        print(f"  {figure.what:<{width}}  {figure.value:8.2f} {figure.unit}{asked}")
    RESULTS.mkdir(exist_ok=True)
    line = {
        "bench": bench,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "figures": [figure._asdict() for figure in figures],
        "missing": list(missing),
        **details,
    }
    with (RESULTS / f"{bench}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
