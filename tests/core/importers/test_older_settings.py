"""An older `holdfast.toml` is written under the names of today."""

import tomllib

import pytest

from holdfast.core.base.errors import ConfigError
from holdfast.core.importers.older_settings import settings_anew
from holdfast.core.settings.settings_file import read_settings_file
from holdfast.jobs.name_tables import named_anew

OLD = """\
# what we keep
state = "kept"        # beside the notes
timeout = 20
include = [
    "/guide/*",       # the guide
    "/api/*",
]
# a day and a half
link_ttl = 36
obey_robots = false
ask_hosts = ["a.example"]

[mirror.docs]
source = "https://docs.example/"
links = "local"
max_age = "7d"
link_ttl = 5

[track.notes]
paths = ["notes"]     # all of them
tracked_content = "body"
link_robots = true

[origin."https://docs.example"]
headers = { "X-Team" = "docs" }
"""


def anew(text):
    return settings_anew(text, "holdfast.toml", lambda key: named_anew("settings", key))


def test_every_value_is_there_under_its_new_name():
    assert tomllib.loads(anew(OLD)) == {
        "store": "kept",
        "timeout": 20,
        "ask_hosts": ["a.example"],
        "mirror": {
            "include": ["/guide/*", "/api/*"],
            "robots": False,
            "docs": {"source": "https://docs.example/", "convert_links": "local", "max_age": "7d"},
        },
        "check": {"max_age": "36h", "notes": {"paths": ["notes"], "compare": "body", "robots": True}},
        "origin": {"https://docs.example": {"headers": {"X-Team": "docs"}}},
    }


def test_what_is_written_is_a_settings_file_of_today_and_stays_as_it_is():
    assert read_settings_file(anew(OLD), "holdfast.toml").settings["check.max_age"] == "36h"
    assert anew(anew(OLD)) == anew(OLD)


@pytest.mark.parametrize(
    "comment", ["# what we keep", "# beside the notes", "# the guide", "# a day and a half", "# all of them"]
)
def test_comments_are_kept(comment):
    assert comment in anew(OLD)


def test_what_says_nothing_where_it_stands_is_a_comment():
    assert "# link_ttl says nothing of a mirror: link_ttl = 5\n" in anew(OLD)


def test_a_file_that_is_none_is_refused():
    with pytest.raises(ConfigError, match="holdfast"):
        anew("a = = 3")


def test_a_table_that_is_there_takes_what_belongs_to_it():
    told = anew('link_ttl = 1\n[check] # all\nfail_on = ["any"]\n')
    assert tomllib.loads(told) == {"check": {"max_age": "1h", "fail_on": ["any"]}}
