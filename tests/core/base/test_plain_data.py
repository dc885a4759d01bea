"""Text of others is read to a bounded depth and with bounded numbers, whoever reads it (SEC-8, SEC-11)."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import holdfast as package
from helpers.sites.command import holdfast
from holdfast.core.base.errors import ConfigError, FormatError, HoldfastError, UsageError
from holdfast.core.base.figures import rfc3339
from holdfast.core.base.plain_data import DEEPEST, read_json, read_toml
from holdfast.core.documents.front_matter import front_matter
from holdfast.core.importers.lychee import read_lychee
from holdfast.core.lineage.versions import moment_of
from holdfast.core.links.url_manifest import DataFormat, read_mapping
from holdfast.core.links.url_manifest import read_manifest as read_url_manifest
from holdfast.core.mirror.checkpoint import progress_flaw
from holdfast.core.mirror.manifest import read_manifest
from holdfast.core.mirror.manifest_gist import gist_of_manifest, head_of_manifest
from holdfast.core.page.sidecar import read_sidecar
from holdfast.core.settings.field import coerce
from holdfast.core.settings.origins import read_origin_rules, statuses
from holdfast.core.settings.overrides_file import read_overrides
from holdfast.core.settings.patterns import Remaps
from holdfast.core.settings.schedule import read_schedule_file
from holdfast.core.settings.settings_file import read_settings_file
from holdfast.core.url.policy import Recipe, Version
from holdfast.core.url.scope import OutOfScope, Scope
from holdfast.core.url.url import parse_url
from holdfast.core.web.body import BodyCollector, BodyLimits
from holdfast.core.web.sitemap import parse_lastmod
from holdfast.jobs.mirror_place import find_file
from holdfast.storage.archive.warc_record import Record, decode_part

pytestmark = pytest.mark.spec("SEC-8", "SEC-11")

SRC = Path(package.__file__).parent
DIGITS = "9" * 5_000
TOML = {
    "arrays": "a = " + "[" * 100_000,
    "closed arrays": "a = " + "[" * 300 + "]" * 300,
    "tables": "a = " + "{a = " * 5_000,
    "closed tables": "a = " + "{a = " * 200 + "1" + "}" * 200,
    "dotted": "[" + ".".join(["a"] * 2_000) + "]\nb = 1",
    "digits": f"a = {DIGITS}",
    "a large number": "a = 99999999999999999999",
    "hexadecimal": "a = 0x" + "f" * 100,
}
JSON = {
    "arrays": "[" * 100_000,
    "closed arrays": "[" * 500 + "]" * 500,
    "objects": '{"a":' * 100_000,
    "closed objects": '{"a":' * 500 + "1" + "}" * 500,
    "digits": f'{{"a": {DIGITS}}}',
    "a large number": '{"version": 99999999999999999999, "jobs": {}}',
}
YAML = {
    "arrays": "a: " + "[" * 100_000,
    "closed arrays": "a: " + "[" * 500 + "]" * 500,
    "objects": "a: " + "{a: " * 5_000,
    "indented": "".join(f"{' ' * depth}a:\n" for depth in range(1_000)),
    "digits": f"a: {DIGITS}",
}
AS_TOML = {
    "holdfast.toml": lambda text: read_settings_file(text, "here"),
    "lychee.toml": lambda text: read_lychee(text, "here"),
    "a manifest of URLs": lambda text: read_url_manifest(text, DataFormat.TOML),
}
AS_JSON = {
    "overrides": lambda text: read_overrides(text, "here"),
    "a manifest of URLs": lambda text: read_url_manifest(text, DataFormat.JSON),
}
SAYS_SO = {
    "a manifest of a mirror": lambda text: read_manifest(text.encode()),
    "its gist": lambda text: gist_of_manifest(lambda: [text.encode()]),
    "its head": lambda text: head_of_manifest(lambda: [text.encode()]),
    "progress": lambda text: progress_flaw(text.encode()),
}
READS_NOTHING = {
    "a sidecar": lambda text: read_sidecar(text.encode()),
    "a schedule": read_schedule_file,
    "metadata": lambda text: read_mapping(text, DataFormat.JSON),
}


@pytest.mark.parametrize("name", TOML)
@pytest.mark.parametrize("reader", AS_TOML)
def test_a_file_of_settings_is_refused_in_words(reader, name):
    with pytest.raises((ConfigError, FormatError)) as told:
        AS_TOML[reader](TOML[name])
    assert len(str(told.value)) < 300


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("reader", AS_JSON)
def test_a_file_of_json_is_refused_in_words(reader, name):
    with pytest.raises((ConfigError, FormatError)) as told:
        AS_JSON[reader](JSON[name])
    assert len(str(told.value)) < 300


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("reader", SAYS_SO)
def test_a_corrupt_file_of_a_mirror_is_said(reader, name):
    assert isinstance(SAYS_SO[reader](JSON[name]), str)


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("reader", READS_NOTHING)
def test_what_cannot_be_read_says_nothing(reader, name):
    assert not READS_NOTHING[reader](JSON[name])


@pytest.mark.parametrize("name", YAML)
def test_yaml_is_bounded_too(name):
    assert read_mapping(YAML[name], DataFormat.YAML) is None
    assert not front_matter(f"---\n{YAML[name]}\n---\n".encode()).values
    with pytest.raises(FormatError):
        read_url_manifest(YAML[name], DataFormat.YAML)


@pytest.mark.parametrize("name", TOML)
def test_front_matter_is_bounded_too(name):
    assert read_mapping(TOML[name], DataFormat.TOML) is None
    assert not front_matter(f"+++\n{TOML[name]}\n+++\n".encode()).values


@pytest.mark.parametrize("name", JSON)
def test_a_file_beside_a_page_is_bounded_too(tmp_path, name):
    for file in ("a.json", "_manifest.json"):
        (tmp_path / file).write_text(JSON[name])
    assert (find_file(tmp_path / "a.md").layout, find_file(tmp_path / "a.md").sidecar_url) == (None, None)


@pytest.mark.parametrize("name", TOML)
def test_a_command_in_such_a_folder_ends_with_2(tmp_path, monkeypatch, name):
    (tmp_path / "holdfast.toml").write_text(TOML[name])
    monkeypatch.chdir(tmp_path)
    done = holdfast("config")
    assert (done.status, done.err.startswith("error: ")) == (2, True)
    assert "holdfast.toml" in done.err


@pytest.mark.parametrize("value", [10**20, -(10**20), 10**400, "1e30", "9" * 5_000, 1e300, "inf", "nan"])
@pytest.mark.parametrize("kind", ["int", "float"])
def test_a_setting_is_a_number_that_a_machine_has(kind, value):
    with pytest.raises(ValueError, match="expected a"):
        coerce(value, kind, (), None)


def test_what_people_write_is_read():
    deep = "[" * (DEEPEST - 1) + "1" + "]" * (DEEPEST - 1)
    assert read_json(deep)
    assert read_toml(f"a = {deep[1:-1]}")["a"] == read_json(deep)[0]
    assert read_json("-9223372036854775808") == -(2**63)
    assert read_toml("a = 9223372036854775807")["a"] == 2**63 - 1
    assert read_json("[1.5, true, null]") == [1.5, True, None]
    for read, text in ((read_json, DIGITS), (read_toml, f"a = {DIGITS}")):
        with pytest.raises(ValueError, match="it has a number that is too large"):
            read(text)


def test_it_does_not_depend_on_how_deep_the_caller_is():
    """Where there is little room left on the stack it is an error of the same kind."""

    def inner(left):
        if left:
            return inner(left - 1)
        with pytest.raises(ValueError, match="deeper"):
            read_json("[" * 100_000)
        return True

    assert inner(sys.getrecursionlimit() - 200)


def test_toml_is_read_in_one_place():
    """Whoever parses it elsewhere has no bounds."""
    importing = re.compile(r"^\s*(?:from|import) tomllib\b", re.MULTILINE)
    readers = [path.name for path in SRC.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))]
    assert readers == ["plain_data.py"]


ODD = {
    "a status to accept": lambda text: statuses([text]),
    "a group of a remap": lambda text: Remaps([f"a https://x/${{{text}}}"]),
    "a version": Version.parse,
    "a patch": lambda text: Version.parse(f"1.{text}"),
    "a recipe": lambda text: Recipe.parse(f"http_snapshot_url_v{text}_text_v1"),
}


@pytest.mark.parametrize("text", ["²", DIGITS], ids=["superscript", "digits"])
@pytest.mark.parametrize("reader", ODD)
def test_what_python_calls_a_digit_and_reads_as_no_number_is_refused_in_words(reader, text):
    with pytest.raises(HoldfastError):
        ODD[reader](text)


@pytest.mark.parametrize("value", ["inf", "1e300", "9223372036854775807"])
@pytest.mark.parametrize("key", ["per_host", "content_rate_limit"])
def test_a_number_of_an_origin_is_one_that_a_machine_has(key, value):
    with pytest.raises(ConfigError, match=f"{key}: expected a number"):
        read_origin_rules({"http://a.example": read_toml(f"{key} = {value}")})


def test_numbers_that_are_none_say_nothing():
    body = BodyCollector(BodyLimits(sent=9, decoded=9, ratio=9), None)
    body.announce("²")
    scope = Scope((), allow_host=(f"b.example:{DIGITS}",))
    assert scope.refusal(parse_url("http://b.example/")) is OutOfScope.HOST
    fields = {"warc-type": "metadata", "holdfast-chapter": "run a", "holdfast-part": DIGITS}
    assert decode_part(Record(fields, b"")) is None


BEYOND = ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"]
DATES = {
    "a list of pages": lambda text: parse_lastmod(text) is None,
    "a header": lambda _: rfc3339(late := "Fri, 31 Dec 9999 23:59:59 -2359") == late,
    "a schedule": lambda text: not read_schedule_file(f'{{"jobs": {{"mirror.a": {{"begun": "{text}"}}}}}}'),
}


@pytest.mark.parametrize("text", BEYOND)
@pytest.mark.parametrize("reader", DATES)
def test_a_date_before_or_after_all_dates_says_nothing(reader, text):
    assert DATES[reader](text)


@pytest.mark.parametrize("text", BEYOND)
def test_a_date_before_or_after_all_dates_that_somebody_asks_for_is_refused_in_words(text):
    with pytest.raises(UsageError, match="is not a date"):
        moment_of(text)


def test_a_time_of_a_schedule_that_says_no_zone_is_one_of_utc():
    (runs,) = read_schedule_file('{"jobs": {"mirror.a": {"begun": "2024-01-01T00:00:00"}}}').values()
    assert runs.begun == datetime(2024, 1, 1, tzinfo=UTC)
