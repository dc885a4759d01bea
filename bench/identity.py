"""URLs a second, beside the field, interleaved on one core. Absolute times here are noise: read the ratios.

    make bench        (or: python bench/identity.py [URLS])

Each round gives every function the same slice of URLs; the figure is the median over rounds.
"""

import json
import os
import statistics
import sys
import time
from pathlib import Path

import ada_url
import courlan
import url_normalize
import w3lib.url

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.hashing import url_key
from holdfast.core.policy import DOCS, SITE, WEB
from urls import varied_urls

ROUNDS = 9
FLOORS = {"web": 4.5, "site": 8.0, "docs": 8.0}


def peers():
    """Name → function of one URL."""
    web, site, docs = (canonical_text(policy) for policy in (WEB, SITE, DOCS))
    return {
        "holdfast web": web,
        "holdfast site": site,
        "holdfast docs": docs,
        "holdfast web + key": lambda url: url_key(web(url)),
        "w3lib.canonicalize_url": w3lib.url.canonicalize_url,
        "courlan.normalize_url": courlan.normalize_url,
        "url_normalize": url_normalize.url_normalize,
        "ada_url (bare parser)": ada_url.normalize_url,
    }


def measure(functions, urls):
    """Microseconds a URL for each function: one list of rounds each."""
    size = len(urls) // ROUNDS
    times = {name: [] for name in functions}
    for number in range(ROUNDS):
        part = urls[number * size : (number + 1) * size]
        for name, function in functions.items():
            # The slow peers see a tenth of the slice: they are here for scale.
            mine = part[:: 10 if name in ("courlan.normalize_url", "url_normalize") else 1]
            begin = time.perf_counter()
            for url in mine:
                function(url)
            times[name].append((time.perf_counter() - begin) / len(mine) * 1e6)
    return {name: statistics.median(rounds) for name, rounds in times.items()}


def linearity():
    """Milliseconds for hostile URLs of 25, 50 and 100 KB, worst of the three policies."""
    shapes = {
        "slashes": "/", "dots": "/..", "percent": "%", "triplets": "%41", "pairs": "&a=b", "pluses": "+",
        "unicode": "é", "nested": "%25", "trackers": "&utm_a=1", "backslashes": "\\", "at": "@",
    }  # fmt: skip
    rows = {}
    for name, unit in shapes.items():
        for place in ("http://h/", "http://h/?", "http://h/a?x=1"):
            row = []
            for size in (25_000, 50_000, 100_000):
                text = place + unit * (size // len(unit))
                worst = 0.0
                for policy in (WEB, SITE, DOCS):
                    function = canonical_text(policy)
                    begin = time.perf_counter()
                    function(text)
                    worst = max(worst, (time.perf_counter() - begin) * 1e3)
                row.append(round(worst, 2))
            rows[f"{name} in {place}"] = row
    return rows


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    urls = varied_urls(count)
    functions = peers()
    for function in functions.values():
        for url in urls[:2000]:
            function(url)
    medians = measure(functions, urls)
    base = medians["w3lib.canonicalize_url"]
    print(f"{count:,} URLs, {sum(map(len, urls)) / count:.0f} characters each, one core\n")
    for name, micros in sorted(medians.items(), key=lambda row: row[1]):
        print(f"  {name:<26}{micros:8.2f} µs  {1e6 / micros:>11,.0f} URL/s  {base / micros:6.2f} × w3lib")
    print("\nfloors:")
    for policy, floor in FLOORS.items():
        ratio = base / medians[f"holdfast {policy}"]
        print(
            f"  {policy:<5} {ratio:5.2f} × w3lib, asked for {floor}: {'held' if ratio >= floor else 'MISSED'}"
        )
    rows = linearity()
    worst = max(rows.items(), key=lambda row: row[1][-1])
    print(
        f"\nhostile 100 KB URLs: worst {worst[1][-1]} ms ({worst[0]}; 25/50/100 KB: {worst[1]}), asked for 50"
    )
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    with (results / "identity.jsonl").open("a") as file:
        file.write(json.dumps({"urls": count, "micros": medians, "hostile_ms": rows}) + "\n")


if __name__ == "__main__":
    main()
