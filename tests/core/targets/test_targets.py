"""What a text in a target's place means: the vectors of `tests/vectors/surface/targets.json`."""

import json
from pathlib import Path

import pytest

from helpers.target_worlds import World
from holdfast.core.targets.command_target import CommandTarget, TargetKind, TargetTold
from holdfast.core.targets.target import read_target, wanted
from holdfast.core.targets.target_refusals import TargetRefusal

pytestmark = pytest.mark.spec("CLI-2")

VECTORS = Path(__file__).parents[2] / "vectors" / "surface" / "targets.json"
CASES = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


def read(case):
    world = World(case["world"])
    text = world.typed(case["text"])
    return read_target(text, world.look(text))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']!r}: {case['why']}")
def test_a_text_means_what_its_vector_says(case):
    expect = case["expect"]
    found = read(case)

    if "kind" in expect:
        assert isinstance(found, CommandTarget), found
        assert (found.kind.value, found.value or None) == (expect["kind"], expect["value"])
        assert (found.form and found.form.value) == expect.get("form")
        assert (found.told and found.told.value) == expect.get("told")
        return
    assert isinstance(found, TargetRefusal), found
    assert found.fault.value == (expect.get("error") or f"missing_{expect['missing']}")
    assert list(found.readings) == expect.get("readings", [])
    assert expect.get("hint", "") in (found.hint or "")
    for reading in found.readings:
        assert reading in found.message + found.hint
    assert (found.message + (found.hint or "")).isprintable()


def at(text, **world):
    here = World(world)
    return read_target(text, here.look(text))


@pytest.mark.parametrize(
    "pattern",
    [
        "https://example.com/*?utm_source=mail",
        "https://example.com/*?utm_*=x",
        "https://example.com/guide/*/",
        "https://example.com/guide//*",
        "https://example.com/*?b=1&a=2",
    ],
)
def test_no_step_of_a_policy_makes_a_pattern_wider(pattern):
    """`forget` takes patterns: without its query or its last slash this one would take what nobody named."""
    assert at(pattern) == CommandTarget(TargetKind.PATTERN, pattern)


def test_a_star_that_parsing_takes_away_makes_no_pattern():
    assert at("https://*:*@example.com/a").kind is TargetKind.PAGE
    assert at("https://example.com/*/../a") == CommandTarget(TargetKind.PAGE, "https://example.com/a")


def test_what_was_typed_is_shown_without_user_and_password():
    for text in ("https://user:secret@", "https:/user:secret@example.com/a", "//user:secret@example.com/a"):
        found = at(text)
        assert "secret" not in found.message + found.hint, text


def test_a_word_of_many_ids_is_answered_by_the_first_of_them_and_their_number():
    runs = [f"deadbeef{number:08x}" for number in range(50)]
    found = at("deadbeef", runs=runs)
    assert found.readings == tuple(f"run:{run}" for run in runs)
    assert "50 things" in found.message
    assert "and 40 more" in found.message
    assert found.message.count("run:") == 10


def test_a_reading_says_what_it_is():
    found = at(
        "docs",
        paths={"docs": {"mirror": "old"}, "site": {"mirror": "docs"}},
        names={"mirrors": {"old": "docs", "docs": "site"}, "checks": {"docs": ["text"]}},
    )
    assert "./docs (the mirror old), mirror:docs (the mirror docs), check:docs (a check)" in found.message


def test_a_check_that_is_its_folder_is_a_reading_beside_no_other_and_leaves_the_path_alone():
    """`./notes` stays a folder: what is kept below it is reached by it, whatever is checked there."""
    world = {"paths": {"notes": "folder", "text": "folder"}}
    world |= {"names": {"checks": {"notes": ["notes"], "prose": ["text"]}}}
    assert at("notes", **world).form.value == "check"
    assert at("./notes", **world).form.value == "folder"
    assert at("text", **world).form.value == "folder"


def test_a_check_of_a_mirrors_folder_hides_no_mirror():
    world = {
        "paths": {"docs": {"mirror": "old"}},
        "names": {"mirrors": {"old": "docs"}, "checks": {"docs": ["docs"]}},
    }
    assert at("docs", **world).readings == ("./docs", "check:docs")


def test_everything_told_has_its_sentence():
    assert TargetTold.CREDENTIALS.sentence.startswith("User and password")
    assert TargetTold.NO_FILE.sentence.startswith("No such file")


def test_an_address_in_brackets_is_a_host_and_no_glob():
    for text in ("[::1]", "[::1]:8000", "[2001:DB8::1]"):
        assert at(text).kind is TargetKind.HOST, text
    assert at("[ab].md", paths={"a.md": "document"}).fault.value == "missing_path"


def test_a_port_goes_up_to_65535():
    assert at("localhost:65535").kind is TargetKind.HOST
    assert at("localhost:65536").fault.value == "bad_host"


def test_what_is_behind_host_and_no_host_names_what_it_may_be():
    assert at("host:http://example.com:8080/a").hint == "host:example.com:8080"
    assert at("host:*.example.com").hint.startswith("*.example.com ")
    assert at("host:a b").hint.startswith("a host is a name")


def test_a_hint_says_one_thing_once():
    assert at("guide.md", hosts=["guide.md"]).hint == "write host:guide.md"
    assert at("team/docs", names={"mirrors": {"team/docs": "site"}}).hint == "write mirror:team/docs"


def test_a_mail_address_names_its_host_and_other_words_with_an_at_sign_none():
    assert at("me@example.com").hint == "a host is written host:example.com"
    for text in ("me@notes", "@example.com", "notes@", "me@home.md/"):
        assert "host:" not in at(text).hint, text


def test_no_more_is_looked_up_than_a_text_can_mean():
    assert wanted("https://example.com/a") == wanted(None) == wanted(" ") == wanted("a\0b")
    assert wanted("https://example.com/*").urls == ("https://example.com/*",)
    assert wanted("#a").paths == ("#a",)
    assert wanted("mirror:docs").paths == ("mirror:docs", "docs")
    assert wanted("notes/*.md").paths == ("notes/*.md", "notes")
    assert [wanted(text).ids for text in ("abc", "run:abc", "abcd", "deadbeef", "docs")] == [
        "",
        "abc",
        "abcd",
        "deadbeef",
        "",
    ]
    assert [wanted(text).globs for text in ("a.md", "*.md")] == [(), ("*.md",)]
    assert [wanted(text).hosts for text in ("Example.com", "a b", "example.com/")] == [
        ("example.com",),
        (),
        ("example.com",),
    ]
