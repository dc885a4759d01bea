"""Completion in bash, zsh and fish: each shell itself is asked what it offers (`make shells` brings them)."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.faces.cli.completion import common_flags, flags_of
from holdfast.faces.cli.parser import COMMANDS

EMPTY_THE_LINE = "\x15"
OFFERED = {
    "holdfast mir": "mirror",
    "holdfast mirror --upd": "--update",
    "holdfast mirror --convert-links lo": "local",
    "holdfast mirror --convert-links=lo": "local",
    "holdfast check --wiki": "--wiki-links",
    "holdfast store ba": "backup",
    "holdfast store mig": "migrate",
    "holdfast store prune --orp": "--orphans",
    "holdfast config imp": "import",
    "holdfast help comp": "completion",
    "holdfast -q mir": "mirror",
    "holdfast -C docs --color=never config imp": "import",
    "holdfast store --col": "--color",
    "holdfast mirror --color ne": "never",
    "holdfast --trus": "--trust",
    "holdfast log docs --since la": "last",
    "holdfast show docs --at yes": "yesterday",
}
NOT_OFFERED = (
    "holdfast",
    "holdfast store reprocess",
    "holdfast log docs --since",
    "holdfast mirror http://e.org/ --max-pages",
    "holdfast cluster jobs",
    "holdfast search",
    "holdfast --color",
)
FILES_OFFERED = (
    "holdfast -C",
    "holdfast config --store",
    "holdfast check",
    "holdfast log",
    "holdfast export -o",
)


@pytest.fixture
def script(holdfast, request):
    """The script of the shell that the test names."""
    return holdfast("completion", request.param).out


def needs(shell):
    """A test in that shell, with its script."""

    def wrapped(test):
        skipped = pytest.mark.skipif(shutil.which(shell) is None, reason=f"`make shells` brings {shell}")
        return skipped(pytest.mark.parametrize("script", [shell], indirect=True)(test))

    return wrapped


@pytest.mark.parametrize("script", ["bash", "zsh", "fish"], indirect=True)
def test_a_script_knows_every_command_and_flag(script):
    for command in COMMANDS:
        assert all(word in script for word in command.split())
        for flag in (*flags_of(command), *common_flags()):
            assert all(name.lstrip("-") in script for name in flag.names)


@needs("bash")
def test_bash_completes(script):
    for line, expected in OFFERED.items():
        words = line.replace("=", " = ").split()  # as bash parts a line
        asked = (
            f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _holdfast; echo ${{COMPREPLY[@]}}"
        )
        ran = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
        assert expected in ran.stdout.split(), line


@needs("bash")
def test_no_file_is_offered_where_none_belongs(script, tmp_path):
    for name in (".git", ".holdfast", "notes"):
        (tmp_path / name).mkdir()
    lines = [(line, False) for line in NOT_OFFERED] + [(line, True) for line in FILES_OFFERED]
    for line, is_offered in lines:
        words = [*line.split(), "''"]
        asked = (
            f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _holdfast; echo ${{COMPREPLY[@]}}"
        )
        ran = subprocess.run(
            ["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert ("notes" in ran.stdout.split()) is is_offered, line
        assert is_offered or ".git" not in ran.stdout, line


@needs("fish")
def test_fish_completes(script, tmp_path):
    (tmp_path / "holdfast.fish").write_text(script, encoding="utf-8")
    asked = "; ".join(f"echo '= {line}'; complete -C '{line}'" for line in OFFERED)
    ran = subprocess.run(
        ["fish", "--no-config", "-c", f"source {tmp_path}/holdfast.fish; {asked}"],
        capture_output=True, text=True, check=True, env=os.environ | {"HOME": str(tmp_path)},
    )  # fmt: skip
    assert ran.stderr == ""
    answers = dict(answer.split("\n", 1) for answer in ran.stdout.removeprefix("= ").split("\n= "))
    for line, expected in OFFERED.items():
        assert expected in answers[line].split("\t")[0].split("=")[-1], line


class Terminal:
    """zsh as somebody sits before it, which alone completes there."""

    def __init__(self, folder: Path) -> None:
        self._screen, inner = pty.openpty()
        own = os.environ | {"HOME": str(folder), "TERM": "dumb"}
        command = ["zsh", "-f", "-i"]
        self._child = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=own, start_new_session=True
        )
        os.close(inner)

    def type(self, keys: str, until: str) -> str:
        """What the screen shows up to there, or until nothing came for some seconds."""
        os.write(self._screen, keys.encode())
        shown = ""
        while until not in shown and select.select([self._screen], [], [], 10)[0]:
            shown += os.read(self._screen, 4096).decode(errors="replace")
        return shown

    def close(self) -> None:
        os.close(self._screen)
        self._child.kill()
        self._child.wait()


@needs("zsh")
def test_zsh_completes(script, tmp_path):
    (tmp_path / "_holdfast").write_text(script, encoding="utf-8")
    terminal = Terminal(tmp_path)
    try:
        begin = f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -D -u; PS1=; echo rea''dy\n"
        terminal.type(begin, "ready")
        for line, expected in OFFERED.items():
            whole = line[: line.rindex(" ") + 1] + ("--convert-links=" if "links=" in line else "") + expected
            assert whole in terminal.type(f"{EMPTY_THE_LINE}{line}\t", whole), line
    finally:
        terminal.close()
