"""`holdfast watch` through the command line: jobs that are due, documents that change."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

WATCH = [sys.executable, "-m", "holdfast", "watch"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "holdfast.toml").write_text('[track.notes]\npaths = ["."]\nevery = "6h"\n')
    (tmp_path / "notes.md").write_text("[a](nowhere.md)\n")
    return tmp_path


def once(folder):
    return subprocess.run([*WATCH, "--once"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.spec("TRK-10")
def test_once_runs_what_is_due_and_not_again_before_its_time(folder):
    first = once(folder)
    assert first.returncode == 0, first.stderr
    assert "track.notes: begins" in first.stderr
    assert "next: track.notes at 20" in first.stderr
    second = once(folder)
    assert "begins" not in second.stderr
    assert "next: track.notes" in second.stderr
    book = folder / ".holdfast" / "schedule.json"
    runs = json.loads(book.read_text())
    runs["jobs"]["track.notes"]["ended"] = None
    book.write_text(json.dumps(runs))
    assert "track.notes: begins" in once(folder).stderr, "what was cut off goes on"


@pytest.mark.spec("TRK-10")
def test_a_job_that_fails_is_told_and_is_due_again_at_its_time(folder):
    (folder / "holdfast.toml").write_text('[mirror.none]\noutput = "m"\nevery = "1h"\n')
    done = once(folder)
    assert done.returncode == 3
    assert "mirror.none: failed with status 2" in done.stderr
    assert "begins" not in once(folder).stderr


@pytest.mark.spec("TRK-10")
@pytest.mark.parametrize("line", ['every = "soon"', 'jitter = "5m"', 'every = "1h"\nquiet = "22-6"'])
def test_a_schedule_that_cannot_be_read_names_its_place(folder, line):
    (folder / "holdfast.toml").write_text(f'[track.notes]\npaths = ["."]\n{line}\n')
    done = once(folder)
    assert done.returncode == 2
    assert "[track.notes]" in done.stderr


@pytest.mark.spec("TRK-10")
def test_problems_are_told_as_they_come_and_go(folder):
    (folder / "holdfast.toml").write_text("")
    with subprocess.Popen(WATCH, cwd=folder, stdout=subprocess.PIPE, text=True) as watching:
        try:
            assert watching.stdout.readline().startswith("+ notes.md:1: HF050")
            (folder / "notes.md").write_text("new line\n\n[a](nowhere.md) [b](gone.md)\n")
            assert watching.stdout.readline().startswith("+ notes.md:3: HF050 gone.md")
            (folder / "gone.md").write_text("here\n")
            assert watching.stdout.readline().startswith("- notes.md:3: HF050 gone.md")
        finally:
            watching.terminate()


@pytest.mark.spec("TRK-10")
def test_one_watcher_at_a_time(folder):
    with subprocess.Popen(WATCH, cwd=folder, stdout=subprocess.PIPE, text=True) as watching:
        try:
            watching.stdout.readline()
            done = once(folder)
            assert done.returncode == 4
            assert "in use" in done.stderr
        finally:
            watching.terminate()


@pytest.mark.spec("TRK-10")
def test_a_unit_and_a_line_for_cron_are_printed(folder):
    done = subprocess.run([*WATCH, "--print-unit"], cwd=folder, capture_output=True, text=True, check=True)
    assert f"WorkingDirectory={folder}" in done.stdout
    assert "watch --once" in done.stdout
