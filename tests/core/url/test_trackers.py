"""The list of trackers of version 2 keeps its own criterion, and the documented table is the list (ID-4)."""

import re
from pathlib import Path

import pytest

from holdfast.core.url.policy import PUBLISHED, policy
from holdfast.core.url.steps import DropTrackers
from holdfast.core.url.trackers import LEFT_OUT_2, LISTS, PREFIXES_1, PREFIXES_2, TRACKERS_1, TRACKERS_2

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "policies.md"
COMMON = ("source", "campaign", "cid", "si", "spm", "from", "trk", "feature", "t", "s", "id", "page", "q")


@pytest.mark.spec("ID-4")
def test_every_new_key_is_on_two_public_lists_that_are_named():
    new = {**TRACKERS_2, **PREFIXES_2}
    few = {key: row.lists for key, row in new.items() if len(set(row.lists.split())) < 2}

    assert set(few) == TRACKERS_1
    assert {name for row in new.values() for name in row.lists.split()} <= set(LISTS)
    assert all(row.why for row in new.values())


@pytest.mark.spec("ID-4")
def test_version_2_drops_what_version_1_drops_and_no_common_word():
    assert set(TRACKERS_2) >= TRACKERS_1
    assert set(PREFIXES_2) >= set(PREFIXES_1)
    assert [word for word in COMMON if not policy("web", 2).keeps_key(word)] == []
    assert [key for key in LEFT_OUT_2 if key in TRACKERS_2 or key.rstrip("*") in PREFIXES_2] == []
    assert all(key == key.lower() for key in (*TRACKERS_2, *PREFIXES_2))


@pytest.mark.spec("ID-4", "ID-14")
def test_the_documented_table_is_what_the_policies_drop():
    second = PAGE.read_text(encoding="utf-8").split("## Trackers of version 2")[1].split("The lists:")[0]
    rows = re.findall(r"^\| `([^`]+)` \|", second, re.MULTILINE)

    for one in PUBLISHED:
        if str(one.component.version) == "2":
            (step,) = (step for step in one.steps if isinstance(step, DropTrackers))
            assert {row for row in rows if not row.endswith("*")} == step.names
            assert {row.rstrip("*") for row in rows if row.endswith("*")} == set(step.prefixes)
