"""`holdfast`: find the command, import it alone, run it, turn errors into words and an exit status.

1. The commands stand in the table of `faces/cli/parser`; one is imported when it is called, and only then.
2. Data goes to standard output, everything else to standard error (`faces/cli/console`).
3. Errors that Holdfast raises are words: `error: …`, and after a blank line `hint: …`; under `--json` they
   are a document on standard output too. A library that is not installed is named by the extra that brings
   it. Anything else is a bug and keeps its traceback.
4. Standard output takes all of what is written. Python's own drops what one write does not take when it is
   unbuffered (PYTHONUNBUFFERED), and gives up where the pipe is non-blocking, which somebody who shares it
   may have made it. Either would cut data short; the first even with exit status 0.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from holdfast import __version__, jobs
from holdfast.core.base.errors import (
    ExitStatus,
    FailedError,
    HoldfastError,
    NoSpaceError,
    UsageError,
)
from holdfast.core.base.late_modules import BRINGS, MissingLibraryError, extra_to_name
from holdfast.faces.cli.common_flags import ShortHelp, flags_first
from holdfast.faces.cli.console import Terminal, answer, coloured, life_sign, note
from holdfast.faces.cli.first_help import noun_help, short_help, today_screen
from holdfast.faces.cli.parser import (
    COMMANDS,
    build_parser,
    common_parser,
    seconds_of,
    split_call,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is one of STA-2. Without `argv`, the process is the command's own."""
    if argv is None:
        _collect_seldom()
    use_whole_output()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _in_words(words)
    except BrokenPipeError:
        if not _reader_is_gone():
            raise  # some other pipe broke, and that is not a success
        status = ExitStatus.SUCCESS  # whoever read us has seen enough
    except (KeyboardInterrupt, RuntimeError) as error:
        if not _is_interrupt(error):
            raise
        note("error: interrupted")
        status = ExitStatus.INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:  # it was said, and Python would complain once more at exit: give it nothing to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _collect_seldom() -> None:
    """Look for cyclic garbage after many objects, and not once more at the end. What was imported, and the
    hundred thousand links of a large run, live to the end and make none: going through them again and again
    takes a third of such a run's time, and a fifth of the shortest command's.
    """
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)


def _is_interrupt(error: BaseException) -> bool:
    """Before 3.12 Python raises a RuntimeError of what comes while it makes a class with fields."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def _in_words(words: list[str]) -> int:
    """Run one command; what goes wrong is said in words."""
    try:
        status = _run(words)
        sys.stdout.flush()
    except MissingLibraryError as missing:
        return _say(_wants_extra(split_call(words)[0], missing.library, missing.extra), words)
    except HoldfastError as error:
        return _say(error, words)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("holdfast"):
            raise
        extra = BRINGS.get(missing.name.partition(".")[0], "all")
        return _say(_wants_extra(split_call(words)[0], missing.name, extra), words)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _say(_of_the_system(error), words)
    return status


def _run(words: list[str]) -> int:
    command, rest = split_call(words)
    if command in ("-V", "--version"):
        return _version(rest)
    try:
        if command in ("", "-h", "--help"):
            if not command:
                common_parser().read(rest)
            print(today_screen())
            return ExitStatus.SUCCESS if command else ExitStatus.USAGE
        if command not in COMMANDS:
            return _without_second_word(command, rest) if seconds_of(command) else _unknown(words)
        if os.environ.get("HOLDFAST_NATIVE"):
            jobs.extras.choose_reader(os.environ)
        parser = build_parser(command)
        args = parser.read(rest)
        _listen()
        doing = None if args.quiet else COMMANDS[command].doing
        with _gone_to(args.folders or ()), coloured(args.color), life_sign(doing):
            status: ExitStatus = args.run(args)
    except ShortHelp:
        print(short_help(parser))
        return ExitStatus.SUCCESS
    except SystemExit as leaving:  # argparse: --help
        return int(leaving.code or 0)
    return status


@contextmanager
def _gone_to(folders: Sequence[str]) -> Iterator[None]:
    """Be in this folder meanwhile: each of several counts from the one before, as git has it."""
    with ExitStack() as stack:
        if folders:
            where = Path(*folders)
            try:
                stack.enter_context(chdir(where))
            except OSError as error:
                raise UsageError(
                    f"{where}: {error.strerror}", hint="-C names a folder that is there"
                ) from None
        yield


def _without_second_word(noun: str, rest: list[str]) -> int:
    """`store`, `url`, `cluster`: what they do is a second word."""
    if {"-h", "--help"} & set(rest):
        print(noun_help(noun))
        return ExitStatus.SUCCESS
    _, rest = flags_first(rest)
    seconds = [name.removeprefix(f"{noun} ") for name in seconds_of(noun)]
    if rest and not rest[0].startswith("-"):
        meant = jobs.name_tables.second_meant(noun, rest[0], seconds)
        hint = f"did you mean `holdfast {noun} {meant}`?" if meant else f"it has {', '.join(seconds)}"
        raise UsageError(f"there is no command {f'{noun} {rest[0]}'!r}", hint=hint)
    raise UsageError(
        f"{noun} wants a second word", hint=f"{', '.join(seconds)}; `holdfast {noun} --help` explains"
    )


def _unknown(words: list[str]) -> NoReturn:
    """A word that is no command: what it means, by its intent before its spelling."""
    _, words = flags_first(words)
    command = words[0]
    if command.startswith("-"):
        raise UsageError(
            f"there is no flag {command} without a command", hint="`holdfast --help` lists the commands"
        )
    hint = jobs.name_tables.command_meant(words, COMMANDS) or "`holdfast --help` lists the commands"
    raise UsageError(f"there is no command {command!r}", hint=hint)


def _listen() -> None:
    """What happens on the way is said to the person."""
    jobs.places.listen(lambda text: note(f"warning: {text}"))


def _of_the_system(error: OSError) -> HoldfastError:
    """What the operating system refused, where nobody knew more about it."""
    what = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpaceError(what, hint="make room and start the same command again")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return FailedError(what, hint="more files must be open at once: `ulimit -n 256`")
    return FailedError(what)


def _wants_extra(command: str, module: str, extra: str) -> UsageError:
    own = COMMANDS[command].extra if command in COMMANDS else None
    extra = extra_to_name(own if own and extra == "all" else extra, own)
    return UsageError(
        f"`holdfast {command}` needs a library that is not installed ({module})",
        hint=f"pip install 'holdfast[{extra}]'",
    )


def _version(words: list[str]) -> ExitStatus:
    if not words:
        print(f"holdfast {__version__}")
        return ExitStatus.SUCCESS
    if words not in (["--verbose"], ["-v"]):
        raise UsageError(f"--version takes --verbose, not {words[0]}")
    from holdfast.faces.cli.help import about  # noqa: PLC0415 # lazy: only --verbose looks at libraries

    jobs.extras.choose_reader(os.environ)
    print("\n".join(about()))
    return ExitStatus.SUCCESS


def _reader_is_gone() -> bool:
    poll = select.poll()
    poll.register(sys.stdout.fileno(), select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _say(error: HoldfastError, words: Sequence[str]) -> ExitStatus:
    """An error in words; a program that asked for JSON gets it as a document."""
    note(f"error: {error.message}")
    if error.hint:
        note(f"\nhint: {error.hint}")
    if "--json" in words:
        with suppress(OSError):  # the status stands, whoever reads
            answer("error", error)
            sys.stdout.flush()
    return error.exit_status


class _Whole(io.RawIOBase):
    """A handle that is written to until everything is there; it stays the system's to close."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle

    def fileno(self) -> int:
        return self._handle

    def isatty(self) -> bool:
        return os.isatty(self._handle)

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        while left:
            try:
                left = left[os.write(self._handle, left) :]
            except BlockingIOError:
                select.select([], [self._handle], [])
        return size


def use_whole_output() -> None:
    """Put it in the place of `sys.stdout`, unless that is somebody's own; terminals get what is harmless."""
    there, errors = sys.stdout, sys.stderr
    if there is sys.__stdout__ and isinstance(there, io.TextIOWrapper):
        sys.stdout = _whole(there)
    if errors is sys.__stderr__ and isinstance(errors, io.TextIOWrapper) and errors.isatty():
        sys.stderr = _whole(errors)


def _whole(there: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = _Whole(there.fileno())
    kind = Terminal if raw.isatty() else io.TextIOWrapper
    buffer = raw if there.write_through else io.BufferedWriter(raw)
    return kind(
        buffer,  # type: ignore[arg-type] # an unbuffered stream has none, and its methods all the same
        encoding=there.encoding,
        errors=there.errors,
        line_buffering=there.line_buffering,
        write_through=there.write_through,
    )
