"""`holdfast mcp`: the questions, for agents."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from holdfast import faces, jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import note
from holdfast.faces.cli.flags import environment_of, served_folders
from holdfast.faces.cli.listening import signals_end_it

HELP = """\
Answer an agent's questions over standard input and output, by the Model Context Protocol: read a kept page
now or at a date, what changed, who cites what, which links are dead. Read-only; fetches nothing.

With --allow-actions an agent can start an update of a mirror or a check of links, too, follow it and stop it;
what runs ends with this command.

Put `holdfast mcp DIR` into the agent's settings as a server; docs/guides/agents.md shows how."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="*", help="mirrors, or folders with documents (default: here)"
    )

    parser.add_argument(
        "--allow-actions",
        action="store_true",
        help="let the agent start and stop runs; without it nothing can be changed",
    )


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer until the agent hangs up."""
    environment = environment_of(args)
    states = jobs.served_stores.served_states(served_folders(args), environment)
    note(
        f"answering for {', '.join(one.name for one in states)} on standard input and output; Ctrl-C ends it"
    )
    with ExitStack() as ending:
        for one in states:
            ending.callback(one.close)
        runs = jobs.sync.acting.RunStarter(environment) if args.allow_actions else None
        if runs is not None:
            ending.callback(runs.close)
        signals_end_it(before=runs.close if runs is not None else None)
        jobs.running.run(faces.mcp_server.make_server(states, runs).run_stdio_async())
    return ExitStatus.SUCCESS
