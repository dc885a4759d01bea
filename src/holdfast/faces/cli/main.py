"""`holdfast`: find the command, import it alone, run it, turn errors into words and an exit status.

1. A command is a module with `HELP`, `add_arguments(parser)` and `run(args) -> ExitStatus`. It stands in
   `COMMANDS`, and nowhere else, with the sentence that `--help` shows: so help costs no imports.
2. Data goes to standard output, everything else to standard error (`console`).
3. Errors that Holdfast raises are words: `error: …`, and after a blank line `hint: …`. Anything else is a
   bug and keeps its traceback.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import select
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Final, NoReturn

from holdfast import __version__
from holdfast.core.errors import ExitStatus, HoldfastError
from holdfast.core.nearest import nearest
from holdfast.faces.cli.console import note
from holdfast.faces.cli.whole_output import use_whole_output

__all__ = ["COMMANDS", "build_parser", "main"]

COMMANDS: Final = {
    "mirror": "Mirror a site to a folder of Markdown.",
    "canon": "Give URLs their canonical form and key.",
    "path": "Give URLs the names they have on disk, and names their URLs.",
    "fetch": "Ask for one URL and show what happened.",
    "convert": "Turn one HTML file into Markdown, text or JSON.",
    "track": "Find what your documents cite, and tell what changed or died.",
    "links": "Show what a document cites.",
    "backlinks": "Show who cites a URL, a host, or what matches a pattern.",
    "broken": "Show the citations of dead URLs.",
    "changed": "Show which cited URLs changed, and who cites them.",
    "graph": "Write the graph of documents and cited URLs.",
    "show": "Show the copy that was kept of a URL, as Markdown.",
    "fix": "Mend links: permanent redirects, https, tracking parameters; a diff unless told to write.",
    "import": "Turn the settings of another link checker into a holdfast.toml.",
    "runs": "List the runs of a state folder, the latest first.",
    "history": "Show what a URL said, capture by capture.",
    "diff": "Show what changed between two versions of a URL, or in a run.",
    "changes": "Show what came and what changed in a mirror; as a feed if asked.",
    "lineage": "Show an item, or a URL's items, and what superseded what.",
    "verify": "Check that folder, sidecars, manifest, ledger and archive agree.",
    "rebuild": "Write a mirror's folder anew from ledger and archive.",
    "reprocess": "Go over a run with another policy or content rule, from the archive.",
    "forget": "Take a URL or a host out of ledger, archive and mirror.",
    "gc": "Drop what no item needs.",
    "archive": "Check the archive, or write its index.",
    "db": "Check the ledger's file, or bring its schema up to date.",
    "config": "Show every setting, its value, and where it came from.",
}
"""Command names and their sentences, in the order in which help lists them."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that guesses what a mistyped flag was meant to be."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"error: {message}", file=sys.stderr)
        if message.startswith("unrecognized arguments: -"):
            flags = [flag for action in self._actions for flag in action.option_strings]
            if guess := nearest(message.split()[2], flags):
                print(f"\nhint: did you mean {guess}?", file=sys.stderr)
        raise SystemExit(ExitStatus.USAGE)


def build_parser(command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    name = command.replace("-", "_")
    module = import_module(f"holdfast.faces.cli.{name}_" if iskeyword(name) else f"holdfast.faces.cli.{name}")
    parser = _Parser(
        prog=f"holdfast {command}",
        description=module.HELP,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is one of STA-2. Without `argv`, the process is the command's own."""
    if argv is None:
        _collect_seldom()
    use_whole_output()
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return ExitStatus.SUCCESS if words else ExitStatus.USAGE
    if words[0] in ("-V", "--version"):
        print(f"holdfast {__version__}")
        return ExitStatus.SUCCESS
    command, *rest = words
    if command not in COMMANDS:
        guess = nearest(command, COMMANDS)
        hint = f"did you mean `holdfast {guess}`?" if guess else "`holdfast --help` lists the commands"
        return _say(f"there is no command {command!r}", hint, ExitStatus.USAGE)
    return _run(command, rest)


def _collect_seldom() -> None:
    """Look for cyclic garbage after many objects, and not once more at the end. What was imported, and the
    hundred thousand links of a large run, live to the end and make none: going through them again and again
    takes a third of such a run's time, and a fifth of the shortest command's.
    """
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)


def _run(command: str, words: list[str]) -> int:
    try:
        args = build_parser(command).parse_args(words)
        _listen()
        status: ExitStatus = args.run(args)
        sys.stdout.flush()
    except HoldfastError as error:
        return _say(error.message, error.hint, error.exit_status)
    except KeyboardInterrupt:
        return _say("interrupted", None, ExitStatus.INTERRUPTED)
    except BrokenPipeError:
        if not _reader_is_gone():
            raise  # some other pipe broke, and that is no success
        # Whoever read us has seen enough. Python would complain once more at exit; give it nothing to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.SUCCESS
    except SystemExit as leaving:  # argparse: --help and usage errors
        return int(leaving.code or 0)
    return status


def _listen() -> None:
    """What happens on the way is said to the person."""
    from holdfast.wiring.notices import listen  # noqa: PLC0415 # lazy: what the command has imported already

    listen(lambda text: note(f"warning: {text}"))


def _reader_is_gone() -> bool:
    poll = select.poll()
    poll.register(sys.stdout.fileno(), select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _say(message: str, hint: str | None, status: ExitStatus) -> ExitStatus:
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"\nhint: {hint}", file=sys.stderr)
    return status


def _help() -> str:
    width = max(map(len, COMMANDS)) + 2
    rows = [f"  {name:<{width}}{sentence}" for name, sentence in COMMANDS.items()]
    return "\n".join(
        [
            "usage: holdfast COMMAND [ARGUMENTS]",
            "",
            "Holdfast gives web content a fixed identity.",
            "",
            "commands:",
            *rows,
            "",
            "`holdfast COMMAND --help` explains a command; `holdfast --version` prints the version.",
        ]
    )
