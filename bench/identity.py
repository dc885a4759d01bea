"""URLs a second, beside the field, interleaved on one core. Absolute times here are noise: read the ratios.

    make bench        (or: python bench/identity.py [URLS])

Each round gives every function the same slice of URLs; the figure is the median over rounds. The varied list
is what is found in documentation, the mixed one is harder (`urls.py`). As a pipe, `holdfast url canon -` is
timed as a whole command, beside w3lib called in this process.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

import ada_url
import courlan
import url_normalize
import w3lib.url

from figures import Figure, keep
from holdfast.core.base.hashing import url_key
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import DOCS, SITE, WEB
from urls import mixed_urls, varied_urls

ROUNDS = 9
FLOORS = {"web": 7.0, "site": 7.0, "docs": 7.0}
PIPE_FLOOR = 5.0
HOSTILE_MS = 50


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
            begin = time.process_time()
            for url in mine:
                function(url)
            times[name].append((time.process_time() - begin) / len(mine) * 1e6)
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
                    begin = time.process_time()
                    function(text)
                    worst = max(worst, (time.process_time() - begin) * 1e3)
                row.append(round(worst, 2))
            rows[f"{name} in {place}"] = row
    return rows


def pipe(urls):
    """CPU seconds of `holdfast url canon -` for these URLs, by policy: the best of three commands."""
    text = "\n".join(urls).encode()
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")  # as an installed command runs
    usual = {name: value for name, value in os.environ.items() if name not in unwanted}
    best = {}
    for _ in range(3):
        for policy in FLOORS:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "holdfast", "url", "canon", "--policy", policy, "-"]
            subprocess.run(command, input=text, capture_output=True, check=True, env=usual)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[policy] = min(spent, best.get(policy, spent))
    return best


def shown(kind, urls, medians):
    """A table of one list, fastest first."""
    base = medians["w3lib.canonicalize_url"]
    print(f"{len(urls):,} {kind} URLs, {sum(map(len, urls)) / len(urls):.0f} characters each, one core")
    for name, micros in sorted(medians.items(), key=lambda row: row[1]):
        print(f"  {name:<26}{micros:8.2f} µs  {1e6 / micros:>11,.0f} URL/s  {base / micros:6.2f} × w3lib")
    print()


def main():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    functions = peers()
    figures, micros = [], {}
    for kind, urls in (("varied", varied_urls(count)), ("mixed", mixed_urls(count))):
        for function in functions.values():
            for url in urls[:2000]:
                function(url)
        medians = micros[kind] = measure(functions, urls)
        shown(kind, urls, medians)
        base = medians["w3lib.canonicalize_url"]
        for policy, floor in FLOORS.items():
            ratio = base / medians[f"holdfast {policy}"]
            figures.append(Figure(f"canonical URLs, library, {kind} list, {policy}", ratio, "× w3lib", floor))
    for policy, seconds in pipe(urls).items():
        ratio = base * len(urls) / 1e6 / seconds
        figures.append(Figure(f"`canon -`, mixed list, {policy}", ratio, "× w3lib", PIPE_FLOOR))
    rows = linearity()
    worst = max(rows.items(), key=lambda row: row[1][-1])
    print(f"hostile 100 KB URLs: worst {worst[1][-1]} ms ({worst[0]}; 25/50/100 KB: {worst[1]})")
    figures.append(Figure("the worst hostile URL of 100 KB", worst[1][-1], "ms", most=HOSTILE_MS))
    keep("identity", figures, {"urls": count, "micros": micros, "hostile_ms": rows})


if __name__ == "__main__":
    main()
