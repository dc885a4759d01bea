"""`holdfast url probe`: what happens when Holdfast asks for a URL."""

from __future__ import annotations

import argparse
import os

from holdfast import jobs
from holdfast.adapters.ports import FetchRequest
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.url.url import Refused, Url, parse_url
from holdfast.core.web.capture import Failed, Failure, Fetched, NotModified, Outcome
from holdfast.faces.cli.console import answer, note, out_lines
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.mirror.summary import ON_TLS
from holdfast.jobs.probe import FetchTold, fetch_lines

HELP = """\
Ask for one URL the way a mirror would, and show what happened: the robots rule, the waits, the hops,
the headers, the size, the outcome. Nothing is stored.

Exit status 0 when there is a response to use (2xx, or 304 to a conditional request), 1 when not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments and the settings of fetching."""
    parser.add_argument("url", metavar="URL", help="what to ask for; its origin may be private")
    parser.add_argument("--etag", metavar="TEXT", help="ask only if the page no longer has this ETag")
    parser.add_argument("--last-modified", metavar="DATE", help="ask only if it changed since this HTTP date")
    add_settings(
        parser,
        "mirror.robots",
        "allow_private",
        "contact",
        "content_rate_limit",
        "timeout",
        "idle_timeout",
        "connect_timeout",
        "max_body_bytes",
        "max_decoded_bytes",
        "max_ratio",
        "max_header_bytes",
        "max_redirects",
        "max_wait",
        "max_wait_sum",
        "max_slowdowns",
        "proxy",
        "ca_file",
    )


def run(args: argparse.Namespace) -> ExitStatus:
    """Ask, and tell."""
    url = parse_url(args.url)
    if isinstance(url, Refused):
        raise UsageError(
            f"not a URL that can be asked for: {url}", hint="write it whole: https://example.com/"
        )
    request = FetchRequest(url, etag=args.etag, last_modified=args.last_modified, named_by_user=True)
    asking = jobs.web_door.fetch_once(settings_from(args), request, environment=os.environ, named=[args.url])
    outcome = jobs.running.run(asking)
    _show(url, outcome, as_json=args.json)
    if isinstance(outcome, Failed) and outcome.failure is Failure.TLS:
        note(f"\nhint: {ON_TLS}")
    return ExitStatus.SUCCESS if isinstance(outcome, (Fetched, NotModified)) else ExitStatus.FINDINGS


def _show(url: Url, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        answer("url-probe", FetchTold(url, outcome), on_one_line=True)
        return
    out_lines(fetch_lines(url, outcome))
