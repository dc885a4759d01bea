"""The probe itself: its normal form, its comparison, its tables, and a few calls over a small store."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest

import holdfast as library
from probe import clock, http_calls, stdio_calls
from probe.answers import (
    IN_ARCHIVES,
    REPLACEMENTS,
    differences,
    normal,
    read_recording,
    read_renames,
    renamed,
    write_recording,
)
from probe.commands import CALLS, Call, read_calls
from probe.recording import bench, of_command
from probe.store import STEPS
from probe.world import can_be_apart

CHECKOUT = Path(__file__).parents[2]
COMMANDS = tuple(read_calls((CALLS / "cli.toml").read_text()))
SMALL = (
    Call("small/verify", ("verify docs",)),
    Call("small/changes", ("log docs --json",)),
    Call("small/usage", ("brokne",)),
    Call("small/damage", ("verify docs",), before="echo more >> docs/_index.md"),
    Call("small/writes", ("restore docs --output then --quiet --json",)),
)
ONCE = {"x": "one broken link\n", "y": "same\n"}


@pytest.mark.parametrize("each", [*REPLACEMENTS, *IN_ARCHIVES], ids=lambda each: each.by)
def test_a_replacement_has_a_reason(each):
    assert len(each.reason.split()) > 4


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("in /tmp/hf-probe-ab12cd_9/home/x", "in {probe}/home/x"),
        ("http://127.0.0.1:40123/?token=x", "http://127.0.0.1:{port}/?token=x"),
        ("http://127.0.0.1:47811/guide/2/", "http://127.0.0.1:47811/guide/2/"),
        ("16 pages in docs (0:01, 27.2 URLs/s)", "16 pages in docs ({duration}, {pace} URLs/s)"),
        ('{"pages": 10, "seconds": 0.129}', '{"pages": 10, "seconds": {duration}}'),
        ('{"pid": 12, "command": "x"}', '{"pid": {pid}, "command": "x"}'),
        ("Summary(\n  total=10,\n  seconds=0.208,", "Summary(\n  total=10,\n  seconds={duration},"),
        (f'name="secret" value="{"0a" * 32}">', 'name="secret" value="{secret}">'),
    ],
)
def test_what_cannot_be_the_same_twice_is_replaced_and_nothing_else(said, told):
    assert normal(said) == told


def test_an_archive_is_compared_without_when_documents_were_written():
    row = '[4,"notes.md","bid:8f","",598,{written},1777892400000000]'
    one, other = (row.replace("{written}", str(1795119375108272416 + each)) for each in (0, 1))

    assert normal(one, IN_ARCHIVES) == normal(other, IN_ARCHIVES) == row
    assert normal("WARC-Date: 2026-05-04T10:00:00Z", IN_ARCHIVES) == "WARC-Date: 2026-05-04T10:00:00Z"


def test_a_planted_difference_is_found_and_shown():
    found = differences(ONCE, {**ONCE, "x": "one broken lnik\n"})

    assert len(found) == 1
    assert "-one broken link" in found[0]
    assert "+one broken lnik" in found[0]


def test_an_answer_that_only_one_side_has_is_a_difference():
    assert differences(ONCE, {"x": ONCE["x"]}) == ["only in the first: y"]
    assert differences({"x": ONCE["x"]}, ONCE) == ["only in the second: y"]


def test_the_same_facts_under_new_names_are_equal_once_the_table_is_applied():
    table = read_renames(
        "# old, new, rule\nbroken\tlinks\tone word\nbroken --json\tlinks --only dead\tone word\n"
    )

    assert differences({"a": "$ broken --json"}, {"a": "$ links --only dead"}, table) == []
    assert renamed("broken unbroken broken-link broken", table) == "links unbroken broken-link links"


def test_a_name_without_a_rule_is_refused():
    with pytest.raises(ValueError, match="needed"):
        read_renames("broken\tlinks\n")
    with pytest.raises(ValueError, match="twice"):
        read_renames("a\tb\tr\na\tc\tr\n")


@pytest.mark.parametrize("name", ["folder", "file.tar.xz"])
def test_a_recording_is_read_as_it_was_written(tmp_path, name):
    recording = {"cli/a/b.txt": "日本\nbytes \udcff\n", "z.txt": ""}
    write_recording(recording, tmp_path / name)

    assert read_recording(tmp_path / name) == recording


def test_the_same_recording_is_the_same_file(tmp_path):
    for name in ("1.tar.xz", "2.tar.xz"):
        write_recording(ONCE, tmp_path / name)

    assert (tmp_path / "1.tar.xz").read_bytes() == (tmp_path / "2.tar.xz").read_bytes()


def test_the_command_compares_with_a_status(tmp_path):
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        write_recording({"t": text}, tmp_path / name)
    words = [sys.executable, CHECKOUT / "tests" / "probe", "compare", tmp_path / "a"]

    assert subprocess.run([*words, tmp_path / "b"], check=False, capture_output=True).returncode == 0
    assert subprocess.run([*words, tmp_path / "c"], check=False, capture_output=True).returncode == 1


def test_a_call_has_a_name_of_its_own():
    assert len({call.name for call in COMMANDS}) == len(COMMANDS)


def test_every_command_is_asked_in_more_than_one_way(holdfast):
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\w", holdfast("help", "--all").out, re.MULTILINE)
    calls = [f"{words} " for call in COMMANDS for words in call.runs]
    asked = {name: sum(words.startswith(f"{name} ") for words in calls) for name in listed}
    beside = {"serve", "mcp", "lsp"}  # talked to, in http.toml, agents.toml and editor.toml

    assert len(listed) > 30
    assert [name for name in listed if asked[name] < 2 and name not in beside] == []


def test_every_public_function_is_asked():
    asked = (CALLS / "library.toml").read_text()
    functions = [name for name in library.__all__ if type(getattr(library, name)).__name__ == "function"]

    assert len(functions) > 40
    assert [name for name in functions if f".{name}(" not in asked and name != "open_reader"] == []


needs_a_bench = pytest.mark.skipif(
    clock.compiler() is None or shutil.which("unshare") is None or not can_be_apart(),
    reason="the probe needs a C compiler and mounts of its own",
)


@pytest.fixture(scope="module")
def its_turn(tmp_path_factory):
    """The site has one port, and the suite's processes have one network."""
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path_factory.getbasetemp().parent / "probe.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def recorded(its_turn):
    """A store of one mirror, made and asked twice: both recordings, and the bench of the second."""
    found = []
    for _ in range(2):
        with bench(CHECKOUT, STEPS[:2]) as (asked, made):
            recorders = [partial(of_command, call) for call in SMALL]
            found.append(made | {name: text for each in recorders for name, text in asked.ask(each).items()})
            if len(found) == 2:
                yield found, asked


@needs_a_bench
def test_a_store_that_is_made_twice_is_the_same_and_so_are_its_answers(recorded):
    (first, second), _ = recorded

    assert differences(first, second) == []


@needs_a_bench
def test_an_answer_tells_status_both_outputs_and_what_was_written(recorded):
    said = recorded[0][1]

    counted = r"1 archive file, 53 records, 24 captures, [\d.]+ kB"  # how small is the compressor's matter
    agrees = rf"\$ holdfast verify docs\n= 0\n--- stderr\n{counted}\ndocs: everything agrees\n"
    assert re.fullmatch(agrees, said["cli/small/verify.txt"])
    assert said["cli/small/usage.txt"].startswith("$ holdfast brokne\n= 2\n--- stderr\n")
    assert "= 1\n--- stdout\n" in said["cli/small/damage.txt"]
    assert "--- file new: then/127.0.0.1+47811/api/index.md\n# API\n" in said["cli/small/writes.txt"]
    assert '"at": "2026-05-04T10:00:00Z"' in said["cli/small/changes.txt"]


@needs_a_bench
def test_every_path_of_the_published_api_is_asked(recorded):
    asked = tomllib.loads((CALLS / "http.toml").read_text())["served"]
    calls = [each if isinstance(each, str) else each["path"] for each in asked["api"].values()]
    only = {"serves": asked["serves"].replace(" own", ""), "api": {"openapi": "/api/v1/openapi.json"}}
    found = recorded[1].ask(partial(http_calls.of_one_server, "small", only))
    published = json.loads(found["http/small/api/openapi.txt"].partition("\n\n")[2])["paths"]

    def is_asked(path):
        pattern = re.sub(r"\{\w+\}", "[^/?]+", path)
        return any(re.fullmatch(pattern + r"(\?.*)?", call, re.DOTALL) for call in calls)

    assert len(published) > 20
    assert [path for path in published if not is_asked(path)] == []


@needs_a_bench
def test_every_tool_of_agents_is_asked(recorded):
    asked = tomllib.loads((CALLS / "agents.toml").read_text())
    used = {call.get("tool") for entry in asked.values() for call in entry["calls"].values()}
    only = {"words": "mcp . --allow-actions", "calls": {"tools": {"method": "tools/list"}}}
    found = recorded[1].ask(partial(stdio_calls.of_agents, "small", only))["mcp/small/tools.txt"]
    told = json.JSONDecoder().raw_decode(found, found.index("\n{") + 1)[0]
    names = {tool["name"] for tool in told["result"]["tools"]}

    assert len(names) >= 10
    assert names - used == set()
