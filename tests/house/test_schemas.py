"""Every JSON that Holdfast writes has a published schema, and keeps to it (STA-3)."""

from __future__ import annotations

import json
import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from helpers.sites.living import LivingSite
from holdfast.faces.library import mirror
from holdfast.questions.rows.table import HOMES, all_schemas

pytestmark = pytest.mark.spec("STA-3")

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdfast"
SCHEMAS = {
    file.name: json.loads(file.read_text(encoding="utf-8"))
    for file in (ROOT / "docs" / "reference" / "schemas").glob("*.json")
}


def check(name, document):
    Draft202012Validator(SCHEMAS[f"{name}-1.json"]).validate(document)
    return document


@pytest.fixture
def made(first_made, tmp_path):
    """The same mirror for each test, whatever another test has done to its own."""
    folder, *rest = first_made
    return (shutil.copytree(folder, tmp_path / "made"), *rest)


@pytest.fixture(scope="module")
def first_made(tmp_path_factory):
    """A mirror with two runs, an alias, a failure, something skipped and a page that is gone."""
    folder = tmp_path_factory.mktemp("made") / "mirror"
    with LivingSite() as site:
        for number in range(6):
            site.put(f"/{number}?q=1", f"Words {number}")
        site.redirect("/old", "/0?q=1")
        site.put("/picture.png", body=b"\x89PNG", type="image/png")
        site.put("/broken", "x", status=500)
        settings = {"output": folder, "content_rate_limit": 0, "processes": 1}
        mirror(site.origin + "/", **settings)
        site.put("/0?q=1", "Other words")
        site.unlist("/5?q=1")
        summary = mirror(site.origin + "/", update=True, **settings)
        origin = site.origin
    return folder, origin, summary.run_id


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_one_and_names_what_it_describes(name):
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"holdfast.{name.removesuffix('-1.json')}/1"
    assert schema["description"]
    if "schema" in schema["properties"]:
        assert schema["properties"]["schema"] == {"const": schema["title"]}


def test_every_document_that_the_code_names_has_a_schema():
    named = set()
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r'\banswer\(\s*"([a-z_-]+)"', text))
        named |= set(re.findall(r'"holdfast\.([a-z_-]+)/1"', text))
    assert {f"{name}-1.json" for name in named} <= set(SCHEMAS)


def test_a_schema_is_made_of_the_definition_that_encodes():
    assert {schema.file: schema.json_schema() for schema in all_schemas()} == SCHEMAS
    for module, names in HOMES.items():
        home = import_module(f"holdfast.{module}")
        assert {getattr(home, name.upper().replace("-", "_")).name for name in names} == set(names)


def test_the_files_of_a_mirror(made):
    folder = made[0]
    check("mirror_manifest", json.loads((folder / "_manifest.json").read_text()))
    check("progress", json.loads((folder / "_progress.json").read_text()))
    sidecars = [path for path in folder.rglob("*.json") if not path.name.startswith("_")]
    assert sidecars
    for path in sidecars:
        check("sidecar", json.loads(path.read_text()))


def test_the_commands_that_ask(made, holdfast):
    folder, origin, run = made
    state = ("--store", folder / ".holdfast", "--json")
    page = origin + "/0?q=1"
    assert len(check("runs", holdfast("log", "--runs", *state).json)["parts"][0]["runs"]) == 2
    assert len(check("log", holdfast("log", page, *state).json)["parts"][0]["page"]["captures"]) == 2
    assert check("items", holdfast("log", "--items", page, *state).json)["parts"][0]["items"]
    for target, change in ((page, "changed"), (run, "gone")):
        pages = check("diff", holdfast("diff", target, *state).json)["parts"][0]["pages"]
        assert change in [each["change"] for each in pages]
    assert check("log", holdfast("log", folder, "--json").json)["parts"][0]["changes"]
    assert check("verify", holdfast("verify", *state).json)["parts"][0]["agrees"]
    check("store-migrate", holdfast("store", "migrate", *state).json)
    check("store-backup", holdfast("store", "backup", str(folder.parent / "copy"), *state).json)
    check("store-rebuild", holdfast("store", "rebuild", *state).json)
    check("store-rekey", holdfast("store", "rekey", "web@2", *state).json)
    check("config", holdfast("config", "--json").json)
    assert check("verify", holdfast("verify", folder, "--json").json)["parts"][0]["agrees"]


def test_the_commands_that_write(made, holdfast, tmp_path):
    folder, _, run = made
    state = ("--store", folder / ".holdfast", "--json")
    check("restore", holdfast("restore", folder, "--output", "other", "--json", "-q").json)
    check("store-reprocess", holdfast("store", "reprocess", run, "--policy", "docs", "-q", *state).json)
    check("gc", holdfast("store", "prune", *state).json)
    with LivingSite() as site:
        site.put("/a", "A")
        words = ("mirror", site.origin + "/", "-o", "m", "--content-rate-limit", 0, "-q", "--json")
        for line in holdfast(*words, "--dry-run").json_lines:
            check("mirror-plan", line)
        check("mirror-summary", holdfast(*words).json)
        assert check("mirror-summary", holdfast(*words, "--update").json)["update"]["counts"]
        check("forget", holdfast("forget", site.origin + "/a", "--store", "m/.holdfast", "--json").json)
    (tmp_path / "a.html").write_text('<main><h1 id="x">A</h1><a href="/b">b</a></main>')
    check(
        "page", holdfast("convert", "a.html", "--format", "json", "--base-url", "https://example.com/").json
    )


def test_the_lines(holdfast):
    for line in holdfast(
        "url", "canon", "--json", "https://example.com/a?utm_source=x", "mailto:x"
    ).json_lines:
        check("url-canon", line)
    lines = holdfast("url", "path", "--json", "https://example.com/a?b=1", "mailto:x").json_lines
    for line in [
        *lines,
        *holdfast("url", "path", "--json", "--reverse", "example.com/a/index.md").json_lines,
    ]:
        check("url-path", line)


def test_every_schema_is_on_the_page_that_lists_them():
    page = (ROOT / "docs" / "reference" / "schemas.md").read_text(encoding="utf-8")
    for name, schema in SCHEMAS.items():
        assert f"`{schema['title']}`" in page, f"{name} is not listed"
