"""What the tracking commands print is what their published schemas say (STA-3)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from helpers.faults.server import response
from helpers.served import serving

SCHEMAS = Path(__file__).parents[3] / "docs/reference/schemas"
pytestmark = pytest.mark.spec("STA-3", "TRK-3", "TRK-5", "TRK-8")


def check(document):
    name = document["schema"].removeprefix("holdfast.").replace("/", "-")
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)


def test_every_document_is_what_its_schema_says(holdfast, tmp_path):
    def page(text):
        return (response(f"<main>{text}</main>".encode(), "200 OK", "Content-Type: text/html"),)

    scripts = {
        "/a": [page("one"), page("two")],
        "/moved": (response(b"", "301 Moved", "Location: /a"),),
        "/gone": (response(b"", "410 Gone"),),
        "/wall": (response(b"", "403 No", "cf-mitigated: challenge"),),
    }
    with serving(scripts) as server:
        links = "".join(f"[{path}]({server.base}{path}#part)\n" for path in scripts)
        (tmp_path / "a.md").write_text(f"{links}\nftp://e.org/x <!-- holdfast: ignore -->\n")
        check(holdfast("check", "--dry-run", "--json").json)
        words = (
            "check",
            "--fetch-urls",
            "--allow-private",
            "--content-rate-limit",
            "0",
            "--max-age",
            "0h",
            "--eager",
        )
        hook = "python3 -c \"import sys; open('told', 'w').write(sys.stdin.read())\""
        for kind in ("toml", "json", "yaml"):
            check(holdfast(*words, "--json", "--manifest-format", kind, "--on-change", hook).json)
            text = (tmp_path / f".url-manifest.{kind}").read_text(encoding="utf-8")
            check({"toml": tomllib.loads, "json": json.loads, "yaml": yaml.safe_load}[kind](text))
        check(json.loads((tmp_path / "told").read_text()))
        url = f"{server.base}/a"
    check(holdfast("links", "a.md", "--json").json)
    check(holdfast("backlinks", url, "--json").json)
    check(holdfast("backlinks", "127.0.0.1", "--json").json)
    assert holdfast("broken", "--json").json["urls"]
    check(holdfast("broken", "--json").json)
    assert holdfast("changed", "--json").json["changes"]
    check(holdfast("changed", "--json").json)
    check(holdfast("graph", "--format", "json").json)
