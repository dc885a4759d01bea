"""The flags of `holdfast check`, its own and its settings: common ones first, then by what they decide."""

from __future__ import annotations

import argparse
from typing import Any, Final

from holdfast.core.findings.report_lines import FORMATS
from holdfast.faces.cli.flags import add_settings, add_shared

_FLAGS: Final = {
    "common flags": (
        "--fetch-urls", "--dry-run", "confirm", "skip_urls", "--changed-since", "check.fail_on", "baseline",
        "--update-baseline", "--format", "--offline",
    ),
    "what is read": (
        "--job", "--stdin-name", "--force-exclude", "read_as", "hidden", "ignore", "local_links",
        "root_dir", "base_url", "wiki_links", "strict_local",
    ),
    "what is asked": (
        "--force-refetch", "--cluster", "ask_hosts", "skip_hosts", "ask_urls",
        "include_reserved", "check.max_age", "check.robots", "allow_private",
    ),
    "how URLs are looked at": (
        "--eager", "light", "--lychee-cache", "accept", "remap", "header",
    ),
    "pace": ("concurrency", "per_host", "content_rate_limit", "max_wait", "timeout", "contact"),
    "what is kept and told": (
        "--on-change", "compare", "manifest_format", "overrides", "store", "notifications",
    ),
}  # fmt: skip
"""The headings of help. A name with dashes is a flag of this command, any other a setting."""

_OWN: Final[dict[str, dict[str, Any]]] = {
    "--job": {"metavar": "NAME", "help": "a [check.NAME] of holdfast.toml: its paths and settings"},
    "--stdin-name": {
        "metavar": "NAME",
        "default": "stdin.md",
        "help": "what standard input is called: its suffix says what it is read as, its folder where local "
        "links start (default: stdin.md)",
    },
    "--fetch-urls": {
        "dest": "fetch_external_urls",
        "action": argparse.BooleanOptionalAction,
        "help": "consent to ask the URLs that are cited",
    },
    "--offline": {"action": "store_true", "help": "ask nothing; report the last known states"},
    "--force-exclude": {
        "action": "store_true",
        "help": "leave out named files, too, that an ignore file leaves out or that are not documents",
    },
    "--force-refetch": {"action": "store_true", "help": "ask everything now, whatever was known"},
    "--eager": {"action": "store_true", "help": "count a failure as dead and a change as new at once"},
    "--cluster": {
        "action": "store_true",
        "help": "have workers of a shared ledger ask, each the hosts of its part; wait, and tell",
    },
    "--lychee-cache": {
        "metavar": "FILE",
        "help": "a .lycheecache: take its answers for URLs of which nothing is known, as light looks",
    },
    "--on-change": {
        "metavar": "CMD",
        "help": "run this for each URL that changed, with JSON on its standard input",
    },
    "--format": {
        "choices": tuple(FORMATS),
        "default": "text",
        "help": "how the findings are written (text)",
    },
    "--changed-since": {
        "metavar": "REV",
        "help": "ask and report only links on lines that changed since they parted from this git revision; "
        "everything is read all the same",
    },
    "--update-baseline": {
        "action": "store_true",
        "help": "write what is dead or wrong now into the baseline, and take out what is settled",
    },
}


def add_track_flags(parser: argparse.ArgumentParser) -> None:
    """Give the command its flags, under the headings that help shows."""
    for heading, names in _FLAGS.items():
        group = parser.add_argument_group(heading)
        for name in names:
            if name in _OWN:
                group.add_argument(name, **_OWN[name])
            elif name.startswith("--"):
                add_shared(group, name)
            else:
                add_settings(group, name)
