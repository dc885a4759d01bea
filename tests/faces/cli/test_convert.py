"""`holdfast convert`, as a person at a terminal meets it."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

PUBLISHED = Path(__file__).parents[3] / "docs/reference/schemas/page-1.json"

PAGE = b"<title>T</title><nav>n</nav><main><h1>T</h1><p>a <a href='x'>b</a></p></main>"


def convert(*arguments, stdin=b""):
    command = [sys.executable, "-m", "holdfast", "convert", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=30)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.spec("TXT-1")
def test_markdown_from_standard_input():
    assert convert("-", "--base-url", "https://e.example/d/", stdin=PAGE) == (
        0,
        "# T\n\na [b](https://e.example/d/x)\n",
        "",
    )


def test_without_a_url_links_stay_as_they_are():
    assert convert("-", stdin=PAGE)[1] == "# T\n\na [b](x)\n"


def test_the_full_page():
    assert convert("-", "--content", "full", stdin=b"<div>n</div><main>m</main>")[1] == "n\n\nm\n"


def test_the_text_that_is_hashed():
    assert convert("-", "--format", "text", stdin=PAGE)[1] == "T a b\n"


@pytest.mark.spec("STA-3")
def test_json_has_a_schema_and_everything_in_it():
    _, out, _ = convert("-", "--format", "json", "--base-url", "https://e.example/", stdin=PAGE)
    document = json.loads(out)

    jsonschema.validate(document, json.loads(PUBLISHED.read_text(encoding="utf-8")))
    assert document["schema"] == "holdfast.page/1"
    assert document["links"] == [
        {"url": "https://e.example/x", "text": "b", "kind": "anchor", "nofollow": False},
    ]
    assert document["headings"] == [{"level": 1, "text": "T", "anchor": None}]


def test_a_file_by_name(tmp_path):
    (tmp_path / "p.html").write_bytes(PAGE)

    assert convert(str(tmp_path / "p.html"))[1].startswith("# T\n")


def test_a_missing_file_is_named(tmp_path):
    status, out, err = convert(str(tmp_path / "none.html"))

    assert (status, out) == (3, "")
    assert "none.html: No such file" in err


def test_a_bad_base_is_a_usage_error():
    status, _, err = convert("-", "--base-url", "nowhere", stdin=PAGE)

    assert status == 2
    assert "--base-url nowhere: relative" in err


def test_too_large_is_said_in_words():
    status, out, err = convert("-", "--max-page-bytes", "10", stdin=PAGE)

    assert (status, out) == (3, "")
    assert "larger than --max-page-bytes" in err


def test_warnings_go_to_standard_error():
    status, _, err = convert("-", stdin=b"<title>Page not found</title><h1>404")

    assert status == 0
    assert "warning: -: soft_404" in err
