"""Targets: any text in any world is one thing or an error that spells each; what is spelt is read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from helpers.growth import is_linear
from helpers.target_worlds import World
from holdfast.core.base.shown_text import harmless, shown_typed
from holdfast.core.targets.command_target import CommandTarget, Here, TargetKind, spelt
from holdfast.core.targets.target import read_target, wanted
from holdfast.core.targets.target_refusals import MISSING, TargetFault, TargetRefusal

pytestmark = pytest.mark.spec("CLI-2")

WORDS = (
    "docs notes site a.md logo.png example.com d.example localhost deadbeef 20260504 last v2 *.md x*".split()
)
IDS = ["deadbeef00aa11bb", "deadbeef99cc88dd", "20260504aabbccdd", "feedbeef5566ff77"]
HOSTS = ["example.com", "d.example", "localhost", "docs", "a.md"]
PREFIXES = ["mirror:", "check:", "host:", "run:", "item:"]
DECORATIONS = [
    *PREFIXES,
    "./",
    "../",
    "~/",
    "/",
    "https://",
    "http://",
    "ftp://",
    "*.",
    "Mirror:",
    "git:",
    "re:",
]
THINGS = ["folder", "document", "file", "backup", {"link": "docs"}, {"link": "nowhere"}]

words = st.sampled_from(WORDS)
names = words | st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=6)
paths = st.sampled_from([*WORDS, "docs/x.md", "docs/d.example", "notes/a.md"])


@st.composite
def worlds(draw):
    """Folders, mirrors, checks, hosts and ids whose names meet."""
    mirrors = {
        name: draw(st.sampled_from(["docs", "site", "example.com", "gone"]))
        for name in draw(st.lists(names.filter(str.strip), max_size=2, unique=True))
    }
    inside = [{"in": name, "page": "https://d.example/x"} for name in mirrors]
    inside += [{"in": name, "host": "d.example"} for name in mirrors] + [{"in": name} for name in mirrors]
    things = st.sampled_from([*THINGS, *({"mirror": name} for name in mirrors), *inside])
    return World(
        {
            "paths": draw(st.dictionaries(paths, things, max_size=4)),
            "names": {
                "mirrors": mirrors,
                "checks": draw(
                    st.dictionaries(
                        words, st.lists(st.sampled_from(["docs", "notes", "site"]), min_size=1), max_size=2
                    )
                ),
            },
            "hosts": draw(st.lists(st.sampled_from(HOSTS), unique=True)),
            "urls": draw(st.lists(st.just("https://example.com/*"), max_size=1)),
            "runs": draw(st.lists(st.sampled_from(IDS[:3]), unique=True)),
            "items": draw(st.lists(st.sampled_from(IDS[2:]), unique=True)),
        }
    )


texts = st.one_of(
    words,
    st.builds(
        "{}{}{}".format,
        st.sampled_from(DECORATIONS),
        words,
        st.sampled_from(["", "/", "/*", "#a", ":80", "."]),
    ),
    st.text(max_size=20),
    st.builds("{}{}".format, st.sampled_from(DECORATIONS), st.text(max_size=12)),
    st.text("abdef0123456789.:*?[]@#/\\-_~ ", max_size=16),
)


def read(text, world):
    return read_target(text, world.look(text))


@settings(max_examples=examples(600))
@given(texts, worlds())
def test_any_text_is_one_target_or_an_error_that_spells_each_reading(text, world):
    found = read(text, world)

    if isinstance(found, CommandTarget):
        return
    assert isinstance(found, TargetRefusal)
    words_said = found.message + (found.hint or "")
    assert harmless(words_said) == words_said
    assert len(words_said) < 6_000
    if found.fault in (TargetFault.TWO_READINGS, TargetFault.SEVERAL_IDS):
        assert len(set(found.readings)) == len(found.targets) > 1
    for reading in found.readings:
        assert shown_typed(reading) in words_said


@settings(max_examples=examples(600))
@given(texts, worlds())
def test_each_reading_that_an_error_spells_means_that_thing_alone(text, world):
    found = read(text, world)
    if isinstance(found, CommandTarget) or len(found.readings) != len(found.targets):
        return
    for target, reading in zip(found.targets, found.readings, strict=True):
        if target.kind in (TargetKind.PART, TargetKind.STORE):
            continue
        again = read(reading, world)
        assert again == target or again.targets == (target,), reading


@settings(max_examples=examples(600))
@given(texts, worlds())
def test_what_was_read_is_spelt_so_that_it_is_read_again(text, world):
    found = read(text, world)
    if isinstance(found, TargetRefusal):
        return
    again = read(spelt(found), world)
    assert isinstance(again, CommandTarget)
    assert (again.kind, again.value, again.form) == (found.kind, found.value, found.form)


@settings(max_examples=examples(300))
@given(st.sampled_from(PREFIXES), words | st.text(max_size=12), worlds())
def test_a_prefix_forces_its_kind(prefix, rest, world):
    found = read(prefix + rest, world)
    if isinstance(found, CommandTarget):
        kind = prefix.rstrip(":")
        assert found.kind.value == kind or (kind == "check" and found.form.value == "check")
    elif found.fault in MISSING:
        assert found.fault.value == f"missing_{prefix.rstrip(':')}"


@settings(max_examples=examples(300))
@given(st.sampled_from(["./", "../docs/", "/", "~/"]), words, worlds())
def test_what_begins_as_a_path_is_never_looked_up_as_a_name(begin, word, world):
    found = read(begin + word, world)
    if isinstance(found, TargetRefusal):
        assert found.fault not in (TargetFault.TWO_READINGS, TargetFault.MISSING_NAME, TargetFault.MISSING_ID)
    else:
        assert found.kind not in (TargetKind.RUN, TargetKind.ITEM)


@settings(max_examples=examples(600))
@given(words, worlds())
def test_no_word_is_two_things_silently(word, world):
    """By another way than the reader's: things are counted by what they are, not by how they are called."""
    found = read(word, world)
    if isinstance(found, TargetRefusal):
        return
    there = set()
    fact = world.fact(word)
    if fact.standing.value not in ("nothing", "dangling link"):
        there.add(("path", fact.path))
    there |= {("mirror", word)} & {("mirror", name) for name in world.mirrors}
    there |= {("check", word)} & {("check", name) for name in world.checks}
    there |= {("run", each) for each in world.runs if each.startswith(word)}
    there |= {("item", each) for each in world.items if each.startswith(word)}
    there |= {("host", word)} & {("host", host) for host in ("example.com", "d.example", "localhost")}
    there -= {("host", word)} - {("host", host) for host in world.hosts}
    if found.kind in (TargetKind.MIRROR, TargetKind.HOST):
        there -= {("host", word if found.kind is TargetKind.MIRROR else found.value)}
    if found.kind is TargetKind.MIRROR:  # its folder and its name, which wins over a host
        there -= {("mirror", found.value), ("path", world.mirrors[found.value])}
        there -= {("path", fact.path)} if fact.mirror == found.value else set()
    elif found.form is not None and found.form.value == "check":
        is_plain = fact.standing.value == "folder" and fact.path not in world.mirrors.values()
        there -= {("check", found.value)} | {("path", path) for path in world.checks[found.value] if is_plain}
    elif found.kind in (TargetKind.RUN, TargetKind.ITEM):
        there -= {(found.kind.value, found.value)}
    else:
        there -= {("path", fact.path)}
    assert there == set()


@settings(max_examples=examples(300))
@given(texts, worlds())
def test_reading_looks_at_nothing_that_it_did_not_want(text, world):
    asked = wanted(text)
    seen = set()

    class Watched(dict):
        def get(self, key, default=None):
            seen.add(key)
            return super().get(key, default)

    here = world.look(text)
    read_target(text, Here(Watched(here.paths), here.globs, here.mirrors, here.checks, here.hosts, here.urls))
    assert seen - {""} <= set(asked.paths) | {text.partition("#")[0]}
    assert not any("\0" in path for path in asked.paths)


SHAPES = {
    "letters": "a",
    "dots": "a.",
    "stars": "*",
    "slashes": "/",
    "here": "./",
    "slashes and a letter": "/" * 20 + "x",
    "colons": "a:",
    "at signs": "@",
    "digits": "7",
    "brackets": "[a",
    "letters outside ASCII": "éü",
    "backslashes": "\\",
    "spaces": " a",
    "percent": "%2A",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "begin", ["", "https://e.com/", "host:", "mirror:", "https://e.com/*", "re:", "run:"]
)
def test_the_time_of_reading_grows_with_the_text_and_not_with_its_square(shape, begin):
    assert is_linear(lambda size: read_target(begin + SHAPES[shape] * size, Here()), 3_000)
    assert is_linear(lambda size: wanted(begin + SHAPES[shape] * size), 3_000)
