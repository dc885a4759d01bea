"""`holdfast verify`: all stores, one mirror, a folder; `--repair` shows, asks, and writes in one store."""

import asyncio
import io
import shutil

import pytest

import holdfast as library
from helpers.sites.living import LivingSite


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two mirrors in one store, and a third one beside them with a store of its own."""
    root = tmp_path_factory.mktemp("whole")
    with LivingSite() as site:
        site.put("/a", "First words", links=["/b"])
        site.put("/b", "Steady", links=["/a"])
        for name in ("one/one", "one/two", "three/docs"):
            store = {} if name == "three/docs" else {"store": str(root / "one" / ".holdfast")}
            library.mirror(site.origin + "/", output=root / name, content_rate_limit=0, processes=1, **store)
    return root


@pytest.fixture
def root(whole, tmp_path, holdfast):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path


def archive_of(root, store="one"):
    return next((root / store / ".holdfast" / "archive").glob("*.warc.gz"))


def damage(path):
    data = path.read_bytes()
    third = len(data) // 3
    path.write_bytes(data[:third] + bytes(third) + data[2 * third :])


def files(root):
    return {path: path.read_bytes() for path in root.rglob("*.gz")}


@pytest.fixture
def answers(monkeypatch):
    """What a person types, at a terminal."""

    def type_in(text):
        stream = io.StringIO(text + "\n")
        stream.isatty = lambda: True
        monkeypatch.setattr("sys.stdin", stream)

    return type_in


def test_without_a_target_all_stores_here_are_checked_with_all_of_their_mirrors(root, holdfast):
    done = holdfast("verify", "--json", "--processes", 1)
    parts = {part["store"]: part for part in done.json["parts"]}
    assert done.status == 0, done.err
    assert {name: part["mirrors"] for name, part in parts.items()} == {
        "one": ["one", "two"],
        "three/docs": ["."],
    }
    assert all(part["agrees"] and part["files"] == 1 and part["records"] for part in parts.values())


def test_a_flag_that_is_a_setting_holds_in_every_store(root, holdfast):
    """None of them was made with that bound, so none answers."""
    done = holdfast("verify", "--json", "--max-page-bytes", 10, "--processes", 1)
    assert done.status == 4
    assert "was made with" in done.json["error"]
    assert "parts" not in done.json


def test_a_mirror_is_checked_alone_and_a_folder_means_all_stores_in_it(root, holdfast):
    for name in ("one/one", "one/two", "three/docs"):
        next((root / name).rglob("b/index.md")).unlink()
    done = holdfast("verify", "one/two", "--json", "--processes", 1)
    (part,) = done.json["parts"]
    assert (done.status, part["mirrors"]) == (1, ["two"])
    assert [(each["mirror"], each["what"]) for each in part["differences"]] == [
        ("two", "the page is missing")
    ]
    for folder, stores in (("three", ["three/docs"]), (".", ["one", "three/docs"]), ("one", ["one"])):
        done = holdfast("verify", folder, "--json", "--processes", 1)
        assert [part["store"] for part in done.json["parts"]] == stores
        assert done.status == 1
    said = holdfast("verify", "one", "--processes", 1)
    assert "one: " in said.out
    assert "two: " in said.out


def test_a_mirror_elsewhere_is_found_by_its_path(root, holdfast, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert holdfast("verify", root / "one" / "two", "--processes", 1).status == 0
    assert library.verify(root / "one" / "two", processes=1).parts[0].value.mirrors == ("two",)


@pytest.mark.parametrize("call", ["nowhere", "empty", "one/notes", "https://example.com/", "one/two/a.md"])
def test_what_is_no_mirror_and_has_no_store_is_a_wrong_call(root, holdfast, call):
    (root / "empty").mkdir()
    (root / "one" / "notes").mkdir()
    assert holdfast("verify", call).status == 2


def test_a_mirror_whose_folder_is_gone_is_passed_over_and_said(root, holdfast):
    shutil.rmtree(root / "one" / "two")
    done = holdfast("verify", "one", "--json", "--processes", 1)
    assert (done.status, done.json["parts"][0]["absent"]) == (0, ["two"])
    assert "`holdfast restore two`" in holdfast("verify", "one", "--processes", 1).err
    named = holdfast("verify", "one/two", "--processes", 1)
    assert named.status == 1
    assert "folder is not there" in named.out


def test_a_dry_run_of_a_repair_says_what_is_lost_and_changes_nothing(root, holdfast):
    damage(archive_of(root))
    before = files(root)
    done = holdfast("verify", "one", "--repair", "-n", "--json", "--processes", 1)
    repair = done.json["parts"][0]["repair"]
    assert done.status == 1
    assert (repair["is_done"], repair["lost"] > 0) == (False, True)
    assert len(repair["urls"]) <= repair["lost"]
    assert repair["damaged"] == [archive_of(root).name]
    assert "would be lost: " in holdfast("verify", "one", "--repair", "-n", "--processes", 1).out
    assert files(root) == before


def test_a_repair_that_nobody_agreed_to_changes_nothing(root, holdfast, answers):
    damage(archive_of(root))
    before = files(root)
    for words in (["--json"], []):
        done = holdfast("verify", "one", "--repair", *words, "--processes", 1)
        assert done.status == 4
        assert "--yes" in done.err
    answers("no")
    assert holdfast("verify", "one", "--repair", "--processes", 1).status == 4
    answers("y")
    assert holdfast("verify", "one", "--repair", "--processes", 1).status == 4
    assert files(root) == before


@pytest.mark.parametrize("how", ["yes", "typed", "library"])
def test_a_repair_that_was_agreed_to_notes_what_is_lost_and_says_what_is_left(root, holdfast, answers, how):
    damage(path := archive_of(root))
    damaged = path.read_bytes()
    if how == "library":
        (part,) = library.verify("one", repair=True, processes=1).parts
        assert part.value.repair.is_done
    else:
        answers("yes")
        words = ["--yes"] if how == "yes" else []
        done = holdfast("verify", "one", "--repair", *words, "--processes", 1)
        assert done.status == 0, done.out
        assert "lost: " in done.out
    assert (path.parent / "orphans" / path.name).read_bytes() == damaged
    after = holdfast("verify", "one", "--json", "--processes", 1).json["parts"][0]
    assert (after["agrees"], after["lost"] > 0, after["repair"]) == (True, True, None)


def test_what_a_repair_does_not_mend_is_a_difference_as_before(root, holdfast):
    damage(archive_of(root))
    page = next((root / "one" / "two").rglob("b/index.md"))
    page.write_text("altered")
    done = holdfast("verify", "one", "--repair", "--yes", "--json", "--processes", 1)
    (part,) = done.json["parts"]
    assert (done.status, part["repair"]["is_done"]) == (1, True)
    assert page.relative_to(root / "one" / "two").as_posix() in [
        each["where"] for each in part["differences"]
    ]


def test_a_whole_archive_asks_nothing_and_is_not_written(root, holdfast):
    before = files(root)
    done = holdfast("verify", "one", "--repair", "--json", "--processes", 1)
    assert (done.status, done.json["parts"][0]["repair"]["lost"]) == (0, 0)
    assert files(root) == before


def test_a_repair_of_several_stores_writes_nothing_and_names_one_call_each(root, holdfast):
    damage(archive_of(root))
    damage(archive_of(root, "three/docs"))
    before = files(root)
    done = holdfast("verify", "--repair", "--yes", "--processes", 1)
    assert done.status == 2
    assert "holdfast verify --store one" in done.err
    assert "holdfast verify --store three/docs" in done.err
    assert files(root) == before
    assert holdfast("verify", "--repair", "-n", "--processes", 1).status == 1
    assert holdfast("verify", "--repair", "--yes", "--store", "one", "--processes", 1).status == 0


def test_nothing_is_repaired_after_a_look_that_met_its_bound(root, holdfast, monkeypatch):
    monkeypatch.chdir(root / "one")
    damage(archive_of(root))
    found = __import__("holdfast.jobs.row_runner", fromlist=["x"])
    look = found.stores_to_ask
    monkeypatch.setattr(
        found, "stores_to_ask", lambda *given, **named: look(*given, **named)._replace(met_bound=True)
    )
    done = holdfast("verify", "--repair", "--yes", "--processes", 1)
    assert done.status == 2
    assert "may be more" in done.err


def test_a_damaged_ledger_is_named_and_does_not_keep_the_other_stores_from_it(root, holdfast):
    (root / "one" / ".holdfast" / "ledger.db").write_bytes(b"no database at all" * 1000)
    done = holdfast("verify", "--json", "--processes", 1)
    assert done.status == 3
    assert [part["store"] for part in done.json["parts"]] == ["three/docs"]
    assert done.json["failed"][0]["store"] == "one"


def test_verify_works_where_an_event_loop_runs_and_as_a_coroutine(root):
    async def both():
        return library.verify("one", processes=1), await library.aio.verify("one", processes=1)

    plain, awaited = asyncio.run(both())
    assert plain == awaited
    assert library.to_json(plain)["schema"] == "holdfast.verify/1"
