"""Patterns of settings: found in linear time, refused in words that name the setting and the construct."""

import pytest

from helpers.growth import is_linear
from helpers.sites.command import holdfast
from holdfast.core.base.errors import ConfigError
from holdfast.core.importers.imported import skip_pattern
from holdfast.core.settings.patterns import LinearPattern, Remaps
from holdfast.core.url.hosts import HostRules

HOSTILE = [r"(a+)+$", r"(a|aa)+$", r"(a*)*b", r"(.*a){20}b", r"a.*a.*a.*a.*b", r"^(([a-z])+.)+[A-Z]([a-z])+$"]
REFUSED = {
    r"a(?=b)": "a look-ahead",
    r"a(?!b)": "a look-ahead",
    r"(?<=a)b": "a look-behind",
    r"(?<!a)b": "a look-behind",
    r"(a)\1": "the escape",
    r"(?P<x>a)(?P=x)": "a reference back",
    r"(a)?(?(1)b|c)": "a condition",
    r"(?>a)b": "gives nothing back",
    r"a++": "the repeat",
    r"a{1,5000}": "the repeat",
    r"(a{500}){500}": "the repeat",
    r"a{,3}": r"\{,3\}",
    r"(": "is not a regular expression",
    r"[a": "is not a regular expression",
    r"\ud800(": "the escape",
}
FOUND = [
    (r"/(tag|category)/\d+", "https://a.example/tag/7", True),
    (r"^https?://x\.example\b", "http://x.example/", True),
    (r"\.pdf\Z", "https://a.example/b.pdf", True),
    (r"\.pdf\Z", "https://a.example/b.pdf?x", False),
    (r"\\Z", "https://a.example/Z", False),
    (r"(?i)README", "https://a.example/readme", True),
    (r"(?P<name>a)b{0,3}", "https://a.example/", True),
    (r"é", "https://a.example/é", True),
    (r"a", "\ud800a", True),
]


def patterns(*texts):
    return [LinearPattern(text, "skip_urls") for text in texts]


@pytest.mark.spec("SEC-8", "SEC-11")
@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_pattern_takes_linear_time(pattern):
    (rule,) = patterns(pattern)
    remap = Remaps([f"{pattern} https://x"])
    assert is_linear(lambda size: rule.search("a" * size + "!"), 2_000)
    assert is_linear(lambda size: remap.address("a" * size + "!"), 2_000)


@pytest.mark.spec("SEC-11")
@pytest.mark.parametrize("setting", ["skip_urls", "ask_urls", "remap"])
def test_a_pull_request_cannot_hang_a_run(tmp_path, monkeypatch, setting):
    rule = "(a+)+$" + (" https://x" if setting == "remap" else "")
    (tmp_path / "holdfast.toml").write_text(f"{setting} = ['{rule}']\nfetch_external_urls = true\n")
    (tmp_path / "a.md").write_text(f"<https://example.com/{'a' * 41}!>\n")
    monkeypatch.chdir(tmp_path)
    assert holdfast("check", ".", "--dry-run").status in (0, 1)


@pytest.mark.spec("SEC-11")
@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_not_looked_for_is_named_with_its_setting(pattern):
    with pytest.raises(ConfigError, match=REFUSED[pattern]) as told:
        LinearPattern(pattern, "skip_urls")
    assert str(told.value).startswith("skip_urls: ")
    ours, why = skip_pattern(pattern, "linkcheck_ignore")
    assert (ours, why.startswith("linkcheck_ignore: ")) == (None, True)


def test_a_pattern_that_is_refused_ends_the_command_with_2(tmp_path, monkeypatch):
    (tmp_path / "holdfast.toml").write_text("skip_urls = ['a(?!b)']\n")
    (tmp_path / "a.md").write_text("<https://example.com/>\n")
    monkeypatch.chdir(tmp_path)
    done = holdfast("check", ".")
    assert (done.status, "skip_urls" in done.err, "a look-ahead" in done.err) == (2, True, True)


@pytest.mark.parametrize(("pattern", "text", "is_found"), FOUND)
def test_a_pattern_is_found_anywhere(pattern, text, is_found):
    assert LinearPattern(pattern, "skip_urls").search(text) is is_found


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ([], "https://docs.example/a/b"),
        (["https://docs.example http://127.0.0.1:8000"], "http://127.0.0.1:8000/a/b"),
        ([r"^https://docs\.example/(\w+)/(\w+)$ https://new.example/$2/$1"], "https://new.example/b/a"),
        ([r"(?P<rest>/a.*) /x${rest}"], "https://docs.example/x/a/b"),
        (["nothing https://x.example", "docs one", "docs two"], "https://one.example/a/b"),
    ],
)
def test_a_remap_changes_what_is_asked(rules, asked):
    assert Remaps(rules).address("https://docs.example/a/b") == asked


@pytest.mark.parametrize("rule", ["https://only-a-pattern", "( https://x", "a https://x/$1"])
def test_a_remap_that_means_nothing_is_an_error(rule):
    with pytest.raises(ConfigError):
        Remaps([rule])


def test_urls_that_are_asked_for_are_stronger_than_what_leaves_them_out():
    rules = HostRules(
        skip=["a.org"], skip_urls=patterns("/private"), ask_urls=patterns("a[.]org/yes"), skip_reserved=True
    )
    assert rules.refusal_of("https://a.org/yes", "a.org") is None
    assert rules.refusal_of("https://a.org/no", "a.org") == "skip_hosts has a.org"
    assert rules.refusal_of("https://b.org/", "b.org") is None
    alone = HostRules(ask_urls=patterns("a[.]org/yes"))
    assert alone.refusal_of("https://b.org/", "b.org") == "ask_urls does not have it"
    with pytest.raises(ConfigError, match="ask_urls"):
        LinearPattern("(", "ask_urls")
