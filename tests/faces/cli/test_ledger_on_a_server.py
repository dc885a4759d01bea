"""The same commands with `ledger = "postgresql://…"`: same exits, same bytes."""

from __future__ import annotations

import json

import pytest

from helpers.sites.server import Site, page
from helpers.trusting import trust

SITE = {
    "/": page("Home", links=["/a", "/b"]),
    "/a": page("A", links=["/b", "/"]),
    "/b": page("B", text="The same words as before."),
}
FLAGS = ("--discover", "links", "--content-rate-limit", "0", "--allow-private", "--processes", "1", "-q")


@pytest.fixture
def project(tmp_path):
    """A folder with a settings file: mirrors in it have names."""
    (tmp_path / "holdfast.toml").write_text("")
    return tmp_path


def bytes_of(folder):
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix == ".md"
    }
    manifest = json.loads((folder / "_manifest.json").read_text())
    pages = [{k: v for k, v in p.items() if "at" not in k.split("_")} for p in manifest["pages"]]
    return found, manifest["crawl"]["seal"], pages


@pytest.mark.spec("CLU-1")
def test_a_mirror_is_the_same_wherever_its_ledger_is(holdfast, project, postgres):
    with Site(SITE).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "embedded", *FLAGS).status == 0
        served = ("--ledger", postgres, "--store", project / "served-state")
        made = holdfast("mirror", f"{origin}/", "-o", "served", *FLAGS, *served)
        assert made.status == 0, made.err
        assert bytes_of(project / "embedded") == bytes_of(project / "served")
        again = holdfast("mirror", f"{origin}/", "-o", "served", *FLAGS, *served, "--update", "--json")
        assert again.status == 0, again.err
        assert holdfast("log", f"{origin}/a", *served, "--json").json["parts"][0]["page"]["captures"]
    assert [
        run["label"] for run in holdfast("log", "--runs", *served, "--json").json["parts"][0]["runs"]
    ] == ["served", "served"]
    assert holdfast("verify", project / "served", *served).status == 0
    assert holdfast("verify", *served).status == 0
    assert holdfast("store", "migrate", *served).status == 0
    assert "served" not in holdfast("log", "--runs").out
    assert holdfast("forget", f"{origin}/b", *served).status == 0
    assert holdfast("verify", *served).status == 0


@pytest.mark.spec("CLU-1")
def test_documents_are_tracked_on_a_server(holdfast, project, postgres, monkeypatch):
    monkeypatch.setenv("HOLDFAST_LEDGER", postgres)
    with Site(SITE).serve() as origin:
        (project / "notes.md").write_text(f"See [a]({origin}/a) and [gone]({origin}/gone).\n")
        ran = holdfast("check", ".", "--fetch-urls", "--allow-private", "--content-rate-limit", "0")
        assert ran.status in (0, 1), ran.err
        assert f"{origin}/gone" in holdfast("backlinks", f"{origin}/gone", "--json").out
    assert not (project / ".holdfast" / "ledger.db").exists()


@pytest.mark.spec("CLU-1")
def test_a_lone_mirror_has_no_name_that_a_shared_ledger_could_use(holdfast, postgres):
    with Site(SITE).serve() as origin:
        ran = holdfast("mirror", f"{origin}/", "-o", "out", *FLAGS, "--ledger", postgres)
    assert ran.status == 2
    assert "needs a name for the mirror" in ran.err
    assert "holdfast.toml" in ran.err


@pytest.mark.spec("CLU-1", "STA-7")
def test_a_ledger_is_not_written_where_its_archive_is_not(holdfast, project, postgres):
    with Site(SITE).serve() as origin:
        command = ("mirror", f"{origin}/", "-o", "out", *FLAGS, "--ledger", postgres)
        assert holdfast(*command).status == 0
        elsewhere = holdfast(*command, "--store", project / "elsewhere")
        assert elsewhere.status == 3
        assert "the archive of this ledger is not in" in elsewhere.err
        assert holdfast("log", "--runs", "--ledger", postgres, "--store", project / "elsewhere").status == 0


@pytest.mark.spec("SEC-3")
def test_the_settings_are_shown_without_the_password(holdfast, monkeypatch):
    for address in ("postgresql://me:s3cret@db/h", "postgresql://me@db/h?password=s3cret"):
        for form in ((), ("--json",)):
            monkeypatch.setenv("HOLDFAST_LEDGER", address)
            ran = holdfast("config", *form)
            assert "s3cret" not in ran.out
            assert "postgresql://" in ran.out


def test_an_address_that_is_none_is_refused_without_repeating_it(holdfast):
    ran = holdfast("log", "--runs", "--ledger", "mysql://me:s3cret@db/h")
    assert ran.status == 2
    assert "cannot be read" in ran.err
    assert "s3cret" not in ran.err


@pytest.mark.spec("CLU-1")
@pytest.mark.parametrize(
    "words", [("cluster", "jobs"), ("cluster", "submit", "--all"), ("cluster", "worker", "--drain")]
)
def test_who_names_no_server_is_told_so(holdfast, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holdfast.toml").write_text('[mirror.docs]\nsource = "https://docs.example/"\n')
    trust(tmp_path)
    done = holdfast(*words)
    assert done.status == 2
    assert "on a server" in done.err
    assert 'ledger = "postgresql://' in done.err
