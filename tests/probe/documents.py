"""The documents that cite the site, the settings beside them, and what people did to them later."""

# ruff: noqa: E501 # a line of a document stands in a line

from __future__ import annotations

import json
import os
from pathlib import Path

from probe.fixed_site import ORIGIN

SETTINGS = f"""\
allow_private = true
content_rate_limit = 0
processes = 1
min_free_mb = 0
concurrency = 1
max_wait = 0
baseline = ".holdfast-baseline"
skip_hosts = ["*.example.org"]
contact = "probe@example.com"

[mirror.handbook]
source = "{ORIGIN}/guide/"
output = "handbook"
every = "6h"

[check.papers]
paths = ["papers"]

[notify.log]
command = "sh -c 'cat >> told.jsonl'"

[notify.deaf]
command = "false"
events = ["died", "changed"]
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": [f"[limits]({ORIGIN}/api/#limits)\n"]},
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": ["x = 1"]},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FIRST = {
    "holdfast.toml": SETTINGS,
    ".holdfastignore": f"drafts/\n{ORIGIN}/login until 2027-01-31 it wants a name\n",
    ".holdfast-baseline": f"# holdfast baseline 1\ndead {ORIGIN}/gone\n",
    ".gitignore": ".holdfast/\n",
    "overrides.json": '{"version": 1, "overrides": [{"match": {"host": "example.com"}, "drop_query_params": ["x"]}]}\n',
    "README.md": f"# Notes\n\n[Notes](notes.md), [home]({ORIGIN}/), [absent](absent.md), [Case](Notes.md).\n",
    "notes.md": (
        f"# Notes\n\nSee [guide two]({ORIGIN}/guide/2/#use), [dead]({ORIGIN}/missing/) and [old]({ORIGIN}/old).\n\n"
        f"Also <{ORIGIN}/guide/5/>, [no section]({ORIGIN}/guide/4/#nowhere), [going]({ORIGIN}/going/#why) and\n"
        f"[tracked]({ORIGIN}/guide/6/?utm_source=mail&utm_medium=x).\n\n## Own\n\n[set up](guide.md#set-up), "
        "[lost](guide.md#lost), [picture](dot.png).\n\n"
        f"[ours]({ORIGIN}/private/x) <!-- holdfast: ignore until 2027-01-31 behind a wall -->\n"
        f"[bare]({ORIGIN}/soon) <!-- holdfast: ignore -->\n"
    ),
    "guide.md": f"# Guide\n\n## Set up\n\n[one]({ORIGIN}/guide/1/) [two]({ORIGIN}/guide/2/)\n\n[ref]: {ORIGIN}/api/\n\n[ref]\n",
    "papers/paper.rst": f"Paper\n=====\n\n`API <{ORIGIN}/api/#limits>`_ and `gone <{ORIGIN}/gone/>`__.\n\n{ORIGIN}/guide/7/\n",
    "papers/paper.adoc": f"= Paper\n\n{ORIGIN}/guide/3/[three] and link:{ORIGIN}/login[login], <<Set>>.\n",
    "papers/page.html": f'<!doctype html><title>P</title><a href="{ORIGIN}/guide/8/">8</a> <img src="{ORIGIN}/dot.png">\n',
    "papers/book.ipynb": json.dumps(NOTEBOOK, indent=1) + "\n",
    "papers/日本.md": f"# 日本語\n\n[ページ]({ORIGIN}/ja/#使い方) [refused](http://127.0.0.1:1/y) [loop]({ORIGIN}/loop)\n",
    "drafts/draft.md": f"[draft]({ORIGIN}/missing/)\n",
    "examples.md": "[example](https://example.com/x) [test](http://a.test/) [org](https://www.example.org/) <mailto:a@example.com>\n",
    "lychee.toml": 'exclude = ["^https://a\\\\.example"]\ntimeout = 20\naccept = ["200..=299", "403"]\nmax_retries = 3\n',
    "conf.py": 'project = "x"\nlinkcheck_ignore = [r"https://a\\.example/.*"]\nlinkcheck_timeout = 20\nlinkcheck_anchors = False\n',
    "urls.txt": f"# pages\n{ORIGIN}/guide/1/\n{ORIGIN}/api/\n",
    "page.html": '<!doctype html><title>At hand</title><main><h1 id="t">At hand</h1><p>Some <b>words</b>, <a href="x">x</a>.</main>\n',
}
SECOND = {
    "notes.md": FIRST["notes.md"].replace(
        "# Notes\n", f"# Notes\n\nNew: [new]({ORIGIN}/new/), [gone again]({ORIGIN}/gone/).\n", 1
    ),
    "papers/later.md": f"[broken]({ORIGIN}/broken/) [three]({ORIGIN}/guide/three/)\n",
}
THIRD = {"notes.md": SECOND["notes.md"].replace("Also", "And"), "page.md": f"[latin]({ORIGIN}/latin)\n"}
MTIME = 1_777_000_000
STAGES = (FIRST, SECOND, THIRD)


def write_documents(folder: Path, number: int) -> None:
    """Bring the documents to where they are in this stage."""
    for name, text in STAGES[number - 1].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (MTIME + number, MTIME + number))  # it is remembered, and told in a track's chapter
