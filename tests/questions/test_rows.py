"""Every row on every face: it answers what was answered before, its help comes without a job, errors are
alike.
"""

import inspect
import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from holdfast.core.base.late_modules import thing_named
from holdfast.faces.cli.parser import COMMANDS, build_parser
from holdfast.questions.rows.parameters import TARGET
from holdfast.questions.rows.table import JOBS, ROWS, TOOLS, question_named
from questions.equal_facts import (
    ORIGIN,
    answers_before,
    differences,
    fits,
    in_old_order,
    leaves,
    moved,
)

ASKED = [row for row in ROWS if row not in JOBS]
"""The rows that the API has."""


def calls_of(row):
    table = moved(row)["calls"]
    for before in answers_before(row):
        face, old = before["face"], before["call"]
        new = table[face][old if isinstance(old, str) else json.dumps(old)]
        yield before, face, (new if isinstance(new, str) else tuple(new))


@pytest.mark.parametrize("row", ROWS)
def test_every_fact_of_the_old_answers_is_there_or_a_rule_says_why_not(faces, row):
    told = moved(row)
    unexplained, used = [], set()
    for before, face, call in calls_of(row):
        status, said = faces.ask(face, call)
        said = in_old_order(before["said"], said, told.get("rows", []), face)
        keys = told["keys"][face] | told.get("keys_of", {}).get(str(before["call"]), {})
        for kind, place, what in differences(before, status, said, keys):
            rules = [
                (kind, number)
                for number, each in enumerate(told.get(kind, ()))
                if face in each["faces"]
                and fits(each["key"], place)
                and each.get("call", before["call"]) == before["call"]
            ]
            used |= set(rules[:1])
            unexplained += [] if rules else [f"{face} {before['call']}: {kind} {place}: {what}"]
    listed = {(kind, number) for kind in ("differs", "new") for number, _ in enumerate(told.get(kind, ()))}
    assert not unexplained, "\n".join(unexplained)
    assert listed - used == set(), "these entries say nothing"
    assert all(each["rule"].endswith(".") for kind in ("differs", "new") for each in told.get(kind, ()))


def test_a_fact_that_is_lost_is_noticed():
    before = {"status": 0, "said": {"url": "u", "rows": [{"a": 1}, {"a": 2}], "none": []}}
    keys = {"": "parts.0", "rows.*.a": "parts.0.list.*.b"}
    new = {"parts": [{"url": "u", "list": [{"b": 1}, {"b": 3}], "none": []}], "told": []}
    assert [(kind, place) for kind, place, _ in differences(before, 1, new, keys)] == [
        ("differs", "status"),
        ("differs", "rows.1.a"),
        ("new", "told"),
    ]


@pytest.mark.parametrize("row", ROWS)
def test_the_library_answers_what_the_command_prints(faces, row):
    import holdfast  # noqa: PLC0415 - the public names

    for before, face, call in calls_of(row):
        if face != "cli" or before["status"]:
            continue
        words = call.replace("{o}", ORIGIN).split()[1:]
        words = [word for word in words if word != f"--{row}"]
        if any(word.startswith("--") for word in words):
            continue
        found = getattr(holdfast, row.replace("-", "_"))(*words)
        assert holdfast.to_json(found) == faces.ask("cli", call)[1]


@pytest.mark.parametrize("row", ROWS)
def test_an_answer_is_what_its_schema_says(faces, row):
    check = Draft202012Validator(question_named(row).schema().json_schema())
    for before, face, call in calls_of(row):
        status, said = faces.ask(face, call)
        if face != "agents" and status in (0, 200):
            check.validate(said)
            assert dict(leaves(said))["schema"] == f"holdfast.{row}/1", before["call"]


EVERY_HELP = """
import sys
from holdfast.faces.cli.parser import build_parser
from holdfast.questions.rows.table import ROWS, question_named
for name in ROWS:
    build_parser(name).format_help()
    question_named(name).schema()
print("imported", *sys.modules)
"""


def test_the_help_of_every_row_comes_without_a_job_or_a_store():
    done = subprocess.run([sys.executable, "-c", EVERY_HELP], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    homes = {f"holdfast.{module}" for module in ROWS.values()}
    homes |= {home.rpartition(".")[0] for home in homes}
    below = {
        name
        for name in modules - homes
        if name.startswith(("holdfast.jobs.", "holdfast.storage", "holdfast.adapters"))
    }
    assert below == set()
    assert not {"aiohttp", "apsw", "asyncio", "lxml", "selectolax", "socket", "yaml"} & modules


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_a_command_and_says_what_each_of_its_parameters_is(row):
    question = question_named(row)
    help_text = build_parser(question.command).format_help()
    assert question.command in COMMANDS
    assert question.command == row or f"--{row}" in help_text
    assert "Example:" not in help_text
    for one in question.parameters:
        assert one.words, one.name
        if one.is_flag and "cli" not in one.hidden:
            assert f"--{one.called.replace('_', '-')}" in help_text
    assert (question.agents is not None) == (row in TOOLS)


@pytest.mark.parametrize("row", JOBS)
def test_a_row_that_does_something_has_a_job_and_no_address_of_the_api(faces, row):
    do, question = thing_named(JOBS[row]), question_named(row)
    store, *given = inspect.signature(do).parameters
    assert store == "work"
    assert given == [one.name for one in question.parameters]
    assert (question.asks_of is None) or "dry_run" in given
    _, document = faces.ask("api", "openapi.json")
    assert f"/api/v1/{row}" not in document["paths"]


@pytest.mark.parametrize("row", [row for row in ROWS if question_named(row).parameters[0].kind is TARGET])
@pytest.mark.parametrize(
    ("text", "words"),
    [("nowhere/at/all", "there is no"), (" ", "empty"), ("http://", "no page"), ("host:a b", "no host")],
)
def test_a_target_that_is_none_is_the_same_error_on_every_face(faces, row, text, words):
    status, said = faces.ask("cli", f"{question_named(row).call} '{text}'")
    assert (status, said["exit_status"], words in said["error"]) == (2, 2, True)
    if row in ASKED:
        code, answer = faces.ask("api", f"{row}?target={text}")
        assert (code, answer["error"]) == (400, said["error"])
    if row in TOOLS:
        state, told = faces.ask("agents", (row, {"target": text}))
        assert state == "error"
        assert said["error"] in told or not text.strip()


@pytest.mark.parametrize("row", ASKED)
def test_a_wrong_parameter_of_the_api_is_400_and_a_store_that_is_not_served_too(faces, row):
    for query, words in (("nonsense=1", "no parameter"), ("store=elsewhere", "no store")):
        code, said = faces.ask("api", f"{row}?{query}")
        assert (code, words in said["error"]) == (400, True), query


@pytest.mark.parametrize("row", ASKED)
def test_every_parameter_of_a_row_is_in_the_openapi_document(faces, row):
    _, document = faces.ask("api", "openapi.json")
    asked = document["paths"][f"/api/v1/{row}"]["get"]
    assert [one["name"] for one in asked["parameters"]] == [
        *(one.called for one in question_named(row).parameters if "api" not in one.hidden),
        "store",
    ]
    assert set(asked["responses"]) == {"200", "304", "400", "404"}
