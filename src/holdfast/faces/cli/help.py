"""`holdfast help` explains a word; `holdfast --version --verbose` says what is installed here.

1. A word is a command, a setting, the state or standing of a link, or the code or name of a report's rule.
2. An extra is here when everything it asks for is installed; what it asks for is read from the package's
   own metadata, so that this list cannot differ from what `pip install` brings. What is for another Python
   or system alone (`; python_version < '3.14'`) is not asked for.
"""

from __future__ import annotations

import argparse
import operator
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import Any, Final

from holdfast import __version__, jobs
from holdfast.core.base.errors import ExitStatus, UsageError, nearest
from holdfast.core.findings.report import RULES
from holdfast.core.findings.rule_codes import ReportRule
from holdfast.core.links.link_state import Confirm, LinkState, Standing
from holdfast.core.settings.resolve import Setting, all_settings, names_by_key
from holdfast.faces.cli.console import out
from holdfast.faces.cli.first_help import all_help, noun_help, today_screen
from holdfast.faces.cli.parser import COMMANDS, build_parser, seconds_of

HELP = """Explain a word: a command (mirror), a setting (max_pages), the state of a link (refused), a code of
a report (HF033). Without a word, show the first screen."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("word", nargs="?", metavar="WORD", help="what to explain")
    parser.add_argument(
        "more", nargs="*", metavar="WORD", help="the second word of a command, as in `store backup`"
    )
    parser.add_argument("--all", action="store_true", help="list all commands, and the flags that all take")


def run(args: argparse.Namespace) -> ExitStatus:
    """Explain it."""
    if args.word is None:
        out(all_help() if args.all else today_screen())
    elif (command := " ".join((args.word, *args.more))) in COMMANDS:
        out(build_parser(command).format_help().rstrip("\n"))
    elif not args.more and seconds_of(args.word):
        out(noun_help(args.word))
    elif not args.more and (lines := explained(args.word)):
        out("\n".join(lines))
    else:
        guess = nearest(command, [*COMMANDS, *words_explained()], cutoff=0.6)
        raise UsageError(
            f"there is no command, setting, state or code {command!r}",
            hint=f"did you mean `holdfast help {guess}`?"
            if guess
            else "`holdfast help --all` lists the commands",
        )
    return ExitStatus.SUCCESS


_STANDINGS: Final = {
    Standing.ALIVE: "A link that answers.",
    Standing.SUSPECT: "A link that failed and is not confirmed dead.",
    Standing.DEAD: "A link that failed, and further looks confirmed it.",
    Standing.UNKNOWN: "A link of which nothing can be told: nobody asked, nobody may, or people only.",
}


def explained(word: str) -> list[str]:
    """The lines that explain it; none where the word is not known."""
    name = word.lstrip("-").lower().replace("-", "_")
    states = {state.value: state for state in LinkState}
    rules = {key: rule for rule in RULES.values() for key in (rule.code.lower(), rule.name.replace("-", "_"))}
    if name in _STANDINGS:
        return list(_of_standing(Standing(name)))
    if name in states:
        return list(_of_state(states[name], rules))
    if name in rules:
        return list(_of_rule(rules[name]))
    found = names_by_key().get(name.rpartition(".")[2], ())
    settings = [all_settings()[each] for each in found if each.endswith(name)]
    return [line for setting in settings for line in _of_setting(setting)]


def words_explained() -> list[str]:
    """All of these words."""
    return [*Standing, *(state.value for state in LinkState), *RULES, *names_by_key()]


def _of_standing(standing: Standing) -> Iterator[str]:
    yield f"{standing.value}: {_STANDINGS[standing]}"
    if standing is Standing.DEAD:
        for confirm in (Confirm.SECOND_LOOK, Confirm.REPEATED):
            yield f"{confirm.value}: {', '.join(state for state in LinkState if state.confirm is confirm)}"
    else:
        yield f"The states: {', '.join(state for state in LinkState if state.standing is standing)}"


def _of_state(state: LinkState, rules: dict[str, ReportRule]) -> Iterator[str]:
    yield f"{state.value}: {state.sentence}"
    later = "" if state.confirm is Confirm.NEVER else f", and dead {state.confirm.value}"
    yield f"A link in this state is {state.standing.value}{later}."
    if state.code:
        yield ""
        yield from _of_rule(rules[state.code.lower()])


def _of_rule(rule: ReportRule) -> Iterator[str]:
    yield f"{rule.code} {rule.name}: {rule.sentence}"
    yield ""
    yield rule.meaning
    yield ""
    yield rule.remedy


def _of_setting(setting: Setting) -> Iterator[str]:
    yield f"{setting.name}: {setting.help}"
    if setting.choices:
        yield f"One of {', '.join(setting.choices)}."
    where = f"{setting.key}, in [{setting.of}]" if setting.of else setting.key
    yield f"In holdfast.toml: {where}. In the environment: {setting.env}. As a flag: {setting.flag}."
    yield "`holdfast config` shows its value, and where that came from."


_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([a-z0-9-]+)['"]""")
_MARKER = re.compile(r"""(python_version|sys_platform)\s*(<|>=|==|!=)\s*['"]([^'"]+)['"]""")
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_FOR_DEVELOPERS = {"bench", "browser", "dev", "docs", "fuzz"}


def about() -> Iterator[str]:
    """The lines, one a fact."""
    yield f"holdfast {__version__}"
    yield f"Python   {platform.python_version()} ({platform.python_implementation()}, {platform.system()})"
    yield f"SQLite   {jobs.extras.sqlite_version() or 'not installed'}"
    yield f"reader   {jobs.extras.page_reader()}"
    asked = asked_by_extra(requires("holdfast") or (), sys.version_info[:2], sys.platform)
    for extra, packages in sorted(asked.items()):
        missing = [package for package in packages if _installed(package) is None]
        state = f"missing {', '.join(missing)}: pip install 'holdfast[{extra}]'" if missing else "installed"
        yield f"[{extra}]".ljust(11) + state


def asked_by_extra(lines: Iterable[str], python: tuple[int, ...], system: str) -> dict[str, list[str]]:
    """What each extra asks for on such a Python and system, by the names of packages."""
    asked: dict[str, list[str]] = {}
    own = metadata("holdfast")["Name"]
    here = {"python_version": python, "sys_platform": system}
    for line in lines:
        package, extra = _NAME.match(line), _EXTRA.search(line)
        if not package or not extra or package[0] == own or extra[1] in _FOR_DEVELOPERS:
            continue
        packages = asked.setdefault(extra[1], [])
        if all(_COMPARED[how](here[name], _value(name, text)) for name, how, text in _MARKER.findall(line)):
            packages.append(package[0])
    return asked


def _value(name: str, text: str) -> object:
    return tuple(map(int, text.split("."))) if name == "python_version" else text


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
