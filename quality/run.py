"""How faithful is the Markdown? Measured on real pages, beside the peers, in one run.

python quality/run.py                     the fresh set, peers too; writes docs/internals/quality.md
python quality/run.py --tuning --alone    the tuning set, Holdfast alone, with what was lost
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from converters import holdfast, peers
from corpus import PACKAGES, Sample, sample
from facts import Facts
from measure import FIGURES, FLOORS, Score, means, reference, score

REPORT = Path(__file__).parents[1] / "docs" / "internals" / "quality.md"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tuning", action="store_true", help="the tuning set instead of the fresh one")
    parser.add_argument("--alone", action="store_true", help="Holdfast alone, and what it lost")
    parser.add_argument("--pages", type=int, default=8, help="pages of each package")
    parser.add_argument("--only", help="one package")
    args = parser.parse_args()
    pairs = gather(args.pages, fresh=not args.tuning, only=args.only)
    if not pairs:
        print("no package could be downloaded: nothing was measured", file=sys.stderr)
        return 1
    failed: dict[str, list[str]] = {}
    results = {"holdfast": [score(page, wanted, holdfast) for page, wanted in pairs]}
    if args.alone:
        for result in results["holdfast"]:
            show(result)
    else:
        for name, convert in peers().items():
            started = time.monotonic()
            careful, failed[name] = forgiving(convert)
            results[name] = [score(page, wanted, careful) for page, wanted in pairs]
            print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    table = render(results)
    print(table)
    by_package(results["holdfast"])
    if not args.alone and not args.tuning and not args.only:
        write_report(table, results["holdfast"], failed)
    weak = below_floors(results["holdfast"])
    for line in weak:
        print(f"below its floor: {line}", file=sys.stderr)
    return int(bool(weak))


def below_floors(scores: list[Score]) -> list[str]:
    """Every package and figure that is too low: a good mean hides a generator that is lost."""
    weak = []
    for package in PACKAGES:
        own = [s for s in scores if s.sample.package is package]
        values = means(own) if own else {}
        weak += [
            f"{package.name} {name} {value:.3f}"
            for name, value in values.items()
            if (value > 0 if name == "swallowed" else value < FLOORS[name])
        ]
    return weak


def forgiving(convert: Callable[[Sample], str]) -> tuple[Callable[[Sample], str], list[str]]:
    """A peer that cannot do a page has lost it: empty Markdown, and the page is named. Not for Holdfast."""
    failures: list[str] = []

    def careful(page: Sample) -> str:
        try:
            return convert(page)
        except RecursionError:
            failures.append(page.path)
            return ""

    return careful, failures


def gather(count: int, *, fresh: bool, only: str | None) -> list[tuple[Sample, Facts]]:
    pairs = []
    for package in PACKAGES:
        if (only and package.name != only) or (not fresh and not package.tuning):
            continue
        pages = sample(package, count, fresh=fresh)
        if not pages:
            print(f"{package.name}: not available here", file=sys.stderr)
        for page in pages:
            wanted = reference(page)
            if wanted is not None and len(wanted.words) >= 40:
                pairs.append((page, wanted))
    return pairs


def show(result: Score) -> None:
    weak = {
        n: v
        for n, v in result.values.items()
        if v is not None and (v < FLOORS[n] if n != "swallowed" else v > 0)
    }
    if weak:
        print(result.sample.package.name, result.sample.path, {n: round(v, 3) for n, v in weak.items()})
        for kind, lost in result.loss.items():
            if lost:
                print("    ", kind, str(lost)[:300])


def render(results: dict[str, list[Score]]) -> str:
    lines = [f"| | {' | '.join(FIGURES)} |", "|---|" + "---:|" * len(FIGURES)]
    for name, scores in results.items():
        values = means(scores)
        cells = [f"{values[n]:.0f}" if n == "swallowed" else f"{values[n]:.3f}" for n in FIGURES]
        if name != "holdfast":
            cells[FIGURES.index("sections")] = "–"  # nobody else has ids of sections
        lines.append(f"| {name} | {' | '.join(cells)} |")
    floors = [f"{FLOORS[n]:g}" for n in FIGURES]
    lines.append(f"| *floor* | {' | '.join(floors)} |")
    return "\n".join(lines)


def by_package(scores: list[Score]) -> str:
    lines = [f"| package | pages | {' | '.join(FIGURES)} |", "|---|---:|" + "---:|" * len(FIGURES)]
    for package in PACKAGES:
        own = [s for s in scores if s.sample.package is package]
        if own:
            values = means(own)
            cells = [f"{values[n]:.0f}" if n == "swallowed" else f"{values[n]:.3f}" for n in FIGURES]
            lines.append(f"| {package.name} | {len(own)} | {' | '.join(cells)} |")
    text = "\n".join(lines)
    print(text, file=sys.stderr)
    return text


def write_report(table: str, scores: list[Score], failed: dict[str, list[str]]) -> None:
    gave_up = [f"{name} {len(paths)}" for name, paths in failed.items() if paths]
    note = f"Pages that ended in a RecursionError, counted as empty: {', '.join(gave_up) or 'none'}."
    text = HEAD.format(pages=len(scores), table=table, note=note, packages=by_package(scores))
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(text, encoding="utf-8")
    print(f"written: {REPORT.name}", file=sys.stderr)


HEAD = """# Quality of the Markdown, measured

Written by `make quality`; do not edit. {pages} pages of Debian's documentation packages, chosen by the hash
of their path. Of the packages marked *tuning* in `quality/corpus.py` other pages were looked at while the
writer was made, so their generators were known; the others are packages that no rule was written for.
The Markdown is parsed by `markdown-it-py` and compared with the page's main element as another parser
(turbohtml) reads it; `quality/facts.py` and `quality/measure.py` define every figure.

{table}

Means over pages. *recall* and *precision*: words kept and words added; *order*: of the words that stand once
in both, the share in the same order; *links*: link targets, absolute; *code*: blocks byte for byte
(one line in a cell of a table: a code span);
*languages*: blocks with the language that the page names; *tables*: simple tables, cell by cell; *headings*:
with their level; *anchors*: places that the page links to on itself and that a renderer finds; *sections*:
ids of sections that stay when a paragraph is put in the middle of the page; *swallowed*: text that became a
tag, counted.
The floors hold for every package. The peers get the whole page, as their users
give it to them; all but trafilatura have no notion of main content, which costs them precision.
{note}

## By package

{packages}
"""

if __name__ == "__main__":
    sys.exit(main())
