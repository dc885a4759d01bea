"""Ctrl-C ends the program with status 130 and in words, whenever it comes: it is raised at chosen places."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spec("STA-2")

WHILE_IMPORTED = """
class Interrupting:
    def find_spec(self, name, *_):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
INSIDE = """
import {module} as place
there = place.{name}
def interrupted(*args, **named):
    signal.raise_signal(signal.SIGINT)
    return there(*args, **named)
place.{name} = interrupted
"""
MOMENTS = {
    "the first module of the program": WHILE_IMPORTED.format(name="holdfast.faces.cli.main"),
    "a module in the middle": WHILE_IMPORTED.format(name="holdfast.core.base.errors"),
    "the command's own module": WHILE_IMPORTED.format(name="holdfast.faces.cli.canon"),
    "before the command": INSIDE.format(module="holdfast.faces.cli.main", name="use_whole_output"),
    "the command's words are read": INSIDE.format(module="holdfast.faces.cli.main", name="build_parser"),
    "said twice": INSIDE.format(module="holdfast.faces.cli.main", name="build_parser")
    + INSIDE.format(module="holdfast.faces.cli.main", name="note"),
    "a callback at the end": """
import atexit
import holdfast.faces.cli.main as place
place.use_whole_output = lambda: atexit.register(signal.raise_signal, signal.SIGINT)
""",
    "an object goes": """
class Going:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
import holdfast.faces.cli.main as place
place.use_whole_output = lambda: (Going(), None)[1]
""",
    "a class is made of fields": """
class Field:
    def __set_name__(self, *_):
        signal.raise_signal(signal.SIGINT)
def reading(*_):
    type("Made", (), {"field": Field()})
import holdfast.faces.cli.main as place
place.build_parser = reading
""",
    "a thread is waited for": """
import threading, time
def late():
    threading.main_thread().join()
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    time.sleep(30)
threading.Thread(target=late).start()
""",
}
PROGRAM = """
import signal, sys
{moment}
import runpy
sys.argv = ["holdfast", "url", "canon", "https://a.example/"]
runpy.run_module("holdfast", run_name="__main__")
"""


def run(code, **how):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, **how
    )


@pytest.mark.parametrize("moment", MOMENTS)
def test_it_ends_with_130_and_no_traceback(moment):
    done = run(PROGRAM.format(moment=MOMENTS[moment]))

    assert (done.returncode, "Traceback" in done.stderr, "Exception" in done.stderr) == (130, False, False)
    assert "error: interrupted" in done.stderr


@pytest.mark.parametrize(
    "before", ["", "signal.signal(signal.SIGINT, signal.SIG_IGN)"], ids=["the status stands", "it is ignored"]
)
def test_where_there_is_nothing_to_end_it_changes_nothing(before):
    """What is registered before all else is done after all else."""
    after_all = "import atexit; atexit.register(signal.raise_signal, signal.SIGINT)"
    done = run(PROGRAM.format(moment=f"{before}\n{after_all}"))

    assert (done.returncode, done.stdout, done.stderr) == (0, "https://a.example/\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["--version", "--verbose"],
        ["mirror", "--help"],
        ["config"],
        ["nope", "--json"],
    ],
    ids=" ".join,
)
def test_whoever_reads_no_more_is_no_error(words, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "holdfast", *words]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path, text=True, check=False
    )
    os.close(writer)

    assert done.returncode == (2 if words[0] == "nope" else 0)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
