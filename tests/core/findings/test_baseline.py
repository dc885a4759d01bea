"""Baselines: what is known, what is settled, what fails a build."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.findings.report_samples import CHANGED, DEAD, IGNORE, KNOWN, MOVED, SAMPLE
from holdfast.core.base.errors import FormatError
from holdfast.core.findings.baseline import (
    FAIL_WORDS,
    FailOn,
    compare,
    new_baseline,
    read_baseline,
    write_baseline,
)
from holdfast.core.findings.report import FindingKey, Report
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.link_state import LinkState, Standing

pytestmark = pytest.mark.spec("TRK-9")

SUSPECT = replace(DEAD, standing=Standing.SUSPECT)
keys = st.builds(
    FindingKey,
    st.sampled_from(["dead", "fragment-missing", "ignore-unused"]),
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).map(
        lambda t: f"https://{t}"
    ),
)


def report(*findings):
    return Report(tuple(findings), {"a.md": 1})


@settings(deadline=None, max_examples=100)
@given(st.lists(keys, max_size=8))
def test_a_baseline_round_trips_and_is_sorted(found):
    text = write_baseline(found)

    assert read_baseline(text) == frozenset(found)
    assert write_baseline(read_baseline(text)) == text
    subjects = [line.partition(" ")[2].encode() for line in text.split("\n")[1:-1]]
    assert subjects == sorted(subjects)


@settings(deadline=None, max_examples=50)
@given(st.lists(keys, max_size=6), st.randoms())
def test_order_doubled_lines_and_line_ends_mean_nothing(found, random):
    lines = write_baseline(found).split("\n")
    mixed = lines + lines
    random.shuffle(mixed)

    assert read_baseline("\r\n".join(mixed)) == frozenset(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dead\n", "line 1 is not `KIND URL`"),
        ("# holdfast baseline 2\n", "version 2"),
        ("dead https://a\n<<<<<<< HEAD\n", "line 2 is the mark of a merge conflict"),
    ],
)
def test_what_is_no_baseline_says_where(text, said):
    with pytest.raises(FormatError, match=said):
        read_baseline(text)


def test_what_is_known_fails_no_build_wherever_it_stands():
    moved = replace(DEAD, document="elsewhere.md", place=None, code=RuleCode.GONE, state=LinkState.GONE)
    compared = compare(report(DEAD, moved), [DEAD.key])

    assert all(finding.is_known for finding in compared.findings)
    assert not any(FailOn.of(["any"]).fails(finding) for finding in compared.findings)


def test_what_is_fine_now_is_settled_and_what_nobody_can_tell_is_not():
    back, unsure, section = (
        FindingKey("dead", "https://a"),
        FindingKey("dead", "https://b"),
        FindingKey("fragment-missing", "https://b#x"),
    )
    compared = compare(report(), [back, unsure, section], unsure={"https://b"})

    assert compared.settled == (back,)
    assert new_baseline(compared, [back, unsure, section]) == (unsure, section)


def test_taken_up_is_what_is_confirmed_and_lasts():
    assert new_baseline(report(DEAD, MOVED, CHANGED, IGNORE), ()) == tuple(sorted((DEAD.key, IGNORE.key)))
    assert new_baseline(report(SUSPECT), ()) == ()


def test_what_is_in_it_stays_while_it_fails_confirmed_or_not():
    compared = compare(report(SUSPECT), [DEAD.key])

    assert compared.findings[0].is_known
    assert new_baseline(compared, [DEAD.key]) == (DEAD.key,)


@pytest.mark.parametrize(
    ("words", "failing"),
    [
        (["dead"], [DEAD]),
        (["suspect"], [DEAD, SUSPECT]),
        (["none", "dead"], []),
        (["changed"], [CHANGED]),
        (["moved,ignore"], [MOVED, IGNORE]),
        (["HF020"], [MOVED]),
        (["any"], [DEAD, SUSPECT, CHANGED, MOVED, IGNORE]),
    ],
)
def test_a_build_fails_on_what_was_asked_for(words, failing):
    found = [DEAD, SUSPECT, CHANGED, MOVED, IGNORE, KNOWN]

    assert [finding for finding in found if FailOn.of(words).fails(finding)] == failing


def test_an_unknown_word_is_named():
    with pytest.raises(ValueError, match="'deaf' is not something to fail on"):
        FailOn.of(["deaf"])
    assert FailOn.of(FAIL_WORDS)
    assert SAMPLE.counted["error"] == 1
