"""`python tests/probe record OUT` and `python tests/probe compare A B`; see the package."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:] = [str(TESTS), *(each for each in sys.path if Path(each).resolve() != TESTS / "probe")]

from probe.answers import differences, read_recording, read_renames, write_recording  # noqa: E402
from probe.clock import NoClockError  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="probe", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    recorded = actions.add_parser("record", help="ask everything, and write the answers")
    recorded.add_argument("out", type=Path, help="a folder, or one file that ends with .tar.xz")
    recorded.add_argument(
        "--checkout", type=Path, default=TESTS.parent, help="whose .venv is asked (this one's)"
    )
    compared = actions.add_parser("compare", help="show what two recordings say differently")
    compared.add_argument("first", type=Path)
    compared.add_argument("second", type=Path)
    compared.add_argument("--table", type=Path, help="old name, new name, rule: applied to both")
    given = parser.parse_args()
    return _record(given) if given.action == "record" else _compare(given)


def _record(given: argparse.Namespace) -> int:
    from probe.recording import whole  # noqa: PLC0415 # who compares asks nobody

    if given.out.exists():
        return _failed(f"{given.out} is there already")
    began = time.monotonic()
    try:
        recording = whole(given.checkout, tell=_note)
    except NoClockError as error:
        return _failed(str(error))
    write_recording(recording, given.out)
    _note(f"{len(recording)} answers in {given.out}, after {time.monotonic() - began:.0f} s")
    return 0


def _compare(given: argparse.Namespace) -> int:
    renames = read_renames(given.table.read_text()) if given.table else ()
    found = differences(read_recording(given.first), read_recording(given.second), renames)
    for each in found:
        print(each)
    _note(f"{len(found)} answers differ" if found else "equal")
    return 1 if found else 0


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def _failed(text: str) -> int:
    _note(f"error: {text}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
