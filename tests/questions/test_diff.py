"""`diff`: pages, sections, mirrors, runs; each way to name the two moments; what is refused; the forms."""

import csv
import io

import pytest

from holdfast.core.base.hashing import url_key
from holdfast.core.page.section import SectionChange
from holdfast.core.targets.bound import EVERYTHING, NOTHING, Bound, BoundKind
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.questions.log.diff import diff
from holdfast.questions.log.page_as_of import up_to
from holdfast.questions.log.timeline import RUN_PLACES
from questions.equal_facts import ORIGIN
from questions.world import PAGE, day, html

pytestmark = pytest.mark.spec("LIN-9")
SECOND = f"{ORIGIN}/guide/2/"
FILE = "docs/127.0.0.1+47811/guide/2/index.md"
FIRST, MIDDLE, LAST = "b551e9eb2a2f", "53e03c3f914c", "2c2226219c79"


@pytest.fixture
def ask(faces, holdfast):
    return lambda *words: holdfast("diff", *words)


def numbers(ran):
    (part,) = ran.json["parts"]
    return [tuple(side and side["number"] for side in (page["old"], page["new"])) for page in part["pages"]]


@pytest.mark.parametrize(
    ("moments", "versions"),
    [
        ([], (2, 3)), (["v1"], (1, 3)), (["v1", "v2"], (1, 2)), (["v2", "v1"], (2, 1)),
        (["2026-05-05"], (1, 3)),
        (["2026-05-05", "2026-05-12"], (1, 2)), ([FIRST, MIDDLE], (1, 2)), ([MIDDLE], (1, 2)),
        (["last"], (3, 3)),
        (["2020-01-01"], (None, 3)), (["--since", "2026-05-11"], (1, 3)), (["--since", LAST], (2, 3)),
        (["--since", "2026-05-11", "--until", "2026-05-12"], (1, 2)),
        (["--since", "v2", "--until", "v2"], (1, 2)),
        (["0d"], (3, 3)),
    ],
)  # fmt: skip
def test_each_way_to_name_two_moments_compares_what_stood_at_their_ends(ask, moments, versions):
    assert numbers(ask(FILE, *moments, "--json")) == [versions]


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("docs", "v1"), "only pages have versions", "git:v1"),
        ((FILE, "v9"), "the page has no version 9", "v1 to v3"),
        ((FILE, "v1", "--since", "v1"), "not both", "holdfast diff TARGET v1"),
        ((FILE, "--until", "v1"), "needs --since", "--since M --until v1"),
        ((MIDDLE, "v1"), "a run takes no further moment", "holdfast diff MIRROR A B"),
        ((FILE, "feed"), "is no moment", "git:feed"),
        (("notes.md",), "documents have no kept versions", "git diff"),
        (("127.0.0.1:47811",), "takes one page, mirror or run", "holdfast log"),
        ((), "TARGET is missing", "holdfast diff MIRROR"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_call_that_is_right(ask, words, message, hint):
    refused = ask(*words)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert hint in refused.err


def test_the_newer_moment_alone_is_refused(faces):
    code, said = faces.ask("api", f"diff?target={SECOND}&new=v2")
    assert (code, said["error"]) == (400, "the older moment is missing")


def test_what_is_not_kept_ends_1_and_says_what_is(ask):
    assert "nothing is known of" in ask(f"{ORIGIN}/never/").err
    early = ask(FILE, "2019-01-01", "2020-01-01")
    assert (early.status, "the first version is of 2026-05-04" in early.err) == (1, True)


def test_only_with_exit_code_is_a_difference_a_1(ask):
    assert [ask(FILE, *flags).status for flags in ((), ("--exit-code",))] == [0, 1]
    assert [ask(FILE, "0d", *flags).status for flags in ((), ("--exit-code",))] == [0, 0]
    assert ask("docs", "--since", FIRST, "--exit-code").status == 1
    assert ask("docs", "0d", "--exit-code").status == 0


def test_a_section_is_compared_alone(ask):
    (page,) = ask(f"{SECOND}#use", "v1", "v2", "--json").json["parts"][0]["pages"]
    assert (page["anchor"], page["added"], page["removed"]) == ("use", 1, 1)
    assert [one["anchor"] for one in (*page["sections"], *page["touched"])] == ["use", "use"]
    unchanged = ask(f"{SECOND}#next", "v1", "v2", "--exit-code", "--store", ".")
    assert (unchanged.status, unchanged.out) == (0, "")
    assert "it has: top, use" in ask(f"{SECOND}#never", "v1", "v2", "--store", ".").err


def test_a_mirror_is_its_pages_between_two_moments(ask):
    (part,) = ask("docs", FIRST, MIDDLE, "--json").json["parts"]
    (run,) = ask(MIDDLE, "--json").json["parts"]
    assert (part["mirror"], part["run"], part["unchanged"]) == ("docs", None, None)
    assert run["run"]["run_id"].startswith(MIDDLE)
    changed = {page["url"]: page["change"] for page in part["pages"]}
    assert {page["url"]: page["change"] for page in run["pages"]}.items() <= changed.items()
    assert {url.removeprefix(ORIGIN) for url, change in changed.items() if change == "gone"} == {
        "/going",
        "/guide/7",
    }
    assert list(changed) == sorted(changed)
    assert (
        ask("docs", MIDDLE, "--json").json["parts"]
        == ask("docs", "--since", MIDDLE, "--until", MIDDLE, "--json").json["parts"]
    )


def test_without_a_moment_it_is_the_latest_change_and_last_alone_is_what_that_run_brought(ask):
    latest, last = (ask("docs", *words, "--json").json["parts"] for words in ((), ("last",)))
    assert latest == last
    assert [page["url"] for page in latest[0]["pages"]]
    alone = ask("last", "--json").json["parts"]
    assert {part["store"] for part in alone} == {".", "own"}
    assert all(part["run"] for part in alone)


def test_the_words_of_a_mirror_name_what_came_with_its_sections_and_lines(ask):
    lines = ask("docs", FIRST, MIDDLE).lines
    assert lines[0] == "docs"
    assert lines[1].endswith(" gone.")
    assert "+Guide number 2 tells of ballast of another kind." in lines
    assert ["changed", "#use", "Guide", "2", "›", "Use"] in [line.split() for line in lines]


def test_rows_are_sections_below_their_pages(ask):
    rows = list(csv.DictReader(io.StringIO(ask("docs", FIRST, MIDDLE, "--format", "csv").out)))
    assert {"store", "url", "change", "section", "section_change", "titles"} == set(rows[0])
    of_page = [row for row in rows if row["url"] == SECOND.rstrip("/")]
    assert [(row["section"].partition("#")[2], row["section_change"]) for row in of_page] == [
        ("top", "changed"),
        ("use", "changed"),
    ]


def test_how_old_the_answer_is_is_said(ask):
    assert "as last seen" in ask(FILE).err


def test_an_agent_gets_the_pages_of_a_mirror(faces):
    state, said = faces.ask("agents", ("diff", {"target": "docs", "old": FIRST, "new": MIDDLE}))
    assert (state, said["more"]) == ("ok", False)
    assert {"url", "title", "change", "sections"} == set(said["pages"][0])


def run_in(world, name, number, *pages):
    world.begin(name * 64, number)
    for url, words in pages:
        world.see(name * 64, url, number, html(words))
    world.end(name * 64, number + 0.5)


def of_mirror(world, left, right=EVERYTHING):
    found = world.reader.ask(diff, target=CommandTarget(TargetKind.MIRROR, "docs"), old=left, new=right)
    return [(page.url.rpartition("/")[2], page.change) for page in found.pages]


def after(run):
    return Bound(BoundKind.UP_TO, (run + 1) * RUN_PLACES - 1)


@pytest.mark.spec("LIN-10")
def test_a_mirror_is_compared_by_the_order_of_its_runs_and_not_by_clocks(world):
    run_in(world, "a", 5, (PAGE, "First."))
    run_in(world, "b", 2, (PAGE, "Second."))  # its clock was set back
    assert of_mirror(world, after(0), after(1)) == [("page", SectionChange.CHANGED)]
    assert of_mirror(world, NOTHING, after(0)) == [("page", SectionChange.NEW)]
    assert of_mirror(world, after(1)) == []


def test_a_page_that_left_and_came_back_as_it_was_is_no_difference(world):
    other = "https://example.com/other"
    run_in(world, "a", 0, (PAGE, "First."), (other, "Other."))
    run_in(world, "b", 1, (PAGE, "First."))
    world.ledger.pages.mark_gone("docs", [url_key(other)], day(1.2))
    assert of_mirror(world, after(0), after(1)) == [("other", SectionChange.GONE)]
    assert of_mirror(world, up_to(day(0.6))) == [("other", SectionChange.GONE)]
    run_in(world, "c", 2, (other, "Other."))
    world.ledger.pages.mark_gone("docs", [url_key(other)], None)
    assert of_mirror(world, after(0)) == []
    assert of_mirror(world, after(1)) == [("other", SectionChange.NEW)]


def test_a_page_whose_copies_are_gone_is_told_without_its_lines(world):
    run_in(world, "a", 0, (PAGE, "First."))
    run_in(world, "b", 1, (PAGE, "Second."))
    world.archive = type(world.archive)()
    found = world.reader.ask(diff, target=CommandTarget(TargetKind.MIRROR, "docs"), old=after(0))
    (page,) = found.pages
    assert (page.change, page.readable, page.hunks) == (SectionChange.CHANGED, False, ())
