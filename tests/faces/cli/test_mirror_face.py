"""What a person sees of a mirror, and the same as a library call."""

import io
import json
import subprocess
import sys

import pytest

import holdfast
from helpers.sites.command import mirror, pages_of
from helpers.sites.server import Reply, Site, page
from holdfast.adapters.ports import Event
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import duration
from holdfast.core.crawl.decision import Ending
from holdfast.core.mirror.checkpoint import Progress
from holdfast.faces.cli.bars import bar_line, watcher
from holdfast.jobs.mirror.summary import (
    Summary,
    SummaryCounts,
    SummaryRemarks,
    exit_status,
    hints,
    report_lines,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def summary(**facts):
    plain = {
        "run_id": "r", "status": "finished", "resumed": False, "pages": 1, "processed": 1, "total": 1,
        "seconds": 1.0,
    }  # fmt: skip
    counts = {
        name: facts.pop(name) for name in ("outcomes", "refused", "warnings", "changes") if name in facts
    }
    remarks = {name: facts.pop(name) for name in ("abort", "troubles", "is_quiet") if name in facts}
    counts = SummaryCounts(**({"outcomes": {"page": 1}} | counts))
    given = plain | facts
    given["status"] = Ending(given["status"])
    return Summary(**given, counts=counts, remarks=SummaryRemarks(**remarks))


@pytest.mark.spec("MIR-9")
def test_the_bar_shows_rate_outcomes_and_time_left():
    progress = Progress(processed=50, total=200, fresh=50, elapsed=25.0)
    line = bar_line(progress, {"failed": 2, "page": 48}, "https://e.com/a", 120)
    assert line == "█████░░░░░░░░░░░░░░░ 50/200 · 2.0/s · 2 failed · 1:15 left · https://e.com/a"
    assert len(bar_line(progress, {}, "https://e.com/" + "x" * 300, 100)) == 100


@pytest.mark.spec("MIR-9")
def test_on_a_terminal_the_bar_is_drawn_and_warnings_stay_above_it(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    screen = Terminal()
    with watcher(quiet=False, stream=screen) as watching:
        watching.notice(Event("processing", (("number", 1), ("total", 2), ("url", "https://e.com/"))))
        watching.notice(Event("warning", (("text", "odd"),)))
        facts = (("progress", Progress(1, 2, 1, 1.0)), ("outcomes", {}))
        watching.notice(Event("processed", facts))
    text = screen.getvalue()
    assert "odd\n" in text
    assert "https://e.com/" in text
    assert text.endswith("\r\033[K")
    assert "Processing:" not in text


def test_quiet_shows_warnings_alone():
    screen = io.StringIO()
    with watcher(quiet=True, stream=screen) as watching:
        watching.notice(Event("processing", (("number", 1), ("total", 2), ("url", "u"))))
        watching.notice(Event("warning", (("text", "odd"),)))
    assert screen.getvalue() == "warning: odd\n"


def test_durations():
    assert [duration(s) for s in (0, 7, 750, 11100)] == ["0:00", "0:07", "12:30", "3:05:00"]


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({}, ExitStatus.SUCCESS),
        ({"outcomes": {"failed": 1}}, ExitStatus.FINDINGS),
        ({"outcomes": {"not written": 1}}, ExitStatus.FINDINGS),
        ({"pages": 0, "outcomes": {"failed": 1}}, ExitStatus.FAILED),
        ({"pages": 0, "outcomes": {"failed": 1}, "resumed": True}, ExitStatus.FINDINGS),
        ({"pages": 0, "outcomes": {}}, ExitStatus.FINDINGS),
        ({"pages": 0, "outcomes": {"already done": 9}}, ExitStatus.SUCCESS),
        ({"status": "aborted", "outcomes": {"failed": 1}}, ExitStatus.FAILED),
        ({"status": "no_space"}, ExitStatus.NO_SPACE),
        ({"status": "interrupted"}, ExitStatus.INTERRUPTED),
        ({"status": "max_pages"}, ExitStatus.SUCCESS),
    ],
)
def test_exit_statuses(facts, status):
    assert exit_status(summary(**facts)) is status


@pytest.mark.spec("TXT-6")
def test_pages_that_are_no_content_are_named_in_the_summary(tmp_path):
    lines = list(report_lines(summary(warnings={"empty_shell": 2}), tmp_path))
    assert lines[-1] == "  warning: 2 pages look like empty JavaScript shells"
    assert any("JavaScript" in hint for hint in hints(summary(warnings={"empty_shell": 2}), "holdfast"))


@pytest.mark.spec("TXT-6", "PATH-9")
def test_an_empty_shell_is_flagged_in_sidecar_manifest_and_summary(tmp_path):
    shell = b'<html><head><title>App</title></head><body><div id="root"></div><script src="/a.js"></script>'
    with Site({"/": Reply(shell)}).serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
    assert "looks like an empty JavaScript shell" in done.err
    assert '"empty_shell"' in (tmp_path / "_manifest.json").read_text()
    assert '"empty_shell"' in next(tmp_path.rglob("index.json")).read_text()


@pytest.mark.spec("PATH-9")
@pytest.mark.parametrize("mode", ["none", "front-matter"])
def test_sidecars_can_be_left_out_or_put_at_the_head_of_the_page(tmp_path, mode):
    with Site({"/": page("Home")}).serve() as origin:
        mirror(f"{origin}/", tmp_path, "--discover", "links", "--sidecar", mode)
    assert not list(tmp_path.rglob("index.json"))
    [text] = pages_of(tmp_path).values()
    assert text.startswith("---\nurl_hash: ") is (mode == "front-matter")


@pytest.mark.spec("PATH-5")
def test_the_hash_layout_and_a_change_of_layout(tmp_path):
    with Site({"/": page("Home")}).serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--layout", "hash").status == 0
        [name] = pages_of(tmp_path)
        assert len(name.rpartition("/")[2]) == 16 + len(".md")
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--layout", "tree")
        assert done.status == 4
        assert "this mirror has the layout hash, not tree" in done.err
        assert "leave out --layout" in done.err
        assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--update").status == 0
        assert list(pages_of(tmp_path)) == [name]


def test_the_library_call_is_the_commands_twin(tmp_path):
    site = Site({"/": page("Home", links=["/a"]), "/a": page("A")})
    with site.serve() as origin:
        settings = {"content_rate_limit": 0, "discover": "links", "processes": 1}
        made = holdfast.mirror(f"{origin}/", output=tmp_path, **settings)
        assert (made.status, made.pages) == ("finished", 2)
        with pytest.raises(UsageError, match="there is no setting 'max_page'") as caught:
            holdfast.mirror(f"{origin}/", output=tmp_path, max_page=3)
        assert "max_pages" in caught.value.hint


def test_importing_the_library_imports_no_parser():
    heavy = "('aiohttp', 'lxml', 'apsw', 'selectolax')"
    code = f"import sys, holdfast; print([name for name in sys.modules if name in {heavy}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("reason", ["redirected out of scope", "robots"])
def test_one_refused_page_of_a_mirror_that_has_others_is_not_called_its_start(reason):
    refused = {"refused": {reason: 1}, "pages": 0}
    assert len(list(hints(summary(outcomes={"refused": 1}, **refused), "holdfast"))) == 1
    for there in ("already done", "unchanged"):
        assert list(hints(summary(outcomes={there: 5, "refused": 1}, **refused), "holdfast")) == []


@pytest.mark.spec("MIR-13")
def test_who_asks_for_many_pages_is_asked_to_say_so():
    many = summary(pages=500)
    assert any("--contact" in hint for hint in hints(many, "holdfast"))
    assert not any("--contact" in hint for hint in hints(many, "holdfast", "me@example.org"))
    assert not any("--contact" in hint for hint in hints(summary(pages=20), "holdfast"))


@pytest.mark.spec("TXT-7")
def test_pages_over_the_limit_are_named_and_are_not_counted_among_what_is_no_page(tmp_path):
    site = Site({"/": page("Home", links=["/large", "/a.pdf", "/data.json"])})
    site.answers["/large"] = page("Large", text="words " * 1_000)
    site.answers["/a.pdf"] = Reply(b"%PDF-1.7" + b"x" * 9_000, type="application/pdf")
    site.answers["/data.json"] = Reply(b"[" + b" " * 9_000 + b"]", type="application/json")
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--max-page-bytes", "2000", "--json")
        again = mirror(f"{origin}/", tmp_path, "--max-page-bytes", "2000", "--update")
    summary = json.loads(done.out)

    said = f"1 page is larger than max_page_bytes (2 kB): {origin}/large; --max-page-bytes raises it"
    assert [line for line in done.err.splitlines() if "max_page_bytes" in line] == [f"  warning: {said}"]
    assert said in again.err
    assert (summary["outcomes"], done.status) == ({"page": 1, "skipped": 2, "too large": 1}, 0)
    assert (summary["too_large"], summary["max_page_bytes"]) == ([f"{origin}/large"], 2_000)


@pytest.mark.spec("TXT-7")
def test_many_pages_over_the_limit_are_counted_and_the_first_few_named(tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.core.crawl.state._LARGE_PAGES", 4)
    names = [f"/large{n}" for n in range(5)]
    site = Site({"/": page("Home", links=names)} | {name: page("x", text="word " * 900) for name in names})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path / "a", "--max-page-bytes", "2000")
        told = mirror(f"{origin}/", tmp_path / "b", "--max-page-bytes", "2000", "--json")

    assert len(json.loads(told.out)["too_large"]) == 4
    assert "5 pages are larger than max_page_bytes (2 kB): " in done.err
    assert f"{origin}/large2 and 2 more; --max-page-bytes raises it" in done.err
