"""Alarms: where the code is larger than usual, a sentence in `alarms.toml` says why that reads best.

A cap that nobody may pass cuts tables in two and hides locals in tuples. An alarm asks: is this one thought?
Who answers yes writes the sentence; a sentence about something that is no longer large goes.
"""

import tomllib
from pathlib import Path

SENTENCES = tomllib.loads(Path(__file__).with_name("alarms.toml").read_text(encoding="utf-8"))


def heed(alarm, found):
    """`found` names what is larger than the alarm allows. Each has a sentence; none is left over."""
    sentences = SENTENCES.get(alarm, {})
    silent = sorted(set(found) - set(sentences))
    stale = sorted(set(sentences) - set(found))
    assert not silent, f"{alarm}: cut it where a thought ends, or say in alarms.toml why it is one: {silent}"
    assert not stale, f"{alarm}: no longer so, take the sentence out of alarms.toml: {stale}"
    assert all(len(sentence.split()) >= 4 for sentence in sentences.values()), "a sentence, not a word"
