"""What the program says: the plain term first, plurals right, no internals, hints that help."""

import re
import ssl

import pytest

from helpers.sites.server import Site, page
from holdfast.adapters.ports import Event
from holdfast.core.base.figures import counted
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.updates import Fate, Happening, UpdateReport
from holdfast.core.lineage.lineage import RunTally
from holdfast.faces.cli.bars import Bar
from holdfast.faces.cli.parser import COMMANDS, build_parser
from holdfast.jobs.mirror.summary import Summary, SummaryCounts, SummaryRemarks, hints, report_lines
from holdfast.questions.log.runs import counts_in_words


@pytest.mark.parametrize(
    ("count", "thing", "words"),
    [(0, "page", "no pages"), (1, "page", "1 page"), (2, "page", "2 pages"), (2, "address", "2 addresses")],
)
def test_things_are_counted_as_people_count_them(count, thing, words):
    assert counted(count, thing) == words


class Screen:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return False


@pytest.mark.parametrize(("found", "words"), [(1, "found 1 URL"), (2, "found 2 URLs")])
def test_one_url_that_was_found_is_one(found, words):
    screen = Screen()
    Bar(screen).notice(Event("discovered", (("found", found),)))
    assert words in re.split("[\r\n\x1b]", screen.text.replace("[K", "")) or screen.text.endswith(words)


def test_runs_show_no_notes_of_the_program_to_itself(holdfast, tmp_path):
    with Site({"/": page("Home", links=["/gone"])}).serve() as origin:
        holdfast("mirror", f"{origin}/", "-o", "m", "--content-rate-limit", "0")
    shown = holdfast("log", "--runs", "--store", "m/.holdfast")
    assert "1 page, 1 failed" in shown.out
    assert not re.search("discovered|follow|quiet|processed|update", shown.out)


def test_a_run_that_came_to_nothing_has_a_dash():
    refused = {"pages": 1, "refused": 3, "refused: robots": 2, "refused: address": 1, "skipped": 1}
    assert counts_in_words(refused) == "1 page, 3 refused (2 robots, 1 address), 1 skipped"
    assert counts_in_words(RunTally.of({"quiet": 1, "pages": 0}).counts) == "-"
    assert counts_in_words({"pages": 2, "duplicate": 2, "image": 1}) == "2 pages, 2 duplicates, 1 image"
    assert (
        counts_in_words(RunTally.of({"pages": 2, "page": 2, "failed": 1, "bot_blocked": 3}).counts)
        == "2 pages, 1 failed, 3 bot blocked"
    )


def test_a_mirror_of_which_everything_failed_is_not_called_nothing_new(holdfast):
    with Site({}).serve() as origin:
        ran = holdfast("mirror", f"{origin}/", "-o", "m")
    assert "everything failed, no page" in ran.err
    assert "nothing new" not in ran.err


@pytest.mark.parametrize(
    ("pages", "outcomes", "words"),
    [
        (1, {"page": 1}, "finished: 1 page in m"),
        (0, {"unchanged": 3}, "finished: nothing new in m"),
        (0, {"unchanged": 3, "failed": 1}, "finished: nothing new, 1 failed in m"),
        (0, {"failed": 2}, "finished: everything failed, no page in m"),
    ],
)
def test_the_first_line_says_what_a_mirror_came_to(pages, outcomes, words):
    summary = Summary(
        "r", Ending.FINISHED, False, pages, 3, 3, 1.0, SummaryCounts(outcomes), SummaryRemarks()
    )
    assert next(report_lines(summary, "m")).startswith(words)


@pytest.mark.parametrize(
    ("resumed", "first"),
    [
        (True, "finished: 218 pages in m, 55 of them before this start (0:03)"),
        (False, "finished: 218 pages in m (0:03, 73.0 URLs/s)"),
    ],
)
def test_what_a_mirror_that_goes_on_counts_adds_up(resumed, first):
    counts = SummaryCounts({"page": 163, "failed": 1}, changes={"new": 163})
    summary = Summary("r", Ending.FINISHED, resumed, 218, 219, 219, 3.0, counts, SummaryRemarks())
    assert list(report_lines(summary, "m"))[:2] == [first, "  content: 163 new"]


def test_an_update_tells_each_thing_once():
    dead = "https://e.org/dead"
    update = UpdateReport(
        (
            Happening("https://e.org/", Fate.UNCHANGED, "304"),
            Happening(dead, Fate.FAILED, "404"),
        )
    )
    counts = SummaryCounts({"page": 1, "failed": 1, "image": 2}, changes={"unchanged": 1})
    troubles = (f"failed: {dead}: 404", "not written: a/index.md: Permission denied")
    summary = Summary(
        "r", Ending.FINISHED, False, 1, 2, 2, 1.0, counts, SummaryRemarks(troubles=troubles), update=update
    )
    assert list(report_lines(summary, "m"))[1:] == [
        "  unchanged: 304        1",
        "  failed                1",
        f"  failed: 404  {dead}",
        "  others: 2 images",
        "  not written: a/index.md: Permission denied",
    ]


@pytest.mark.parametrize(
    ("pages", "outcomes", "update", "is_said"),
    [
        (0, {"already done": 3}, None, True),
        (1, {"already done": 3, "page": 1}, None, False),
        (0, {"already done": 3, "failed": 1}, None, False),
        (0, {"already done": 3}, UpdateReport(()), False),
    ],
)
def test_a_mirror_that_is_complete_says_how_to_ask_for_what_changed(pages, outcomes, update, is_said):
    counts = SummaryCounts(outcomes)
    summary = Summary("r", Ending.FINISHED, False, pages, 3, 3, 1.0, counts, SummaryRemarks(), update=update)
    assert any("--update" in hint for hint in hints(summary, "holdfast")) is is_said


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 page looks like an error page"), (2, "2 pages look like error pages")],
)
def test_a_warning_agrees_with_its_number(count, words):
    summary = Summary(
        "r",
        Ending.FINISHED,
        False,
        2,
        2,
        2,
        1.0,
        SummaryCounts(warnings={"soft_404": count}),
        SummaryRemarks(),
    )
    assert f"  warning: {words}" in list(report_lines(summary, "m"))


@pytest.mark.parametrize("name", ["x", "mirror", "mirror.", "x.y", "."])
def test_a_job_that_is_misnamed_is_an_error_in_words(holdfast, name):
    ran = holdfast("config", "--job", name)
    assert ran.status == 2
    assert ran.err.startswith("error: ")
    assert "hint: " in ran.err


def test_a_misnamed_job_is_answered_with_those_that_there_are(holdfast, tmp_path):
    (tmp_path / "holdfast.toml").write_text('[mirror.handbook]\nsource = "https://h.example/"\n')
    assert "mirror.handbook" in holdfast("config", "--job", "handbook").err


def test_the_first_track_tells_which_manifests_it_wrote_and_how_to_do_without(holdfast, tmp_path):
    (tmp_path / "a.md").write_text("[x](https://x.example/)\n")
    first, second = holdfast("check", "."), holdfast("check", ".")
    assert "wrote 1 manifest beside the documents, for review: .url-manifest.toml" in first.err
    assert "--manifest-format none" in first.err
    assert "wrote" not in second.err
    (tmp_path / "a.md").write_text("[y](https://y.example/)\n")
    assert "wrote" not in holdfast("check", ".", "--manifest-format", "none").err


@pytest.mark.parametrize("command", ["probe", "mirror"])
def test_a_certificate_that_is_not_trusted_hints_at_ca_file(holdfast, command, stranger):
    words = ("url", "probe", stranger) if command == "probe" else ("mirror", stranger, "-o", "m")
    assert "--ca-file names" in holdfast(*words).err


@pytest.fixture
def stranger(tmp_path):
    """A site on loopback whose certificate is signed by nobody known."""
    import socket  # noqa: PLC0415
    import threading  # noqa: PLC0415

    import trustme  # noqa: PLC0415

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.2)
    over = threading.Event()

    def serve():
        while not over.is_set():
            try:
                peer, _ = listening.accept()
            except TimeoutError:
                continue
            try:
                with peer, context.wrap_socket(peer, server_side=True):
                    pass
            except OSError:
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"https://127.0.0.1:{listening.getsockname()[1]}/"
    over.set()
    thread.join()
    listening.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_speaks_plainly(command):
    text = build_parser(command).format_help()
    assert not re.search(r"\b(is|are|was|were) no (?!longer|more)[a-z]+", text), text
    assert not re.search(r"\b1 [a-z]+s\b", text)
