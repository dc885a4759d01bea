"""A name or a word whose bytes are not UTF-8 is said to be one, loses nothing, and stops nothing else."""

import os
import sys

import pytest

pytestmark = [
    pytest.mark.spec("STA-2"),
    pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are always Unicode there"),
]

ODD = os.fsdecode(b"caf\xe9")
DOCUMENT = "<https://example.com/a>\n"


@pytest.fixture
def write(tmp_path):
    return lambda name, text: (tmp_path / name).write_text(text)


def test_a_document_of_such_a_name_is_a_problem_of_its_own(holdfast, tmp_path, write):
    (tmp_path / f"{ODD}.md").write_text(DOCUMENT)
    (tmp_path / f"d{ODD}").mkdir()
    (tmp_path / f"d{ODD}" / "b.md").write_text(DOCUMENT)
    write("a.md", DOCUMENT + "[here](missing.md)\n")
    for _ in range(2):
        ran = holdfast("track")
        assert r"caf\xe9.md" in ran.err + ran.out
        assert r"dcaf\xe9/b.md" in ran.err + ran.out
        assert "its name is not UTF-8" in ran.err + ran.out
        assert "Traceback" not in ran.err
    assert "https://example.com/a" in holdfast("links", "a.md").out
    assert holdfast("fix").status in (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("track", ODD),
        ("mirror", "http://127.0.0.1:1/", "-o", ODD),
        ("mirror", "http://127.0.0.1:1/", "-o", ODD, "--state", "known"),
        ("verify", ODD),
        ("broken", "--state", ODD),
    ],
    ids=" ".join,
)
def test_no_ledger_lies_in_such_a_folder(holdfast, tmp_path, words):
    (tmp_path / ODD).mkdir()
    (tmp_path / ODD / "a.md").write_text(DOCUMENT)
    ran = holdfast(*words)
    assert ran.status == 2
    assert "caf\\xe9" in ran.err
    assert [path.name for path in (tmp_path / ODD).iterdir()] == ["a.md"]


@pytest.mark.parametrize(
    "words",
    [
        ("search", ODD),
        ("backlinks", f"https://example.com/{ODD}"),
        ("forget", ODD),
        ("history", f"https://example.com/{ODD}"),
        ("show", f"https://example.com/{ODD}"),
        ("links", f"{ODD}.md"),
        ("changes", ODD),
    ],
    ids=" ".join,
)
def test_a_question_about_such_a_word_is_a_wrong_question(holdfast, write, words):
    write("a.md", DOCUMENT)
    assert holdfast("track").status == 0
    ran = holdfast(*words)
    assert ran.status in (1, 2, 3)
    assert "Traceback" not in ran.err
    assert "db rebuild" not in ran.err
