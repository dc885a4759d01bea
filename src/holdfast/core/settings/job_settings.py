"""Settings of mirrors, and of checking what documents cite."""

from __future__ import annotations

from dataclasses import field

from holdfast.core.base.values import dataclass
from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach


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
        called="mirror.include",
        reach=Reach.NOTHING,
        default=(),
        help="Only URLs that match one of these globs: `/guide/*`, `*.html`. `*` stands for anything.",
        kind="list",
    )
    exclude: tuple[str, ...] = setting(
        called="mirror.exclude",
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
    meta_robots: bool = setting(
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
    convert_links: str = setting(
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
    rel_canonical: str = setting(
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
    processes: int = setting(
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
        called="mirror.max_age",
        reach=Reach.NOTHING,
        default=None,
        help="In an update, ask about pages older than this whatever their date says: `12h`, `7d`, `2w`.",
        kind="duration",
    )
    delete_gone: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="In an update, delete the files of pages that are gone; never more than one in five at once.",
    )


@dataclass(frozen=True, slots=True)
class CheckAsking:
    """Which cited URLs are asked, and how."""

    fetch_external_urls: bool = setting(
        reach=Reach.CONSENT,
        default=False,
        help="Consent to ask the URLs that your documents cite; without it no socket is opened.",
    )
    ask_hosts: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Ask these hosts only; `*.example.com` means the host's subdomains too.",
        kind="list",
    )
    skip_hosts: tuple[str, ...] = setting(
        reach=Reach.NOTHING, default=(), help="Never ask these hosts; stronger than `ask_hosts`.", kind="list"
    )
    skip_urls: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Never ask URLs in which one of these regular expressions (RE2) is found.",
        kind="list",
    )
    ask_urls: tuple[str, ...] = setting(
        reach=Reach.NETWORK,
        default=(),
        help="Ask URLs in which one of these regular expressions is found, whatever leaves them out; where "
        "nothing is left out by other rules, ask these only.",
        kind="list",
    )
    include_reserved: bool = setting(
        reach=Reach.NETWORK,
        default=False,
        help="Ask hosts that are reserved for examples and tests, too: example.com, *.test, localhost.",
    )
    remap: tuple[str, ...] = setting(
        reach=Reach.NETWORK,
        default=(),
        help="Ask another address: a regular expression, a space, and what to write for what it finds.",
        kind="list",
    )
    header: tuple[str, ...] = setting(
        reach=Reach.CREDENTIAL,
        default=(),
        help='Header fields for every cited URL ("Accept-Language: de"). Secrets belong into [origin].',
        kind="list",
    )
    max_age: str = setting(
        reach=Reach.NOTHING,
        default="24h",
        help="For how long a settled answer counts: `24h`, `7d`; what failed is looked at at the next run.",
        kind="duration",
        called="check.max_age",
    )
    concurrency: int = setting(
        reach=Reach.NOTHING, default=10, help="Cited URLs asked at a time, over all hosts.", least=1
    )
    robots: bool = setting(
        called="check.robots",
        reach=Reach.NOTHING,
        default=False,
        help="Whether robots.txt decides which cited URLs are asked; only cited pages are.",
    )


@dataclass(frozen=True, slots=True)
class CheckJudging:
    """What an answer is worth."""

    accept: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Statuses that are fine, whatever they mean: numbers and ranges (403, 500..=503).",
        kind="list",
    )
    confirm: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Ask what failed again at the end of the run, so that a new 404 or 410 counts as dead at once.",
    )
    light: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Record states alone: keep no copies, and read pages only for sections that are cited.",
    )


@dataclass(frozen=True, slots=True)
class CheckDocuments:
    """How documents are read."""

    local_links: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="Check links to files and headings of one's own; that asks nobody.",
    )
    root_dir: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="The folder that a `/` at the start of a local link means.",
        kind="path",
    )
    base_url: str | None = setting(
        reach=Reach.NETWORK,
        default=None,
        help="Where the documents are published: links that begin with `/` are asked there.",
        kind="str",
    )
    read_as: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Other files to read: a pattern as in .gitignore, and after `=` the format (`*.css`, "
        "`src/**/*.ts=text`).",
        kind="list",
    )
    hidden: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Read documents whose name, or whose folder's, begins with a dot, too (.github).",
    )
    ignore: bool = setting(
        reach=Reach.NOTHING, default=True, help="Leave out what .gitignore and .holdfastignore leave out."
    )
    wiki_links: bool = setting(
        reach=Reach.NOTHING, default=False, help="Read `[[page]]` in Markdown as a link to a document."
    )
    strict_local: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Judge local links, too, that a site's generator may make right by rules of its own.",
    )


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """Which cited URLs are asked, how often, and what is written down."""

    asking: CheckAsking = field(default_factory=CheckAsking)
    judging: CheckJudging = field(default_factory=CheckJudging)
    documents: CheckDocuments = field(default_factory=CheckDocuments)
    fail_on: tuple[str, ...] = setting(
        called="check.fail_on",
        reach=Reach.NOTHING,
        default=("dead",),
        help="What makes the exit status 1: dead, suspect, unknown, changed, fragment, local, moved, ignore, "
        "any, none, or the codes of rules. What the baseline knows never does.",
        kind="list",
    )
    baseline: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="The file of findings that are known and fail no build.",
        kind="path",
    )
    public_archive: str = setting(
        reach=Reach.NETWORK,
        default="https://web.archive.org/web/{date}/{url}",
        help="Where a public archive has copies; `holdfast fix --only dead --fetch-urls` asks it.",
        kind="str",
    )
    manifest_format: str | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="Format of `.url-manifest`; by default that of the folder's BeliefNode file, else toml.",
        kind="choice",
        choices=("toml", "json", "yaml", "none"),
    )
    compare: str = setting(
        reach=Reach.NOTHING,
        default="text",
        help="What a revision is made of: the page's normalized `text`, or the decoded `body` as sent.",
        choices=("text", "body"),
    )
