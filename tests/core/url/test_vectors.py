"""Golden vectors: identity is what the frozen files say, on every Python and every machine."""

import hashlib
import json
from pathlib import Path

import pytest

from holdfast.core.url.canonical import Explained, explain
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import LAYOUT_VERSION, Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import PUBLISHED, SITE
from holdfast.core.url.url import PARSER

VECTORS = Path(__file__).parents[2] / "vectors"


def read(name):
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


@pytest.mark.spec("ID-11", "VER-3")
def test_every_frozen_file_is_as_it_was_frozen():
    """A changed expectation needs a new version, and so a new file."""
    lines = (VECTORS / "FROZEN").read_text(encoding="utf-8").splitlines()
    frozen = {name: digest for digest, name in (line.split("  ") for line in lines)}
    present = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in VECTORS.glob("*.json")}
    present.pop("inputs.json")

    assert frozen == present


@pytest.mark.spec("ID-3", "ID-6", "ID-7", "ID-8", "ID-11")
@pytest.mark.parametrize("policy", PUBLISHED, ids=lambda policy: policy.full_name)
def test_urls_have_the_identity_they_were_frozen_with(policy):
    for row in read(f"{policy.component}.json"):
        found = explain(row["input"], policy)
        if "refused" in row:
            assert found.reason == row["refused"], row["input"]
        else:
            assert isinstance(found, Explained), row["input"]
            assert found.canonical.text == row["canonical"], row["input"]
            assert found.canonical.key == row["url_key"]
            assert list(found.rules) == row["rules"], row["input"]
            assert canonicalize(row["input"], policy) == found.canonical


@pytest.mark.spec("PATH-1", "PATH-2", "PATH-3", "PATH-4", "PATH-5", "PATH-6")
@pytest.mark.parametrize("layout", Layout)
def test_pages_have_the_names_they_were_frozen_with(layout):
    plan = NamePlan(layout, "https")
    for row in read(f"{layout}_v{LAYOUT_VERSION}.json"):
        assert plan.place(canonicalize(row["canonical"], SITE)).path == row["path"]


@pytest.mark.spec("ID-6")
def test_the_parser_is_the_one_identity_rests_on():
    """Its IDNA tables are part of the policy: another version must first pass every vector."""
    assert PARSER == "ada 4.0.0"
