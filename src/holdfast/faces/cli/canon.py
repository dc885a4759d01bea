"""`holdfast url canon`: canonical URLs and their keys."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.shown_text import loggable
from holdfast.core.settings.identity import Identity
from holdfast.core.url.canonical import Explained, explain
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy
from holdfast.core.url.steps import RULE_SENTENCES
from holdfast.core.url.url import Refused
from holdfast.faces.cli.console import answer, input_groups, input_lines, note, out, out_ascii
from holdfast.faces.cli.flags import add_settings, identity_from, settings_from
from holdfast.questions.url_forms import CanonAnswer

HELP = """Give URLs their canonical form and key.

Prints one canonical URL a line, in the order asked. A URL that has none is refused with its reason on
standard error; the others are still answered, and the exit status is 1. With --json, one object a line:
input, canonical, url_key, policy, component, rules; or canonical null and refused. The component of keys
that were made with settings of your own (overrides, allow-list, slash option) ends in `_local_v<N>`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="a URL, or - for lines of standard input")
    parser.add_argument("--explain", action="store_true", help="show the rules that fired, in order")
    add_settings(parser, "policy", "overrides", "allow_query", "trailing_slash", "identity_version")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer every URL."""
    identity = identity_from(settings_from(args), default_policy="web")
    policy = identity.policy
    if args.json:
        refused = _as_json(input_lines(args.urls), identity)
    elif args.explain:
        refused = _explained(input_lines(args.urls), policy)
    else:
        refused = sum(_plain(group, policy) for group in input_groups(args.urls))
    return ExitStatus.FINDINGS if refused else ExitStatus.SUCCESS


def _plain(lines: list[str], policy: Policy) -> int:
    """A group of lines; what comes between two refusals is written at once."""
    answers = list(map(canonical_text(policy), lines))
    written: list[str] = []
    refusals = 0
    for line, found in zip(lines, answers, strict=True):
        if isinstance(found, str):
            written.append(found)
            continue
        out_ascii(written)
        written = []
        refusals += 1
        note(f"refused: {loggable(line)}: {found}")
    out_ascii(written)
    return refusals


def _explained(lines: Iterator[str], policy: Policy) -> int:
    refusals = 0
    for line in lines:
        out(loggable(line))
        match explain(line, policy):
            case Explained(canonical, rules):
                out(f"  = {canonical}")
                out(f"  key {canonical.key}")
                for rule in rules:
                    out(f"  · {rule:<18} {RULE_SENTENCES[rule]}")
            case Refused() as refusal:
                refusals += 1
                out(f"  refused: {refusal}")
    return refusals


def _as_json(lines: Iterator[str], identity: Identity) -> int:
    refusals = 0
    for line in lines:
        found = CanonAnswer(line, identity, explain(line, identity.policy))
        refusals += found.refused is not None
        answer("url-canon", found)
    return refusals
