"""Identity can be written again from its documentation: a second implementation agrees (ID-14)."""

import shutil
import sys
from pathlib import Path

import pytest

from conformance.runner import differences, platform_reason, questions

SECOND = Path(__file__).parent / "second" / "identity.mjs"
ODD_LABELS = 4 * 6
"""Inputs with a label `xn--…` that no text is written as, under each version of each policy."""


@pytest.mark.spec("ID-14")
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_second_implementation_gives_every_vector():
    found = differences(["node", str(SECOND)])

    assert [each for each in found if each.reason is None] == []
    assert [each.reason for each in found] in ([], ["ace_label"] * ODD_LABELS)


@pytest.mark.spec("ID-14")
@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("xn--zz", "ace_label"),
        ("a.xn--zza.b", "ace_label"),
        ("xn--a", "ace_label"),
        ("xn--zca", None),
        ("xn--nxa:8080", None),
        ("example.com", None),
    ],
)
def test_only_labels_that_no_text_is_written_as_are_the_platforms_affair(host, reason):
    wanted = {"canonical": f"https://{host}/", "url_key": ""}

    assert platform_reason(wanted, {"refused": "unparseable"}) == reason
    assert platform_reason(wanted, {"canonical": "https://other/", "url_key": ""}) is None


@pytest.mark.spec("ID-14")
def test_the_runner_sees_what_differs(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import sys\nfor line in sys.stdin: print('{}')\n", encoding="utf-8")

    assert len(differences([sys.executable, str(wrong)])) == len(list(questions()))


@pytest.mark.spec("ID-14")
def test_the_runner_sees_a_program_that_stops(tmp_path):
    silent = tmp_path / "silent.py"
    silent.write_text("import sys\nsys.stdin.read()\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="0 answered"):
        differences([sys.executable, str(silent)])
