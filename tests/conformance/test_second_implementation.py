"""Identity can be written again from its documentation: a second implementation agrees (ID-14)."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from conformance.runner import differences, questions

SECOND = Path(__file__).parent / "second" / "identity.mjs"
OLDER_PARSER = "xn--zz"
"""A label that is no valid punycode: the URL standard lets it pass since 2024, Node 20 does not yet."""


@pytest.mark.spec("ID-14")
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_second_implementation_gives_every_vector():
    found = [json.loads(line) for line in differences(["node", str(SECOND)])]

    assert [each for each in found if OLDER_PARSER not in each["asked"].get("input", "")] == []


@pytest.mark.spec("ID-14")
def test_the_runner_sees_what_differs(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import sys\nfor line in sys.stdin: print('{}')\n", encoding="utf-8")

    assert len(differences([sys.executable, str(wrong)])) == len(list(questions()))


@pytest.mark.spec("ID-14")
def test_the_runner_sees_a_program_that_stops(tmp_path):
    silent = tmp_path / "silent.py"
    silent.write_text("import sys\nsys.stdin.read()\n", encoding="utf-8")

    assert "0 answered" in differences([sys.executable, str(silent)])[0]
