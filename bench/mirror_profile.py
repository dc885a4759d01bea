"""Where the main process of a mirror spends its CPU time.

`METER` runs `holdfast` as the process's own command and writes the CPU seconds of it and of its workers.
`profile` runs it under cProfile, every thread by its own CPU time, and gives each function's own time to the
part of Holdfast that it belongs to; what libraries take belongs to whoever calls them. Profiling makes calls
dearer: the shares are rough, the sum is not the real one.
"""

from __future__ import annotations

import json
import pstats
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from helpers.sites.debian import doc_folder
from helpers.sites.static import serve_folder

METER = """
import json, resource, sys, time
from holdfast.faces.cli.main import main
import holdfast.faces.cli.mirror, holdfast.jobs.mirror.rewrite_links, holdfast.jobs.mirror.job
import holdfast.adapters.http.fetcher, holdfast.storage.sqlite.sqlite_ledger, holdfast.storage.archive.archive
start = time.process_time()
meter, sys.argv[1:] = sys.argv[1], sys.argv[2:]
status = main()
own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
seconds = [usage.ru_utime + usage.ru_stime for usage in (own, others)]
with open(meter, "a") as file:
    print(json.dumps({"start": start, "main": seconds[0], "workers": seconds[1]}), file=file)
raise SystemExit(status)
"""

PROFILE = """
import cProfile, sys, threading, time
from pathlib import Path
from holdfast.faces.cli.main import main
import holdfast.faces.cli.mirror, holdfast.jobs.mirror.rewrite_links, holdfast.jobs.mirror.job
import holdfast.adapters.http.fetcher, holdfast.storage.sqlite.sqlite_ledger, holdfast.storage.archive.archive
profiles = [cProfile.Profile(time.thread_time)]
run = threading.Thread.run
def profiled(thread):
    profiles.append(cProfile.Profile(time.thread_time))
    profiles[-1].runcall(run, thread)
threading.Thread.run = profiled
profiles[0].runcall(main, sys.argv[2:])
for number, profile in enumerate(profiles):
    profile.dump_stats(Path(sys.argv[1]) / f"{number}.prof")
"""

PARTS = {
    "adapters/http/": "fetching",
    "adapters/sqlite/": "ledger",
    "adapters/sql/": "ledger",
    "adapters/warc/": "archive",
    "storage/archive/warc_capture": "archive",
    "adapters/folder": "files",
    "storage/scribe": "ledger",
    "adapters/workers/": "handing over to workers",
    "jobs/converting": "handing over to workers",
    "jobs/mirror/": "deciding",
    "core/": "deciding",
    "formats/": "deciding",
}


def profile(package: str, environment: dict[str, str]) -> dict[str, object]:
    """Shares of the main process's time, by part, largest first."""
    folder = doc_folder(package)
    if folder is None:
        print(f"{package}: cannot be downloaded here, skipped")
        return {}
    with serve_folder(folder) as origin, tempfile.TemporaryDirectory() as work:
        words = ["mirror", f"{origin}/pages.xml", "-o", f"{work}/out", "--content-rate-limit", "0", "--quiet"]
        subprocess.run([sys.executable, "-c", PROFILE, work, *words], env=environment, check=True)
        found: Counter[str] = Counter()
        for file in Path(work).glob("*.prof"):
            found += shares(pstats.Stats(str(file)))
    print(f"\n{package}: where the main process's time goes, start apart")
    for part, seconds in found.most_common():
        print(f"{part:28}{seconds / found.total():6.0%}")
    return {"package": package, "shares": json.loads(json.dumps(found))}


def shares(stats: pstats.Stats) -> Counter[str]:
    """Each function's own time, at the part it belongs to, or at the parts that call it."""
    found: Counter[str] = Counter()
    rows = stats.stats  # type: ignore[attr-defined]
    for place, (_, _, own, _, callers) in rows.items():
        for part, share in _owners(place, callers, rows).items():
            found[part] += own * share
    return found


def _owners(place: tuple[str, int, str], callers: dict, rows: dict, depth: int = 6) -> dict[str, float]:
    if (part := _part(place[0])) is not None:
        return {part: 1.0}
    total = sum(row[3] for row in callers.values())
    if not depth or not total:
        return {"event loop and the rest": 1.0}
    found: Counter[str] = Counter()
    for caller, row in callers.items():
        for part, share in _owners(caller, rows[caller][4], rows, depth - 1).items():
            found[part] += share * row[3] / total
    return found


def _part(file: str) -> str | None:
    _, _, inside = file.replace("\\", "/").rpartition("holdfast/")
    if inside == file:
        return None
    return next((part for start, part in PARTS.items() if inside.startswith(start)), None)
