"""Settings: one name everywhere, and a precedence that `holdfast config` shows."""

import pytest

from holdfast.faces.cli.parser import COMMANDS


def origin(ran, name):
    row = ran.json["settings"][name]
    return row["value"], row["origin"]


@pytest.mark.spec("STA-5")
def test_a_flag_beats_the_environment_and_that_the_file_and_that_the_default(holdfast, tmp_path, monkeypatch):
    assert origin(holdfast("config", "--json"), "content_rate_limit") == (1.0, "default")

    (tmp_path / "holdfast.toml").write_text("content_rate_limit = 2\n[mirror.m]\ncontent_rate_limit = 3\n")
    assert origin(holdfast("config", "--json"), "content_rate_limit") == (2, "file")
    assert origin(holdfast("config", "--json", "--job", "mirror.m"), "content_rate_limit") == (3, "job")

    monkeypatch.setenv("HOLDFAST_CONTENT_RATE_LIMIT", "4")
    assert origin(holdfast("config", "--json", "--job", "mirror.m"), "content_rate_limit") == (
        4,
        "environment",
    )


@pytest.mark.spec("STA-3")
def test_the_document_names_its_schema(holdfast):
    assert holdfast("config", "--json").json["schema"] == "holdfast.config/1"


@pytest.mark.spec("STA-5")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("layuot = 'tree'", "'layout'"),
        ("layout = 'trees'", "expected one of tree, tree-fold, flat, flat-fold, hash"),
        ("content_rate_limit = -1", "at least 0"),
        ("content_rate_limit = 'fast'", "expected a number"),
        ("allow_private = 'perhaps'", "expected true or false"),
        ("[mirror.m]\nsuorce = 'x'", "'source'"),
        ("[mirror.m]\nsource = 1", "expected a text or a list of texts"),
        ("[mirror]\nsource = 'x'", "[mirror.NAME]"),
        ("[origin.'https://e.com']\nbaerer_env = 'X'", "'bearer_env'"),
        ("layout = \n", "line 1"),
    ],
)
def test_a_broken_settings_file_is_an_error_that_says_where_and_what(holdfast, tmp_path, text, told):
    (tmp_path / "holdfast.toml").write_text(text)
    ran = holdfast("config")

    assert ran.status == 2
    assert ran.out == ""
    assert "holdfast.toml" in ran.err
    assert told in ran.err


@pytest.mark.spec("STA-5")
def test_an_unknown_variable_of_ours_is_an_error_with_a_guess(holdfast, monkeypatch):
    monkeypatch.setenv("HOLDFAST_LAYUOT", "hash")
    ran = holdfast("config")

    assert ran.status == 2
    assert "HOLDFAST_LAYOUT" in ran.err


def test_the_switch_of_the_native_reader_is_not_taken_for_a_setting(holdfast, monkeypatch):
    monkeypatch.setenv("HOLDFAST_NATIVE", "0")
    assert holdfast("config").status == 0


@pytest.mark.spec("STA-5")
def test_the_file_is_found_from_a_folder_below_and_its_paths_are_relative_to_it(
    holdfast, tmp_path, monkeypatch
):
    (tmp_path / "holdfast.toml").write_text("overrides = 'o.json'\n")
    entry = '{"match": {"host": "e.com"}, "drop_query_params": ["a"]}'
    (tmp_path / "o.json").write_text(f'{{"overrides": [{entry}]}}')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")

    assert holdfast("url", "canon", "http://e.com/?a=1&b=2").lines == ["http://e.com/?b=2"]


@pytest.mark.spec("SEC-3")
def test_a_password_in_a_setting_is_not_shown(holdfast, monkeypatch):
    monkeypatch.setenv("HOLDFAST_PROXY", "http://me:secret@proxy.example:3128")

    assert "secret" not in holdfast("config").out + holdfast("config", "--json").out


def test_help_lists_every_command(holdfast):
    ran = holdfast("help", "--all")

    assert ran.status == 0
    assert all(name in ran.out for name in COMMANDS)


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["cannon"], "did you mean `holdfast url canon URL`?"),
        (["url", "canon", "--polciy", "web", "x"], "did you mean --policy?"),
        (["url", "canon"], "URL"),
        (["url", "canon", "--policy", "wbe", "x"], "--policy = 'wbe': expected site, docs, web"),
        (["config", "--job", "mirror.nope"], "no [mirror.nope]"),
    ],
)
def test_a_wrong_call_is_a_usage_error_that_helps(holdfast, words, told):
    ran = holdfast(*words)

    assert ran.status == 2
    assert ran.out == ""
    assert told in ran.err
