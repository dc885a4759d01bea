"""`status`: in an empty folder, of mirrors, of documents; what cannot be read; what to do next."""

import shutil

import pytest

import holdfast as library
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.lineage import Job
from holdfast.core.links.link_state import LinkState
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.faces.cli.parser import COMMANDS
from holdfast.jobs.name_tables import call_of_today
from holdfast.questions.kept_here import status as status_row
from questions.equal_facts import ORIGIN
from questions.world import PAGE, day, html

pytestmark = pytest.mark.spec("CLI-2")
OTHER = "https://example.com/other"


@pytest.fixture
def status(faces, holdfast):
    return lambda *words: holdfast("status", *words)


@pytest.fixture
def copied(frozen, tmp_path, monkeypatch, holdfast):
    """A copy of the shared root that a test may damage."""
    shutil.copytree(frozen, tmp_path / "world")
    monkeypatch.chdir(tmp_path / "world")
    return tmp_path / "world"


def documents(form, value):
    return CommandTarget(TargetKind.DOCUMENTS, value, form)


def test_in_an_empty_folder_nothing_is_kept_and_the_first_calls_are_named(holdfast):
    told = holdfast("status")
    assert (told.status, told.err) == (0, "")
    assert told.out.splitlines() == [
        "Nothing is kept here.",
        "  holdfast mirror URL -o docs       keep a site",
        "  holdfast check PATH --fetch-urls  see which links hold",
    ]
    said = holdfast("status", "--json").json
    assert (said["schema"], said["parts"], said["failed"]) == ("holdfast.status/1", [], [])
    assert library.status().parts == ()


def test_what_is_not_there_and_what_status_is_not_about_are_errors_in_an_empty_folder_too(holdfast):
    assert holdfast("status", "nowhere").status == 2
    page = holdfast("status", "https://a.example/x")
    assert (page.status, "holdfast log https://a.example/x" in page.err) == (2, True)


def test_mirrors_of_all_stores_stand_in_one_table_and_documents_before_them(status):
    told = status()
    lines = [line.split("  ") for line in told.out.splitlines()]
    assert told.status == 0
    assert lines[0][:2] == ["documents", "13, 28 cited URLs, checked " + lines[0][1].split("checked ")[1]]
    assert told.out.splitlines()[1] == "  dead 5  changed 3  moved 3  not asked 5"
    rows = [line.split() for line in told.out.splitlines()[2:6]]
    assert [row[0] for row in rows] == ["MIRROR", "docs", "handbook", "own"]
    assert rows[1][1:3] == [f"{ORIGIN}/", "18"]
    assert told.out.splitlines()[3].endswith("1 new, 2 changed, 4 failed")
    assert told.out.splitlines()[6].startswith("2 stores, ")


def test_mirrors_are_rows_of_a_table(status):
    head, first, *_ = status("--format", "csv").out.splitlines()
    assert head.startswith("store,mirror,source,pages,gone,new,changed,")
    assert first == f".,docs,{ORIGIN}/,18,1,1,2,0,4,2026-05-18T10:00:00Z"


def test_each_target_is_told_of_alone(status):
    def of(*words):
        (part,) = status(*words, "--json").json["parts"]
        known = part["documents"]
        return (
            [each["mirror"] for each in part["mirrors"]],
            known and known["documents"],
            part["bytes"] is None,
        )

    assert of("docs") == (["docs"], None, True)
    assert of("own") == (["."], None, True)
    assert of("notes.md") == ([], 1, True)
    assert of("papers") == ([], 6, True)
    assert of("check:papers") == ([], 6, True)
    assert of("p*.md") == ([], 1, True)
    assert "mirrors    none" not in status("notes.md").out
    whole = status(".", "--json").json["parts"]
    assert [len(part["mirrors"]) for part in whole] == [2, 1]


def test_urls_of_some_documents_are_counted_once_each(world):
    world.cite("a.md", PAGE, OTHER)
    world.cite("b/c.md", PAGE)
    world.judge(PAGE, LinkState.NOT_FOUND, failures=9)
    one = world.reader.ask(status_row, target=documents(DocumentsForm.FOLDER, "b"))
    both = world.reader.ask(status_row, target=documents(DocumentsForm.CHECK, "a.md\nb"))
    glob = world.reader.ask(status_row, target=documents(DocumentsForm.GLOB, "**/*.md"))
    assert (one.documents.documents, one.documents.urls, one.attention["dead"]) == (1, 1, 1)
    assert (both.documents.documents, both.documents.urls, both.documents.states) == (
        2, 2, {LinkState.NOT_FOUND: 1, LinkState.UNCHECKED: 1},
    )  # fmt: skip
    assert glob.documents.documents == 2
    assert world.reader.ask(status_row, target=documents(DocumentsForm.FILE, "z.md")).documents is None


def test_fail_on_ends_with_1_where_there_is_some_of_it_and_knows_its_kinds(status):
    assert [status("--fail-on", kinds).status for kinds in ("dead", "gone", "gone,failed", "suspect")] == [
        1, 0, 1, 0,
    ]  # fmt: skip
    wrong = status("--fail-on", "dead,ded")
    assert (wrong.status, "there are: dead, suspect" in wrong.err) == (2, True)
    assert status("handbook", "--fail-on", "failed").status == 0


def test_a_mirror_whose_folder_is_gone_is_shown_with_the_call_that_brings_it_back(copied, holdfast):
    shutil.rmtree(copied / "handbook")
    told = holdfast("status")
    (line,) = (line for line in told.out.splitlines() if line.startswith("handbook"))
    assert (told.status, line.endswith("its folder is gone")) == (0, True)
    assert "next: holdfast restore handbook, " in told.out


def test_a_store_that_cannot_be_read_is_shown_beside_the_others_and_alone(copied, holdfast):
    (copied / "own" / ".holdfast" / "ledger.db").write_bytes(b"no ledger" * 500)
    told = holdfast("status")
    assert told.status == 3
    assert "own: this store cannot be read: " in told.out
    assert "handbook" in told.out
    (failed,) = holdfast("status", "--json").json["failed"]
    assert (failed["store"], failed["exit_status"]) == ("own", 3)
    alone = holdfast("status", "--store", "own")
    assert (alone.status, "this store cannot be read" in alone.out) == (3, True)


def test_documents_that_were_edited_since_and_the_consent_that_holds_are_told(copied, holdfast):
    with (copied / "holdfast.toml").open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write("fetch_external_urls = true\n" + text)
    (copied / "notes.md").write_text("edited\n")
    told = holdfast("status", "--trust").out
    assert "(consent: holdfast.toml)" in told
    assert "  1 document edited since" in told
    assert "(consent of holdfast.toml is not trusted: holdfast config trust)" in holdfast("status").out
    assert "consent" not in holdfast("status", "--store", "own").out


def test_a_consent_by_a_flag_or_a_variable_is_named_so(copied, holdfast, monkeypatch):
    monkeypatch.setenv("HOLDFAST_FETCH_EXTERNAL_URLS", "1")
    assert "(consent: HOLDFAST_FETCH_EXTERNAL_URLS)" in holdfast("status").out


def test_a_run_that_nobody_goes_on_with_was_interrupted(world):
    world.begin("run-1", 0)
    world.see("run-1", PAGE, 0, html("words"))
    assert [each.last_run.status for each in world.reader.ask(status_row).mirrors] == ["interrupted"]
    world.is_idle = False
    assert [each.last_run.status for each in world.reader.ask(status_row).mirrors] == ["running"]


def test_what_the_last_run_found_gone_is_counted(world):
    world.begin("run-1", 0)
    world.see("run-1", PAGE, 0, html("words"))
    world.end("run-1", 0)
    world.begin("run-2", 1)
    world.ledger.pages.mark_gone("docs", [url_key(PAGE)], day(1.5))
    world.end("run-2", 2)
    found = world.reader.ask(status_row, fail_on="gone")
    assert (found.attention["gone"], found.failing) == (1, 1)


def test_the_next_calls_mend_first_and_then_bring_up_to_date(world):
    world.begin("run-1", 0)
    world.see("run-1", PAGE, 0, html("words"))
    world.cite("a.md", PAGE)
    world.judge(PAGE, LinkState.NOT_FOUND, failures=9)
    world.begin("run-2", 3, Job.TRACK)

    def calls():
        return [(each.call, each.mirror) for each in world.reader.ask(status_row).next_calls]

    assert calls() == [
        ("links --only dead", None),
        ("sync", "docs"),
        ("fix", None),
        ("log MIRROR --since last", "docs"),
    ]
    world.place.edited = frozenset(["a.md"])
    world.place.missing = frozenset(["docs"])
    assert calls() == [
        ("restore MIRROR", "docs"),
        ("links --only dead", None),
        ("fix", None),
        ("check", None),
    ]


def test_each_next_call_is_a_command_that_is_there():
    for call in ("restore MIRROR", "links --only dead", "sync", "fix", "log MIRROR", "check"):
        words = call_of_today(call).split()
        assert words[0] in COMMANDS or " ".join(words[:2]) in COMMANDS, call


def test_a_folder_with_a_space_is_quoted_in_a_call(copied, holdfast):
    (copied / "own").rename(copied / "my own")
    assert "-o 'my own' --update" in holdfast("status", "my own").out


def test_status_changes_nothing_on_disk(copied, holdfast):
    def files():
        return {
            path: path.stat().st_mtime_ns
            for path in copied.rglob("*")
            if path.is_file() and not path.name.endswith(("-wal", "-shm"))
        }

    before = files()
    assert holdfast("status").status == 0
    assert files() == before
