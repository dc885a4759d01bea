"""A name, a word or a document that is not UTF-8 is said to be one, loses nothing, and stops nothing else."""

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
        ran = holdfast("check")
        assert r"caf\xe9.md" in ran.err + ran.out
        assert r"dcaf\xe9/b.md" in ran.err + ran.out
        assert "its name is not UTF-8" in ran.err + ran.out
        assert "Traceback" not in ran.err
    assert "https://example.com/a" in holdfast("links", "a.md").out
    assert holdfast("fix").status in (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("check", ODD),
        ("mirror", "http://127.0.0.1:1/", "-o", ODD),
        ("mirror", "http://127.0.0.1:1/", "-o", ODD, "--store", "known"),
        ("verify", ODD),
        ("broken", "--store", ODD),
    ],
    ids=" ".join,
)
def test_no_ledger_lies_in_such_a_folder(holdfast, tmp_path, words):
    (tmp_path / ODD).mkdir()
    (tmp_path / ODD / "a.md").write_text(DOCUMENT)
    ran = holdfast(*words)
    assert ran.status == 2
    assert "caf\\xe9" in ran.err or words[0] == "verify"  # there is no store to look for it in
    assert [path.name for path in (tmp_path / ODD).iterdir()] == ["a.md"]


@pytest.mark.parametrize(
    "words",
    [
        ("search", ODD),
        ("backlinks", f"https://example.com/{ODD}"),
        ("forget", ODD),
        ("log", f"https://example.com/{ODD}"),
        ("show", f"https://example.com/{ODD}"),
        ("links", f"{ODD}.md"),
        ("log", ODD),
    ],
    ids=" ".join,
)
def test_a_question_about_such_a_word_is_a_wrong_question(holdfast, write, words):
    write("a.md", DOCUMENT)
    assert holdfast("check").status == 0
    ran = holdfast(*words)
    assert ran.status in (1, 2, 3)
    assert "Traceback" not in ran.err
    assert "store rebuild" not in ran.err


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.md", "a.html", "a.rst", "a.adoc", "a.txt", "a.ipynb"])
def test_a_document_in_two_bytes_a_character_is_not_passed_over_in_silence(
    holdfast, tmp_path, name, encoding
):
    (tmp_path / name).write_bytes(f"\ufeff{DOCUMENT}".encode(encoding))
    (tmp_path / "b.md").write_text(DOCUMENT)
    for words in ((), ("--no-local-links",)):
        ran = holdfast("check", *words)
        assert ran.status == 0
        said = f"{name}:1: warning: HF043 it is UTF-16, of which links are not read; save it as UTF-8"
        assert said in ran.lines
    assert "https://example.com/a" in holdfast("links", "b.md").out
    assert holdfast("fix").status in (0, 1)
