"""What is brought to a store is placed once, and ledger and archive keep the place (LIN-10)."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta

import apsw
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite
from holdfast.adapters.system import SystemClock

pytestmark = [
    pytest.mark.spec("LIN-10"),
    # warcio leaves its temporary files to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def site():
    with LivingSite() as living:
        yield living


@pytest.fixture
def clock(monkeypatch):
    """Sets the machine's clock to so many days after the start; it goes on from there."""

    def put(day):
        began = datetime.now(UTC)
        monkeypatch.setattr(
            SystemClock, "now", lambda _: START + timedelta(days=day) + (datetime.now(UTC) - began)
        )

    return put


def looks(site, folder, clock, *days):
    """A look at a page on each of these days, by a clock that says so."""
    for number, day in enumerate(days):
        site.put("/a", f"Own of day {day}")
        clock(day)
        flags = ("--update", "--max-age", "0s") if number else ()
        assert mirror(site.origin + "/", folder, *flags).status == 0


def archive_of(path, url, *days):
    """An archive of somebody else: a page on each of these days."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        for day in days:
            body = f"<!doctype html><title>a</title><main><h1>a</h1><p>Brought of day {day}</p></main>"
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    payload=io.BytesIO(body.encode()),
                    http_headers=StatusAndHeaders(
                        "200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1"
                    ),
                    warc_headers_dict={
                        "WARC-Date": f"{START + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}",
                    },
                )
            )
    return path


def imported(folder, file):
    done = holdfast("store", "import", file, "--store", folder / ".holdfast", "--processes", "1")
    assert done.status == 0, done


def days_of(folder, url):
    """The days that a page's history says, in its order."""
    told = json.loads(holdfast("log", url, "--store", folder / ".holdfast", "--json").out)
    times = (
        datetime.fromisoformat(capture["fetched_at"]) for capture in told["parts"][0]["page"]["captures"]
    )
    return [(time - START).days for time in times]


def shown(folder, url, *words):
    return holdfast("show", url, "--store", folder / ".holdfast", *words).out


def test_an_old_archive_that_is_imported_today_is_not_the_current_page(site, tmp_path, clock):
    folder, url = tmp_path / "mirror", site.origin + "/a"
    looks(site, folder, clock, 1, 300, 5)
    imported(folder, archive_of(tmp_path / "old.warc", url, -2600, 3))
    assert days_of(folder, url) == [-2600, 1, 3, 300, 5]
    assert "Own of day 5" in shown(folder, url)
    assert "Brought of day -2600" in shown(folder, url, "--at", "2020-01-01")
    site.put("/a", "Own of day 5")
    clock(6)
    assert mirror(site.origin + "/", folder, "--update", "--max-age", "0s").status == 0
    assert days_of(folder, url)[-1] == 6
    assert "Own of day 5" in shown(folder, url)
    assert holdfast("verify", folder, "--processes", "1").status == 0
    assert holdfast("verify", "--store", folder / ".holdfast").status == 0


@pytest.mark.parametrize("are_chapters_lost", [False, True])
def test_a_ledger_that_is_made_anew_has_the_same_order(site, tmp_path, clock, are_chapters_lost):
    folder, url = tmp_path / "mirror", site.origin + "/a"
    looks(site, folder, clock, 1, 300, 5)
    imported(folder, archive_of(tmp_path / "old.warc", url, -2600, 3, 7))
    clock(2)
    site.put("/a", "Own of day 2")
    assert mirror(site.origin + "/", folder, "--update", "--max-age", "0s").status == 0
    before = days_of(folder, url)
    assert before == [-2600, 1, 3, 7, 300, 5, 2]
    if are_chapters_lost:
        lose_chapters(folder)
    for file in (folder / ".holdfast").glob("ledger.db*"):
        file.unlink()
    done = holdfast("store", "rebuild", "--store", folder / ".holdfast", "--processes", "1")
    assert done.status == 0, done
    assert ("converted again" in done.err) is are_chapters_lost, done
    assert days_of(folder, url) == before
    assert "Own of day 2" in shown(folder, url)


def lose_chapters(folder):
    """Take the records that tell what the ledger said out of the archive's files."""
    from holdfast.storage.archive.members import stretches_of  # noqa: PLC0415 - here alone
    from holdfast.storage.archive.warc_record import decode_part, parse_record  # noqa: PLC0415 - as above

    for path in (folder / ".holdfast/archive").glob("*.warc.gz"):
        data = bytearray(path.read_bytes())
        for offset, length, record in stretches_of(path):
            if not isinstance(record, str) and decode_part(parse_record(record)) is not None:
                data[offset : offset + length] = bytes(length)
        path.write_bytes(data)


def test_a_history_that_is_joined_keeps_its_order_and_that_of_its_root(site, tmp_path, clock):
    root, url = tmp_path / "root", site.origin + "/a"
    looks(site, root / "docs", clock, 1, 20, 4)  # a state of its own: no root is there yet
    (root / "holdfast.toml").touch()
    assert holdfast("check", root, "--store", root / ".holdfast").status in (0, 1)
    looks(site, root / "more", clock, 2, 30, 6)
    clock(7)
    done = holdfast("store", "join", root / "docs")
    assert done.status == 0, done
    told = days_of(root, url)
    assert told == [1, 2, 20, 4, 30, 6]
    assert "Own of day 6" in shown(root, url)
    runs = json.loads(holdfast("log", "--runs", "--store", root / ".holdfast", "--json").out)["parts"][0][
        "runs"
    ]
    begun = [datetime.fromisoformat(run["started_at"]) - START for run in runs if run["job"] == "mirror"]
    assert [each.days for each in begun] == told[::-1]
    assert holdfast("verify", "--store", root / ".holdfast").status == 0
    for file in (root / ".holdfast").glob("ledger.db*"):
        file.unlink()
    assert holdfast("store", "rebuild", "--store", root / ".holdfast", "--processes", "1").status == 0
    assert days_of(root, url) == told
    assert holdfast("verify", "--store", root / ".holdfast").status == 0


def test_nobody_can_move_a_capture(site, tmp_path, clock):
    folder = tmp_path / "mirror"
    looks(site, folder, clock, 1)
    db = apsw.Connection(str(folder / ".holdfast/ledger.db"))
    for sql in ("UPDATE capture SET rank = 9", "UPDATE observation SET stamp = 1", "UPDATE run SET rank = 1"):
        with pytest.raises(apsw.ConstraintError, match="immutable"):
            db.execute(sql)
    db.close()
