"""`holdfast serve`: what is kept, in a browser."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from contextlib import ExitStack

from holdfast import faces, jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.faces.cli.console import note, out
from holdfast.faces.cli.flags import environment_of, served_folders

HELP = """\
Look at what is kept, in a browser: mirrors and their pages, every version, what changed, which links died.
Reads while mirrors and checks run; fetches nothing and changes nothing but the search index, which is brought
up to date: where much is missing by a process beside it, and searches answer from what is there meanwhile.
Ctrl-C ends it.

With --allow-actions an update or a check can be started, followed and stopped from the page, and a link
ignored with a reason, which is written to .holdfastignore. Whoever asks needs the token then, too.

Only this machine can ask. --bind opens it to others, who need the token that is printed at the start;
what goes over the wire is not encrypted: put a proxy with TLS in front of it."""

_PORT = 8470


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="*", help="mirrors, or folders with documents (default: here)"
    )
    parser.add_argument(
        "--port", type=int, default=_PORT, metavar="N", help=f"the port ({_PORT}); 0 takes a free one"
    )
    parser.add_argument("--bind", metavar="ADDRESS", help="an address beyond this machine; needs a token")
    parser.add_argument(
        "--allow-actions",
        action="store_true",
        help="let the page start and stop runs, and ignore links; without it nothing can be changed",
    )
    parser.add_argument(
        "--token", metavar="TEXT", help="the token that others need (default: HOLDFAST_TOKEN, else a new one)"
    )


def run(args: argparse.Namespace) -> ExitStatus:
    """Serve until Ctrl-C."""
    if not 0 <= args.port <= 65_535:
        raise UsageError(f"--port {args.port}: there is no such port")
    environment = environment_of(args)
    states = jobs.served_stores.served_states(served_folders(args), environment)
    server = faces.web_server
    host = args.bind or "127.0.0.1"
    is_open = server.Access(host).is_loopback and not args.allow_actions
    access = server.Access(host, _token(args, is_needed=not is_open))
    runs = jobs.sync.acting.RunStarter(environment) if args.allow_actions else None
    with ExitStack() as ending, server.listen(host, args.port) as socket:
        for one in states:
            ending.callback(one.close)
        address = f"http://{_shown(host)}:{socket.getsockname()[1]}/"

        def announce() -> None:
            out(address + (f"?token={access.token}" if access.token else ""))
            sys.stdout.flush()
            note(f"serving {', '.join(f'{one.name} ({one.root})' for one in states)}; Ctrl-C ends it")

        server.serve(states, access, socket, announce, runs)
    return ExitStatus.INTERRUPTED


def _token(args: argparse.Namespace, *, is_needed: bool) -> str | None:
    given = args.token or os.environ.get("HOLDFAST_TOKEN")
    if given is not None and not (
        given.isascii() and given.isprintable() and " " not in given and ";" not in given
    ):
        raise UsageError("a token is made of letters, digits and signs, without spaces and semicolons")
    if given is not None and len(given) < 16:
        raise UsageError("a token of fewer than 16 characters can be guessed")
    return given or (secrets.token_urlsafe(24) if is_needed else None)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
