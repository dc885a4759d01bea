"""What a setting reaches is declared beside it, for every setting and every key of a table (SEC-9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.core.base.values import dataclass
from holdfast.core.settings import receivers
from holdfast.core.settings.field import setting
from holdfast.core.settings.origins import ORIGIN_KEYS, OriginRule
from holdfast.core.settings.reach import FolderWord, Reach
from holdfast.core.settings.resolve import all_settings
from holdfast.core.settings.settings_file import JOB_KEYS, read_settings_file
from holdfast.core.settings.settings_trust import digest_of, reaching, without_untrusted

pytestmark = pytest.mark.spec("SEC-9")

SETTINGS = all_settings()
WORDS = {"list": ["a b"], "bool": True, "str": "words", "path": "../elsewhere", "choice": None}


def found_in(text, outside=lambda path: f"/{path}" if path.startswith("..") else ""):
    return reaching(read_settings_file(text, "holdfast.toml"), outside)


def test_a_setting_cannot_be_defined_without_what_it_reaches():
    with pytest.raises(TypeError, match="reach"):
        setting(default=None, help="A setting that says nothing of it.", kind="str")


@pytest.mark.parametrize("name", [s.name for s in SETTINGS.values() if s.kind == "path"])
def test_a_path_reaches_at_least_a_path(name):
    assert SETTINGS[name].reach in (Reach.PATH, Reach.CREDENTIAL)


@pytest.mark.parametrize("name", [s.name for s in SETTINGS.values() if s.kind in ("int", "float", "choice")])
def test_a_number_and_a_choice_reach_nothing(name):
    assert SETTINGS[name].reach is Reach.NOTHING


def test_the_free_texts_that_reach_nothing_are_these():
    free = {s.name for s in SETTINGS.values() if s.kind in ("str", "list") and s.reach is Reach.NOTHING}
    assert free == {
        "contact", "allow_query", "mirror.include", "mirror.exclude", "keep_noise", "ask_hosts", "skip_hosts",
        "skip_urls", "accept", "read_as", "check.fail_on",
    }  # fmt: skip


def test_every_key_of_every_table_says_what_it_reaches():
    ways = set(receivers._WAYS) | {key for keys in receivers._OWN.values() for key in keys}
    assert ways == set(receivers.TARGET_REACH)
    assert set(ORIGIN_KEYS) == set(OriginRule.__slots__) - {"origin"}
    assert set(JOB_KEYS) == {"mirror", "check"}
    told = [*receivers.TARGET_REACH.values(), *ORIGIN_KEYS.values()]
    assert all(isinstance(reach, Reach) for reach in told)
    assert Reach.NOTHING not in receivers.TARGET_REACH.values()


REACHING = [s for s in SETTINGS.values() if s.reach is not Reach.NOTHING]


@pytest.mark.parametrize("table", ["", "[mirror.x]\n", "[check.x]\n"])
@pytest.mark.parametrize("one", REACHING, ids=lambda one: one.name)
def test_a_setting_that_reaches_out_is_found_in_the_file_and_in_every_job(one, table):
    (found,) = found_in(table + f"{one.name} = {toml(WORDS[one.kind])}\n")
    assert (found.key, found.table, found.reach) == (one.name, table.strip("[]\n"), one.reach)


@pytest.mark.parametrize("one", [s for s in REACHING if s.kind in ("bool", "list")], ids=lambda one: one.name)
def test_a_setting_that_says_what_holds_anyway_reaches_nothing(one):
    assert found_in(f"{one.name} = {toml(one.default)}\n") == ()


def test_a_path_inside_the_folder_reaches_nothing_and_certificates_inside_it_do():
    assert found_in('baseline = "b.txt"\nroot_dir = "docs"\n[check.x]\npaths = ["a", "b"]\n') == ()
    (found,) = found_in('ca_file = "ours.pem"\n')
    assert found.reach is Reach.CREDENTIAL


def test_one_path_of_many_that_leads_out_is_enough():
    (found,) = found_in('[check.x]\npaths = ["docs", "../private"]\n')
    assert (found.place, found.leads_to) == ("[check.x] paths", "/../private")


def test_what_reaches_nothing_stays_and_what_reaches_out_goes():
    text = (
        'content_rate_limit = 2\nproxy = "http://p.example:1"\n[mirror.x]\nsource = "http://a.example/"\n'
        'layout = "hash"\n[origin."http://a.example"]\nbearer_env = "TOKEN"\ncontent_rate_limit = 3\n'
        '[notify.x]\ncommand = "true"\n'
    )
    file = replace(read_settings_file(text, "holdfast.toml"), folder=FolderWord("/clone"))
    left = without_untrusted(file, reaching(file, lambda _: ""))
    assert left.settings == {"content_rate_limit": 2}
    assert left.jobs == {"mirror": {"x": {"layout": "hash"}}}
    assert left.origins == {"http://a.example": {"content_rate_limit": 3}}
    assert left.targets == ()


@dataclass(frozen=True, slots=True)
class Change:
    """A settings file, and one that says something else."""

    before: str
    after: str


@pytest.mark.parametrize(
    "change",
    [
        Change('proxy = "http://a.example:1"', 'proxy = "http://b.example:1"'),
        Change('proxy = "http://a.example:1"', 'proxy = "http://a.example:1"\nallow_private = true'),
        Change('[notify.x]\ncommand = "a"', '[notify.x]\ncommand = "b"'),
        Change('[notify.x]\ncommand = "a"', '[notify.y]\ncommand = "a"'),
        Change('[mirror.x]\nproxy = "http://a:1"', '[check.x]\nproxy = "http://a:1"'),
        Change('[origin."http://a.b"]\nbearer_env = "A"', '[origin."http://c.d"]\nbearer_env = "A"'),
    ],
)
def test_another_value_or_another_place_is_another_digest(change):
    assert digest_of(found_in(change.before)) != digest_of(found_in(change.after))


def test_a_path_that_leads_elsewhere_is_another_digest():
    here, there = (found_in('baseline = "link/b"', lambda path, to=to: f"{to}/{path}") for to in ("/x", "/y"))
    assert digest_of(here) != digest_of(there)


def test_what_reaches_nothing_and_the_order_leave_the_digest_as_it_is():
    one = found_in('proxy = "http://a:1"\nallow_private = true\n')
    other = found_in('allow_private = true\nper_host = 2\nproxy = "http://a:1"\n')
    assert digest_of(one) == digest_of(other)


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value)).replace("'", '"') if isinstance(value, (list, tuple)) else f'"{value}"'
