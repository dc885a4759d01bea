"""Rows of lists: a part at a time; mirrors by their columns; versions on a line of time."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from holdfast.core.base.errors import UsageError
from holdfast.faces.web import home
from holdfast.faces.web.request import PageRequest
from holdfast.faces.web.shown import time_line
from holdfast.questions.status import MirrorOverview, Overview

pytestmark = pytest.mark.spec("WEB-1")
START = datetime(2026, 5, 1, tzinfo=UTC)


def asked(query, path="/s/x/document"):
    request = Request({"type": "http", "path": path, "query_string": query.encode(), "headers": []})
    return PageRequest(request, None, None, None)


def test_a_list_is_read_a_part_at_a_time_and_its_json_is_whole():
    rows = list(range(120))
    assert asked("").part(rows) == (rows[:50], "50")
    assert asked("after=50").part(rows) == (rows[50:100], "100")
    assert asked("after=100").part(rows) == (rows[100:], None)
    assert asked("", "/s/x/document.json").part(rows)[1] is None
    for wrong in ("after=x", "after=-1", "after=²", f"after={'9' * 30}"):
        with pytest.raises(UsageError):
            asked(wrong).part(rows)


def seen(*days):
    moments = [START + timedelta(days=day) for day in days]
    return [SimpleNamespace(number=n, first_seen=at, last_seen=at) for n, at in enumerate(moments, 1)]


def places(drawn):
    return [int(x) for x in re.findall(r'cx="(\d+)"', drawn)]


def test_versions_lie_where_they_were_first_seen():
    drawn = time_line(seen(0, 10, 40), 2, lambda number: f"/page?version={number}&a=<b>")
    assert places(drawn) == [10, 155, 590]
    assert 'version=2&amp;a=&lt;b&gt;" aria-label="version 2, first seen 2026-05-11' in drawn
    assert drawn.count('aria-current="true"') == 1


def test_versions_of_one_moment_lie_beside_each_other_and_on_the_line():
    found = places(time_line(seen(0, 0, 0, 100, 100, 100), 1, str))
    assert found == [10, 28, 46, 554, 572, 590]
    many = places(time_line(seen(*range(300)), 300, str))
    assert len(many) == 32
    assert min(b - a for a, b in itertools.pairwise(many)) >= 17
    assert places(time_line(seen(3), 1, str)) == [10]


def test_mirrors_are_sorted_by_the_heads_of_their_table():
    mirrors = tuple(MirrorOverview(label, pages, 0, None) for label, pages in (("a", 1), ("b", 9)))
    found = [Overview("x", mirrors, None, ())]
    assert [one.label for one in home.in_order(found, "pages")[0].mirrors] == ["b", "a"]
    assert [one.label for one in home.in_order(found, "nothing")[0].mirrors] == ["a", "b"]
