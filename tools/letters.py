"""How the tables of `core/url/layout.py` were made: once, from Unicode 14.0. Kept to show how.

    python3.11 tools/letters.py      prints LETTERS and MARKS; refuses to run on another Unicode

The rule is law 2 and 3 of `core/url/layout.py`. A new table would be a new version of the layouts.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator

UNICODE = "14.0.0"
NOT_SHOWN = (
    "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 "
    "FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
"""Default_Ignorable_Code_Point of Unicode 14.0, which `unicodedata` does not know."""
CONJOINING = "1100-11FF A960-A97F D7B0-D7FF"
IDEOGRAPHIC_ZERO = 0x3007


def members(table: str) -> set[int]:
    """The code points of a table."""
    found: set[int] = set()
    for item in table.split():
        first, _, last = item.partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def ranges(points: Iterable[int]) -> Iterator[str]:
    """A table of code points, in order."""
    run: list[int] = []
    for point in [*points, -1]:
        if run and point != run[-1] + 1:
            yield f"{run[0]:X}" if len(run) == 1 else f"{run[0]:X}-{run[-1]:X}"
            run = []
        run.append(point)


def is_plain(point: int) -> bool:
    """Whether a character is shown, is in NFC and is not a compatibility form."""
    char = chr(point)
    tag, *parts = unicodedata.decomposition(char).split() or [""]
    is_compatible = tag.startswith("<") and (tag != "<compat>" or "0020" in parts)
    return not is_compatible and unicodedata.is_normalized("NFC", char)


def main() -> None:
    """Print both tables."""
    if unicodedata.unidata_version != UNICODE:
        raise SystemExit(
            f"this Python has Unicode {unicodedata.unidata_version}; the tables are of {UNICODE}"
        )
    left_out = members(NOT_SHOWN) | set(range(0xD800, 0xE000))
    plain = [point for point in range(0x80, 0x110000) if point not in left_out and is_plain(point)]
    kinds = {point: unicodedata.category(chr(point)) for point in plain}
    conjoining = members(CONJOINING)
    letters = [
        point
        for point, kind in kinds.items()
        if (kind[0] == "L" or kind == "Nd" or point == IDEOGRAPHIC_ZERO) and point not in conjoining
    ]
    marks = [point for point, kind in kinds.items() if kind in ("Mn", "Mc")]
    for name, points in (("LETTERS", letters), ("MARKS", marks)):
        print(name)
        print("\n".join(textwrap.wrap(" ".join(ranges(points)), 108, break_on_hyphens=False)))


if __name__ == "__main__":
    main()
