"""Mirrors of two real documentation sites on loopback, beside Scrapy and wget, in one run.

    python bench/mirror.py [--rounds N] [--only python3.11-doc] [--slow] [--profile] [--resume] [--memory]

The same pages, by sitemap, limit off, served from memory by another process. Peers write one file a page:
Scrapy with html-to-markdown, with `--slow` also with markdownify, `wget -m` and `wget2 -m` (HTML only) for
scale; who is not installed is left out, and named. `distill` is what a mirror's workers do and nothing else,
with as many of them: its floor. CPU seconds are of the client and its children; peak memory is of its largest
process. Everybody's Python has its bytecode, as installed programs do; nothing is deleted between two runs or
sites, since ext4 searches long for inodes that were not just freed.

`--profile` says where the main process's time goes, by its parts.

`--resume` starts a finished crawl of 100,000 URLs again. `--memory` compares the main process's peak over
1,000 and 20,000 pages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from bytecode import environment, write_bytecode  # noqa: E402 - after the path is set
from figures import Figure, keep  # noqa: E402 - as above
from helpers.sites.debian import FOLDERS, doc_folder  # noqa: E402 - as above
from helpers.sites.static import serve_folder  # noqa: E402 - as above
from holdfast.adapters.workers.pool import Workers  # noqa: E402 - as above
from holdfast.core.base.hashing import SettingsDigest  # noqa: E402 - as above
from holdfast.core.crawl.harvest import HarvestRules  # noqa: E402 - as above
from holdfast.core.crawl.harvester import harvest  # noqa: E402 - as above
from holdfast.core.crawl.mirror_spec import Standard  # noqa: E402 - as above
from holdfast.core.page.distill_options import DistillOptions  # noqa: E402 - as above
from holdfast.core.url.policy import SITE, WEB, Recipe  # noqa: E402 - as above
from holdfast.core.url.scope import Root, Scope  # noqa: E402 - as above
from holdfast.core.url.url import parse_url  # noqa: E402 - as above
from holdfast.core.web.capture import Capture  # noqa: E402 - as above
from holdfast.jobs.workers import FOR_WORKERS  # noqa: E402 - as above
from mirror_profile import METER, profile  # noqa: E402 - after the path is set
from mirror_scale import memory, resume  # noqa: E402 - as above

SPIDER = """
import sys
from pathlib import Path
from urllib.parse import quote
import scrapy
from scrapy.crawler import CrawlerProcess

if sys.argv[3] == "markdownify":
    from markdownify import markdownify as convert
else:
    from html_to_markdown import convert as _convert
    def convert(html):
        made = _convert(html)
        return made if isinstance(made, str) else made.content

class Mirror(scrapy.spiders.SitemapSpider):
    name = "mirror"
    sitemap_urls = [sys.argv[1]]
    def parse(self, response):
        file = Path(sys.argv[2]) / quote(response.url, safe="")
        file.with_suffix(".md").write_text(convert(response.text), encoding="utf-8")

settings = {"LOG_LEVEL": "ERROR", "CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
            "DOWNLOAD_DELAY": 0, "ROBOTSTXT_OBEY": True, "TELNETCONSOLE_ENABLED": False}
process = CrawlerProcess(settings)
process.crawl(Mirror)
process.start()
"""


METERED = "meter.jsonl"
ASKED = {
    ("python3.11-doc", "scrapy + html-to-markdown"): 2.5,
    ("python3.11-doc", "wget -m"): 1.0,
    ("postgresql-doc-15", "scrapy + html-to-markdown"): 3.0,
}
"""How many times as fast as a peer a mirror should be."""


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu: float
    peak_mb: float
    files: int


def measure(command: list[str], output: Path, pattern: str) -> Measured:
    """Run a command, and count what it wrote. What others wrote before it is on the disk by then: who syncs
    would wait for that too.
    """
    os.sync()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment(), **silent)
    _, _, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    files = sum(1 for file in output.rglob(pattern) if not file.name.startswith("_"))
    return Measured(seconds, cpu, usage.ru_maxrss / 1024, files)


def holdfast(source: str, output: Path, *flags: str) -> list[str]:
    words = ["mirror", source, "-o", str(output), "--content-rate-limit", "0", "--quiet", *flags]
    return [sys.executable, "-c", METER, str(output.parent / METERED), *words]


def contenders(
    origin: str, folder: Path, work: Path, *, slow: bool
) -> dict[str, tuple[list[str], Path, str]]:
    """Commands, where they write, and what their files look like."""
    source = f"{origin}/pages.xml"
    spider = work / "spider.py"
    spider.write_text(SPIDER)
    found = {}

    def enter(name: str, pattern: str, command: Callable[[Path], list[str]]) -> None:
        output = work / name.replace(" ", "-")
        output.mkdir()
        found[name] = (command(output), output, pattern)

    alone = [sys.executable, str(ROOT / "bench" / "mirror.py"), "--distill", str(folder)]
    enter("distill alone", "*", lambda _: alone)
    enter("holdfast", "*.md", lambda output: holdfast(source, output))
    start = (f"{origin}/index.html", "--discover", "links")
    enter("holdfast by links", "*.md", lambda output: holdfast(start[0], output, *start[1:]))
    crawler = [sys.executable, str(spider), source]
    for library in (("html-to-markdown", "markdownify") if slow else ("html-to-markdown",)) * has_scrapy():
        enter(f"scrapy + {library}", "*.md", lambda output, kind=library: [*crawler, str(output), kind])
    for tool in filter(shutil.which, ("wget", "wget2")):
        words = [tool, "-q", "-m", "-np", "-A", "html", "-P"]
        enter(f"{tool} -m", "*.html", lambda output, words=words: [*words, str(output), start[0]])
    return found


def has_scrapy() -> bool:
    return find_spec("scrapy") is not None


def absent() -> list[str]:
    """Peers that are not installed."""
    missing = [] if has_scrapy() else ["scrapy"]
    return missing + [tool for tool in ("wget", "wget2") if not shutil.which(tool)]


def compare(package: str, rounds: int, work: Path, *, slow: bool) -> list[Figure]:
    folder = doc_folder(package)
    if folder is None:
        print(f"{package}: cannot be downloaded here, skipped")
        return []
    results: dict[str, list[Measured]] = {}
    meters: list[dict[str, float]] = []
    with serve_folder(folder) as origin:
        for number in range(rounds):
            place = work / package / str(number)
            place.mkdir(parents=True)
            for name, (command, output, pattern) in contenders(origin, folder, place, slow=slow).items():
                results.setdefault(name, []).append(measure(command, output, pattern))
            meters.append(json.loads((place / METERED).read_text().splitlines()[0]))
    best = {name: min(runs, key=lambda run: run.seconds) for name, runs in results.items()}
    report(package, folder, rounds, best)
    own = {key: statistics.median(meter[key] for meter in meters) for key in meters[0]}
    cpu = statistics.median(r.cpu for r in results["holdfast"]) / statistics.median(
        r.cpu for r in results["distill alone"]
    )
    by_time = best["holdfast"].seconds / best["distill alone"].seconds
    print(f"whole mirror / distilling: {by_time:.2f} by time, {cpu:.2f} by CPU")
    each = own["main"] / best["holdfast"].files * 1000
    print(
        f"main process {own['main']:.2f} s of CPU ({each:.2f} ms a page; {own['start']:.2f} s of it until "
        f"everything is imported), workers {own['workers']:.2f} s; median of {rounds}"
    )
    ours = best["holdfast"].seconds
    figures = [
        Figure(f"mirror of {package}", best[name].seconds / ours, f"× {name}", ASKED.get((package, name)))
        for name in best
        if not name.startswith(("holdfast", "distill"))
    ]
    return [
        *figures,
        Figure(f"mirror of {package}", by_time, "× distilling alone", most=1.5),
        Figure(f"mirror of {package}, main process", each, "ms of CPU a page"),
    ]


def report(package: str, folder: Path, rounds: int, best: dict[str, Measured]) -> None:
    """The table, and who is not in it."""
    ours = best["holdfast"]
    size = sum(file.stat().st_size for file in folder.rglob("*.html")) / 1e6
    print(f"\n{package}: {ours.files} pages, {size:.0f} MB; best of {rounds}")
    print(f"{'':28}{'s':>8}{'pages/s':>9}{'CPU s':>8}{'MB':>7}{'files':>7}{'× ours':>8}")
    for name, run in best.items():
        print(
            f"{name:28}{run.seconds:8.2f}{ours.files / run.seconds:9.0f}{run.cpu:8.2f}{run.peak_mb:7.0f}"
            f"{run.files:7}{run.seconds / ours.seconds:8.2f}"
        )
    if missing := absent():
        print(f"not installed, left out: {', '.join(missing)}")


def rules() -> HarvestRules:
    """How a mirror by sitemap makes its pages."""
    return HarvestRules(
        standard=Standard(Recipe.parse("http_snapshot_siteurl_v1_text_v1"), SITE, WEB, SettingsDigest("")),
        scope=Scope((Root.of(parse_url("http://127.0.0.1/"), whole_host=True),)),
        follow=False,
        meta_robots=True,
        front_matter=False,
        options=DistillOptions(outline=True),
    )


def distill_alone(folder: Path) -> None:
    """Make of every page of a folder what a mirror by sitemap makes of it (`harvest`), with as many workers.
    Nobody keeps what comes back.
    """
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    captures = []
    for file in sorted(folder.rglob("*.html")):
        url = parse_url(f"http://127.0.0.1/{file.relative_to(folder).as_posix()}")
        captures.append(Capture(url, url, 200, headers, file.read_bytes(), datetime.now(UTC)))

    async def convert() -> None:
        workers = Workers(os.cpu_count() or 1)
        workers.start(*FOR_WORKERS)
        common = (rules(),)

        async def one(capture: Capture) -> None:
            await workers.run(harvest, capture, common=common)

        await asyncio.gather(*map(one, captures))
        workers.close()

    asyncio.run(convert())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=tuple(FOLDERS))
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--distill", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.distill:
        distill_alone(args.distill)
        return
    figures: list[Figure] = []
    results: list[object] = []
    write_bytecode()
    if args.profile:
        results += [profile(name, environment()) for name in FOLDERS if args.only in (None, name)]
    elif args.resume or args.memory:
        results += [resume()] if args.resume else []
        results += [memory()] if args.memory else []
    else:
        with tempfile.TemporaryDirectory() as work:
            wanted = (name for name in FOLDERS if args.only in (None, name))
            for name in wanted:
                figures += compare(name, args.rounds, Path(work), slow=args.slow)
    keep("mirror", figures, {"results": results}, absent())


if __name__ == "__main__":
    main()
