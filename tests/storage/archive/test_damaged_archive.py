"""An archive that was cut, lost, or has a bit flipped: work goes on, and the remedy that is named heals."""

from __future__ import annotations

import json
from random import Random

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = [pytest.mark.spec("STA-7"), pytest.mark.spec("STA-8")]


@pytest.fixture
def site():
    with LivingSite() as living:
        for name in "abcdef":
            living.put(f"/{name}", f"Words of {name} " + name * 50)
        yield living


@pytest.fixture
def folder(site, tmp_path):
    folder = tmp_path / "mirror"
    run(site, folder)
    site.put("/a", "Later words of a")
    run(site, folder, "--update", "--max-age", "0s")
    return folder


def run(site, folder, *flags):
    done = mirror(site.origin + "/", folder, *flags)
    assert done.status == 0, done.err
    return done


def archive_of(folder):
    return next((folder / ".holdfast" / "archive").glob("*.warc.gz"))


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def lose(path):
    path.unlink()


def flip(at):
    def damage(path):
        data = bytearray(path.read_bytes())
        data[int(len(data) * at)] ^= 0x10
        path.write_bytes(data)

    damage.__name__ = f"flip at {at}"
    return damage


def zeros(path):
    data = path.read_bytes()
    third = len(data) // 3
    path.write_bytes(data[:third] + bytes(third) + data[2 * third :])


def garbage(path):
    path.write_bytes(path.read_bytes() + b"garbage" * 10)


def empty(path):
    path.write_bytes(b"")


DAMAGES = [cut, lose, zeros, garbage, flip(0.0), flip(0.1), flip(0.35), flip(0.6), flip(0.97)]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_the_remedy_heals(site, folder, damage):
    damage(archive_of(folder))
    found = holdfast("verify", folder, "--processes", 1)
    assert found.status == 1, found.err
    if damage is garbage:
        assert "moves them aside" in found.out
        assert holdfast("store", "prune", "--store", folder).status == 0
    else:
        assert "`holdfast verify --repair`" in found.out
        assert holdfast("verify", "--repair", "--yes", "--store", folder).status == 0
    run(site, folder, "--update", "--max-age", "0s")
    after = holdfast("verify", folder, "--processes", 1)
    assert after.status == 0, after.out
    for name in "abcdef":
        shown = holdfast("show", f"{site.origin}/{name}", "--store", folder)
        assert shown.status == 0, shown.err
        assert f"ords of {name}" in shown.out


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_work_goes_on_without_any_remedy(site, folder, damage):
    damage(archive_of(folder))
    run(site, folder, "--update", "--max-age", "0s")
    site.put("/b", "New words of b")
    run(site, folder, "--update", "--max-age", "0s")
    assert "New words of b" in holdfast("show", site.origin + "/b", "--store", folder).out
    assert holdfast("forget", site.origin + "/c", "--store", folder).status == 0
    assert holdfast("store", "prune", "--store", folder).status == 0
    assert holdfast("restore", folder, "-q").status in (0, 1)


def test_what_is_lost_is_named_once_and_counted_no_more(site, folder):
    """The first version of /a exists nowhere else: it is lost, and said to be, one time."""
    lose(archive_of(folder))
    said = run(site, folder, "--update", "--max-age", "0s").err
    assert "captures are gone" in said
    assert holdfast("verify", folder, "--processes", 1).status == 0
    again = run(site, folder, "--update", "--max-age", "0s").err
    assert "gone;" not in again


@pytest.mark.parametrize("damage", [empty, lose], ids=lambda damage: damage.__name__)
def test_a_body_that_another_file_repeats_is_lost_in_words(site, tmp_path, monkeypatch, damage):
    """The first file is full and holds the body, the second one says that it was seen again."""
    monkeypatch.setenv("HOLDFAST_ARCHIVE_FILE_MB", "1")
    folder, large = tmp_path / "mirror", Random(1).randbytes(1_500_000).hex()
    site.put("/large", large)
    run(site, folder)
    site.put("/large", "Words in between")
    run(site, folder, "--update", "--max-age", "0s")
    site.put("/large", large)
    run(site, folder, "--update", "--max-age", "0s")
    first, second = sorted((folder / ".holdfast" / "archive").glob("*.warc.gz"))
    assert second.stat().st_size < 100_000
    damage(first)
    found = holdfast("verify", folder, "--processes", 1)
    assert found.status == 1, found.err
    assert "the archive cannot give the capture back" in found.out
    shown = holdfast("show", f"{site.origin}/large", "--store", folder)
    assert shown.status == 3, shown.err
    assert first.name in shown.err


def test_damage_to_one_record_costs_that_record_alone(site, folder):
    flip(0.35)(archive_of(folder))
    done = holdfast("verify", "--repair", "--yes", "--store", folder, "--json")
    assert done.status == 0
    assert json.loads(done.out)["parts"][0]["repair"]["lost"] <= 1


def test_no_revisit_refers_to_what_cannot_be_read(site, folder):
    """The same body again, while the record that holds it is broken: it is stored whole; where a server only
    says that nothing changed, it is asked for the whole page the next time.
    """
    path = archive_of(folder)
    size = path.stat().st_size
    zeros(path)
    for resource in list(site.resources):
        if len(resource) == 2:
            site.put(resource, f"Words of {resource[1]} " + resource[1] * 50)
    run(site, folder, "--update", "--max-age", "0s")
    run(site, folder, "--update", "--max-age", "0s")
    assert path.stat().st_size > size
    for name in "bcdef":
        assert f"Words of {name}" in holdfast("show", f"{site.origin}/{name}", "--store", folder).out


def test_gc_deletes_no_file_that_it_cannot_read(site, folder):
    """What no item needs goes; a file with a record that cannot be read lies among the orphans."""
    site.put("/e", body=b"gone", status=500)
    mirror(site.origin + "/", folder, "--update", "--max-age", "0s")
    site.put("/e", "Words of e " + "e" * 50)
    zeros(path := archive_of(folder))
    damaged = path.read_bytes()
    done = holdfast("store", "prune", "--store", folder)
    assert done.status == 0, done.err
    assert "dropped: 1 capture" in done.err or "1 capture" in done.err, done.err
    kept = folder / ".holdfast" / "archive" / "orphans" / path.name
    assert kept.read_bytes() == damaged
    assert holdfast("verify", "--store", folder).status == 0
