"""`holdfast sync --watch` and `--due` through the command line: jobs that are due, documents that change."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from helpers.sinks import WebhookSink
from helpers.sites.living import LivingSite
from helpers.trusting import trust

SYNC = [sys.executable, "-m", "holdfast", "sync"]
WATCH = [*SYNC, "--watch"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "holdfast.toml").write_text('[check.notes]\npaths = ["."]\nevery = "6h"\n')
    (tmp_path / "notes.md").write_text("[a](nowhere.md)\n")
    return tmp_path


def once(folder):
    return subprocess.run([*SYNC, "--due"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.spec("TRK-10")
def test_once_runs_what_is_due_and_not_again_before_its_time(folder):
    first = once(folder)
    assert first.returncode == 0, first.stderr
    assert "check.notes: begins" in first.stderr
    assert "next: check.notes at 20" in first.stderr
    second = once(folder)
    assert "begins" not in second.stderr
    assert "next: check.notes" in second.stderr
    book = folder / ".holdfast" / "schedule.json"
    runs = json.loads(book.read_text())
    runs["jobs"]["check.notes"]["ended"] = None
    book.write_text(json.dumps(runs))
    assert "check.notes: begins" in once(folder).stderr, "what was cut off goes on"


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
    (folder / "holdfast.toml").write_text(f'[check.notes]\npaths = ["."]\n{line}\n')
    done = once(folder)
    assert done.returncode == 2
    assert "[check.notes]" in done.stderr


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
@pytest.mark.parametrize(
    ("flags", "asked"),
    [([], "no URL is asked (--fetch-urls asks them)"), (["--fetch-urls"], "new and due URLs are asked")],
)
def test_a_watcher_says_what_it_watches_and_whether_it_asks(tmp_path, flags, asked):
    with subprocess.Popen([*WATCH, *flags], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as watching:
        try:
            assert watching.stderr.readline() == f"watching .; {asked}; Ctrl-C ends it\n"
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
    done = subprocess.run([*SYNC, "--print-unit"], cwd=folder, capture_output=True, text=True, check=True)
    assert f"WorkingDirectory={folder}" in done.stdout
    assert "sync --due" in done.stdout


def lines_until(watching, wanted):
    """Lines of a watcher up to one that has these words."""
    seen = []
    for line in watching.stdout:
        seen.append(line)
        if wanted in line:
            return seen
    raise AssertionError(f"never said: {wanted}; said: {seen}")


@pytest.mark.spec("TRK-10")
def test_with_consent_what_is_new_is_asked_in_the_background_once(folder):
    (folder / "holdfast.toml").write_text("allow_private = true\ncontent_rate_limit = 0\n")
    trust(folder)
    with LivingSite() as site:
        site.put("/there", "Words")
        (folder / "notes.md").write_text(f"[a](nowhere.md)\n\n[b]({site.origin}/gone)\n")
        with subprocess.Popen(
            [*WATCH, "--fetch-urls"], cwd=folder, stdout=subprocess.PIPE, text=True
        ) as watching:
            try:
                assert watching.stdout.readline().startswith("+ notes.md:1: HF050"), "by what is known, first"
                lines_until(watching, "+ notes.md:3: HF001")
                asked = [each.path for each in site.asked]
                text = (folder / "notes.md").read_text()
                (folder / "notes.md").write_text(f"{text}\n[c]({site.origin}/there) [d](missing.md)\n")
                lines_until(watching, "missing.md")
                (folder / "more.md").write_text(f"[e]({site.origin}/lost)\n")
                lines_until(watching, "+ more.md:1: HF001")
            finally:
                watching.terminate()
        assert asked == ["/gone"]
        assert sorted(each.path for each in site.asked) == ["/gone", "/lost", "/there"], (
            "each once: what failed rests before it is asked again"
        )


@pytest.mark.spec("TRK-10")
def test_without_consent_no_socket_is_opened(folder):
    (folder / "holdfast.toml").write_text("allow_private = true\n")
    trust(folder)
    with LivingSite() as site:
        (folder / "notes.md").write_text(f"[a](nowhere.md) [b]({site.origin}/gone)\n")
        with subprocess.Popen(WATCH, cwd=folder, stdout=subprocess.PIPE, text=True) as watching:
            try:
                watching.stdout.readline()
                (folder / "notes.md").write_text("[c](other.md)\n")
                lines_until(watching, "other.md")
            finally:
                watching.terminate()
        assert site.asked == []


@pytest.mark.spec("TRK-10")
def test_a_service_that_is_stopped_ends_in_order_and_its_job_with_it(folder):
    with LivingSite() as site:
        for number in range(50):
            site.put(f"/{number}", f"Page {number}")
        (folder / "holdfast.toml").write_text(
            f'processes = 1\ncontent_rate_limit = 2\n[mirror.docs]\nsource = "{site.origin}/"\nevery = "6h"\n'
        )
        trust(folder)
        with subprocess.Popen(
            WATCH, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as watching:
            for line in watching.stderr:
                if "docs: begins" in line:
                    break
            while not site.asked:
                pass
            watching.send_signal(signal.SIGTERM)
            watching.stderr.read()
            assert watching.wait(60) == 130
        again = subprocess.run(
            [sys.executable, "-m", "holdfast", "log", "--runs", "--json"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        (run,) = json.loads(again.stdout)["parts"][0]["runs"]
        assert run["status"] == "interrupted", "nobody holds the folder, and the run can go on"
    runs = json.loads((folder / ".holdfast" / "schedule.json").read_text())["jobs"]["mirror.docs"]
    assert runs["ended"] is None, "it is due at once when the watcher starts again"


@pytest.mark.spec("TRK-10")
def test_once_sends_what_waits(folder):
    with WebhookSink() as sink, LivingSite() as site:
        (folder / "notes.md").write_text(f"[b]({site.origin}/gone)\n")
        (folder / "holdfast.toml").write_text(
            "allow_private = true\nfetch_external_urls = true\nconfirm = true\n"
            '[check.notes]\npaths = ["."]\nevery = "6h"\n'
            f'[notify.team]\nwebhook = "{sink.url}"\nallow_private = true\n'
        )
        trust(folder)
        assert once(folder).returncode == 0
        assert [event["kind"] for event in sink.events] == ["died"]


@pytest.mark.spec("TRK-10")
def test_a_unit_names_a_folder_with_odd_letters(tmp_path):
    odd = tmp_path / "my 100% docs"
    odd.mkdir()
    done = subprocess.run([*SYNC, "--print-unit"], cwd=odd, capture_output=True, text=True, check=True)
    assert "my 100%% docs\n" in done.stdout, "systemd reads % as its own"
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("# */15")]
    assert "my 100\\% docs'" in line, "and so does cron"
