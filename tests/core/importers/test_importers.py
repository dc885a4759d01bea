"""Settings of lychee and Sphinx, read as data."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.errors import FormatError
from holdfast.core.importers.imported import Imported, as_seconds, write_settings
from holdfast.core.importers.lychee import read_lychee, read_lycheeignore
from holdfast.core.importers.sphinx_conf import read_sphinx
from holdfast.core.settings.patterns import LinearPattern
from holdfast.core.settings.settings_file import read_settings_file
from holdfast.core.url.hosts import HostRules

LYCHEE = r"""
verbose = "info"
max_concurrency = 14
max_redirects = 5
timeout = 20
max_cache_age = "2d"
host_request_interval = "50ms"
accept = ["200", "429"]
exclude = ['^https?://twitter\.com', 'linkedin\.com', '(?<bad']
exclude_path = ["node_modules", "^./vendor/", "a.*b"]
exclude_all_private = true
insecure = true
surprise = 1
"""

CONF = r"""
import os, sys
sys.exit("never run")
project = "x"
linkcheck_ignore = [r"http://localhost:\d+/", "https://a|https://b"]
linkcheck_ignore += ["https://c/"]
linkcheck_timeout = 30
linkcheck_workers: int = 8
linkcheck_anchors = False
linkcheck_exclude_documents = [r"changelog", r"old/.*", r"(?:a|b)"]
linkcheck_rate_limit_timeout = float(os.environ["X"])
linkcheck_auth = [("https://x", ("user", "secret"))]
tls_cacerts = "ca.pem"
"""


def read_back(imported):
    return read_settings_file(write_settings(imported, "there"), "holdfast.toml").settings


def test_lychee_settings_become_ours_and_nothing_is_dropped_in_silence():
    imported = read_lychee(LYCHEE, "lychee.toml")

    assert read_back(imported) == {
        "concurrency": 14,
        "max_redirects": 5,
        "timeout": 20,
        "check.max_age": "48h",
        "content_rate_limit": 20,
        "skip_urls": [r"^https?://twitter\.com", r"linkedin\.com"],
        "allow_private": False,
        "accept": ["200", "429"],
    }
    assert imported.ignored_paths == ("node_modules", "vendor")
    told = "\n".join(imported.notes)
    for word in ("(?<bad", "a.*b", "insecure", "surprise"):
        assert word in told


MORE = r"""
accept = ["200..=299"]
remap = ["https://docs\\.example/(.*) http://127.0.0.1:8000/$1"]
scheme = ["https"]
exclude = ["x"]
require_https = true
max_retries = 2
root_dir = "public"
include_wikilinks = true
github_token = "s3cret"
base_url = "https://docs.example"
include = ['gist\.host\.org']
extensions = ["md", "css", ".ts"]
hidden = true
no_ignore = true
header = { "Accept-Language" = "de", "Cookie" = "s3cret" }
basic_auth = ['^https://in\.example ann:s3cret', '.* b:s3cret']
exclude_path = ['\.txt$', '(^|/)test/', '[aeiou]']
insecure = false
[hosts."api.example"]
concurrency = 2
request_interval = "500ms"
headers = { "X-Team" = "docs", "Authorization" = "s3cret" }
"""


def test_what_lychee_users_set_has_a_meaning_here_and_secrets_are_not_copied():
    imported = read_lychee(MORE, "lychee.toml")
    file = read_settings_file(write_settings(imported, "there"), "holdfast.toml")

    assert file.settings == {
        "remap": [r"https://docs\.example/(.*) http://127.0.0.1:8000/$1"],
        "skip_urls": ["^http:", "x"],
        "check.fail_on": ["dead", "HF022"],
        "confirm": True,
        "root_dir": "public",
        "wiki_links": True,
        "base_url": "https://docs.example/",
        "ask_urls": [r"gist\.host\.org"],
        "read_as": ["*.css", "*.ts"],
        "hidden": True,
        "ignore": False,
        "header": ["Accept-Language: de"],
    }
    assert imported.ignored_paths == ("*.txt", "test/", "*[aeiou]*")
    assert file.origins == {
        "https://api.example": {"headers": {"X-Team": "docs"}, "content_rate_limit": 2, "per_host": 2},
        "https://in.example": {"basic_user": "ann", "basic_password_env": "IN_EXAMPLE_PASSWORD"},
        "https://api.github.com": {"bearer_env": "GITHUB_TOKEN"},
    }
    assert "s3cret" not in write_settings(imported, "there")
    told = "\n".join(imported.notes)
    for word in ("GITHUB_TOKEN", "IN_EXAMPLE_PASSWORD", "hosts.api.example: Authorization", "header Cookie"):
        assert word in told


def test_lycheeignore_is_a_pattern_a_line():
    both = Imported({"skip_urls": ("x",)}) + read_lycheeignore("# no\n\nhttps://a\\.example/.*\n")

    assert read_back(both) == {"skip_urls": ["x", r"https://a\.example/.*"]}


@pytest.mark.spec("TRK-9")
def test_a_conf_py_is_read_and_never_run():
    imported = read_sphinx(CONF, "conf.py")

    assert read_back(imported) == {
        "skip_urls": [r"^http://localhost:\d+/", "^(?:https://a|https://b)", "^https://c/"],
        "timeout": 30,
        "concurrency": 8,
        "ca_file": "ca.pem",
    }
    assert imported.ignored_paths == ("changelog.*", "old/")
    assert "secret" not in write_settings(imported, "there")
    told = "\n".join(imported.notes)
    for word in ("linkcheck_anchors", "(?:a|b)", "linkcheck_rate_limit_timeout", "linkcheck_auth"):
        assert word in told


@settings(deadline=None, max_examples=80)
@given(
    st.dictionaries(
        st.sampled_from(["skip_urls", "note", "path"]), st.lists(st.text(max_size=20), max_size=4)
    )
)
def test_whatever_was_read_what_is_written_is_a_settings_file(found):
    imported = Imported(
        {"skip_urls": tuple(found.get("skip_urls", ()))},
        tuple(found.get("path", ())),
        tuple(found.get("note", ())),
    )

    assert read_back(imported).get("skip_urls", []) == list(imported.settings["skip_urls"])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1d", 86400),
        ("500ms", 0.5),
        ("1h 30m", 5400),
        (20, 20),
        ("2 days", 172800),
        ("", None),
        ("x", None),
        (True, None),
    ],
)
def test_durations(text, seconds):
    assert as_seconds(text) == seconds


def test_what_is_no_toml_and_no_python_is_said_so():
    with pytest.raises(FormatError, match=r"lychee\.toml"):
        read_lychee("= 1", "lychee.toml")
    with pytest.raises(FormatError, match="is not Python"):
        read_sphinx("def", "conf.py")


def test_rules_say_which_of_them_match_nothing():
    rules = HostRules(
        skip=["a.example", "*.b.example"],
        skip_urls=[LinearPattern(rule, "skip_urls") for rule in (r"/private/", r"^ftp:")],
    )
    urls = [("https://x.b.example/", "x.b.example"), ("https://c.example/private/x", "c.example")]

    assert rules.unused(urls) == ("skip_hosts has a.example", "skip_urls has ^ftp:")
    assert rules.refusal_of("https://c.example/private/x", "c.example") == "skip_urls has /private/"


@pytest.mark.parametrize(
    "value", ["1e999", "-1e999", "10**400", "float('nan')", "{[]: 1}", "-" * 3_000 + "1", "[" * 90 + "]" * 90]
)
@pytest.mark.parametrize(
    "name", ["linkcheck_timeout", "linkcheck_workers", "linkcheck_ignore", "tls_cacerts"]
)
def test_no_value_of_a_conf_py_breaks_its_import(name, value):
    try:
        found = read_sphinx(f"{name} = {value}", "conf.py")
    except FormatError:
        return
    read_settings_file(write_settings(found, "conf.py"), "holdfast.toml")
    assert found.settings or found.notes or "[" in value


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "1e999", '"' + "9" * 400 + 's"', "[" * 3_000])
@pytest.mark.parametrize("name", ["timeout", "max_redirects", "host_request_interval", "max_cache_age"])
def test_no_value_of_a_lychee_toml_breaks_its_import(name, value):
    try:
        found = read_lychee(f"{name} = {value}", "lychee.toml")
    except FormatError:
        return
    assert found.notes
    read_settings_file(write_settings(found, "lychee.toml"), "holdfast.toml")


def test_a_pattern_that_python_warns_of_is_taken_without_a_word(recwarn):
    assert read_lycheeignore("[[a]x]").settings
    read_sphinx("linkcheck_ignore = ['\\d[[a]]']", "conf.py")
    assert not recwarn.list
