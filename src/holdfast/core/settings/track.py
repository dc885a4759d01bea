"""Settings of tracking citations."""

from __future__ import annotations

from dataclasses import field

from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.values import dataclass

__all__ = ["TrackAsking", "TrackDocuments", "TrackJudging", "TrackSettings"]


@dataclass(frozen=True, slots=True)
class TrackAsking:
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
    ask_reserved: bool = setting(
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
    link_headers: tuple[str, ...] = setting(
        reach=Reach.CREDENTIAL,
        default=(),
        help='Header fields for every cited URL ("Accept-Language: de"). Secrets belong into [origin].',
        kind="list",
    )
    link_ttl: float = setting(
        reach=Reach.NOTHING,
        default=24.0,
        help="Hours for which a settled answer counts; what failed is looked at again at the next run.",
        least=0,
    )
    link_concurrency: int = setting(
        reach=Reach.NOTHING, default=10, help="Cited URLs asked at a time, over all hosts.", least=1
    )
    link_robots: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Whether robots.txt decides which cited URLs are asked; only cited pages are.",
    )


@dataclass(frozen=True, slots=True)
class TrackJudging:
    """What an answer is worth."""

    accept_status: tuple[str, ...] = setting(
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
class TrackDocuments:
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
    hidden_files: bool = setting(
        reach=Reach.NOTHING,
        default=False,
        help="Read documents whose name, or whose folder's, begins with a dot, too (.github).",
    )
    ignore_files: bool = setting(
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
class TrackSettings:
    """Which cited URLs are asked, how often, and what is written down."""

    asking: TrackAsking = field(default_factory=TrackAsking)
    judging: TrackJudging = field(default_factory=TrackJudging)
    documents: TrackDocuments = field(default_factory=TrackDocuments)
    fail_on: tuple[str, ...] = setting(
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
    archive_url: str = setting(
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
    tracked_content: str = setting(
        reach=Reach.NOTHING,
        default="text",
        help="What a revision is made of: the page's normalized `text`, or the decoded `body` as sent.",
        choices=("text", "body"),
    )
