"""Settings of the mirror."""

from __future__ import annotations

from dataclasses import field

from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.values import dataclass

__all__ = ["MirrorFiles", "MirrorScope", "MirrorSettings"]


@dataclass(frozen=True, slots=True)
class MirrorScope:
    """Which pages belong to a mirror."""

    discover: str = setting(
        reach=Reach.NOTHING,
        default="auto",
        help="Where URLs come from: `sitemap` (also feeds), `links`, or `auto`: the sitemap alone when it "
        "has entries, else links.",
        choices=("auto", "sitemap", "links"),
    )
    include: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Only URLs that match one of these globs: `/guide/*`, `*.html`. `*` stands for anything.",
        kind="list",
    )
    exclude: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="No URL that matches one of these globs, included or not.",
        kind="list",
    )
    allow_host: tuple[str, ...] = setting(
        reach=Reach.NETWORK,
        default=(),
        help="Other hosts that belong to the mirror: `cdn.example.com`, `*.example.com`, `h:8080`.",
        kind="list",
    )
    max_depth: int | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="How many links away from the start a page may be.",
        kind="int",
        least=0,
    )
    max_pages: int | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="Stop after so many page files, resumes included; an update: ask for so many pages, the oldest "
        "looks first.",
        kind="int",
        least=1,
    )
    keep_noise: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Keep what a generator makes for its own use (page sources, general indexes, search, tags, "
        "print versions) where it matches one of these globs; `*` keeps all.",
        kind="list",
    )
    obey_meta_robots: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="Whether `noindex` and `nofollow` of pages, links and X-Robots-Tag are respected.",
    )
    trap_pages: int = setting(
        reach=Reach.NOTHING,
        default=5000,
        help="Pages of one pattern (the path without its numbers), or alike but for their links, that links "
        "may lead to; 0: any number.",
        least=0,
    )
    trap_similar: int = setting(
        reach=Reach.NOTHING,
        default=50,
        help="Close a pattern when half of so many of its pages were near-duplicates; follow no links "
        "of more pages once so many said the same; 0: never.",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class MirrorFiles:
    """How they are written."""

    layout: str = setting(
        reach=Reach.NOTHING,
        default="tree",
        help="How pages are named on disk.",
        choices=("tree", "tree-fold", "flat", "flat-fold", "hash"),
        identity=False,
    )
    content: str = setting(
        reach=Reach.NOTHING,
        default="main",
        help="What of a page becomes Markdown: its main content, or the full page with its navigation.",
        choices=("main", "full"),
    )
    anchors: str = setting(
        reach=Reach.NOTHING,
        default="html",
        help="How the places of a page that can be linked to are written: as `html` (`<a id=…>`), those of "
        "headings as `attributes` (`{#…}`), or not at all (`none`).",
        choices=("html", "attributes", "none"),
    )
    sidecar: str = setting(
        reach=Reach.NOTHING,
        default="json",
        help="Where a page's facts go: beside it (`json`), at its head (`front-matter`), or nowhere.",
        choices=("json", "none", "front-matter"),
    )
    links: str = setting(
        reach=Reach.NOTHING,
        default="absolute",
        help="Links between mirrored pages: as they are on the web (`absolute`), or as relative paths "
        "(`local`), so that the folder reads offline.",
        choices=("absolute", "local"),
    )
    assets: bool = setting(
        reach=Reach.NETWORK,
        default=False,
        help="Fetch the pages' images too, keep them by content hash, and link them.",
    )
    llms_txt: bool = setting(
        reach=Reach.NOTHING, default=False, help="Write `llms.txt` and `llms-full.txt` beside the index."
    )
    prefer_markdown: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Ask for Markdown first, and take a page's own Markdown where the site offers it.",
    )


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """What is mirrored, and how it lies on disk."""

    scope: MirrorScope = field(default_factory=MirrorScope)
    files: MirrorFiles = field(default_factory=MirrorFiles)
    canonical: str = setting(
        reach=Reach.NOTHING,
        default="check",
        help="What rel=canonical is worth: `check` the texts before a page counts as a duplicate, "
        "`trust` it, or `ignore` it.",
        choices=("check", "trust", "ignore"),
    )
    dedupe: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="A folder and its index file (`/a/`, `/a/index.html`) with equal content are one page, under "
        "the shorter address.",
    )
    on_error: str = setting(
        reach=Reach.NOTHING,
        default="skip",
        help="A page that fails: note it and go on (`skip`), end the run (`abort`), or try what may pass "
        "again at the end (`retry`).",
        choices=("skip", "abort", "retry"),
    )
    min_free_mb: int = setting(
        reach=Reach.NOTHING,
        default=100,
        help="Megabytes that must stay free on the disk; below, the run ends.",
        least=0,
    )
    workers: int = setting(
        reach=Reach.NOTHING,
        default=0,
        help="Processes that turn pages into Markdown; 0: as many as there are cores.",
        least=0,
    )
    update: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Go over a finished mirror again: fetch what its list says is newer, what is new, and ask "
        "whether the rest changed.",
    )
    max_age: str | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="In an update, ask about pages older than this whatever their date says: `12h`, `7d`, `2w`.",
        kind="str",
    )
    prune: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="In an update, delete the files of pages that are gone; never more than one in five at once.",
    )
