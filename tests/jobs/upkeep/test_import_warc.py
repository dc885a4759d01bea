"""`holdfast store import` takes archives that others made: captures and items under a run of their own."""

from __future__ import annotations

import gzip
import io
import json
from collections import deque

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from helpers.growth import least_memory
from helpers.sites.command import holdfast
from holdfast.storage.archive.foreign import ForeignFiles

pytestmark = [
    pytest.mark.spec("STA-7"),
    # warcio leaves its temporary files to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PAGE = "<!doctype html><title>{0}</title><main><h1>{0}</h1><p>Words of {0}.</p><a href='/b'>b</a></main>"


def chunked(body):
    return (
        b"".join(
            b"%x\r\n%s\r\n" % (len(body[at : at + 50]), body[at : at + 50]) for at in range(0, len(body), 50)
        )
        + b"0\r\n\r\n"
    )


def others(path, *, packed):
    """An archive as warcio writes one: SHA-1 digests, bodies as they were sent."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "somebody else's"}))
        kept = {}
        for name, date, headers, body in (
            ("a", "2024-05-01T10:00:00Z", [], PAGE.format("first a").encode()),
            (
                "b",
                "2024-05-01T10:00:01Z",
                [("Content-Encoding", "gzip")],
                gzip.compress(PAGE.format("b").encode()),
            ),
            (
                "c",
                "2024-05-01T10:00:02Z",
                [("Transfer-Encoding", "chunked")],
                chunked(PAGE.format("c").encode()),
            ),
            ("a", "2024-06-01T10:00:00Z", [], PAGE.format("second a").encode()),
            ("d.png", "2024-06-01T10:00:00Z", [("Content-Type", "image/png")], b"\x89PNG\r\n\x1a\n"),
        ):
            fields = [*headers, *([] if name == "d.png" else [("Content-Type", "text/html; charset=utf-8")])]
            record = writer.create_warc_record(
                f"https://example.com/{name}",
                "response",
                payload=io.BytesIO(body),
                http_headers=StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1"),
                warc_headers_dict={"WARC-Date": date},
            )
            writer.write_record(record)
            kept[name] = record
        again = writer.create_revisit_record(
            "https://example.com/c",
            kept["c"].rec_headers.get_header("WARC-Payload-Digest"),
            "https://example.com/c",
            "2024-05-01T10:00:02Z",
            http_headers=StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-Date": "2024-06-01T10:00:02Z"},
        )
        writer.write_record(again)
    return path


def taken(state, *files):
    done = holdfast("store", "import", *files, "--store", state, "--processes", "1", "--json")
    return done, json.loads(done.out) if done.out else None


@pytest.mark.parametrize("packed", [True, False])
def test_others_archives_are_taken_in(tmp_path, packed):
    file = others(tmp_path / ("other.warc.gz" if packed else "other.warc"), packed=packed)
    state = tmp_path / "state"
    done, said = taken(state, file)
    assert done.status == 0, done.err
    assert (said["captures"], said["items"], said["flaws"]) == (6, 4, [])
    history = json.loads(holdfast("log", "https://example.com/a", "--store", state, "--json").out)
    assert [seen["fetched_at"][:10] for seen in history["parts"][0]["page"]["captures"]] == [
        "2024-05-01",
        "2024-06-01",
    ]
    assert [seen["title"] for seen in history["parts"][0]["page"]["captures"]] == ["first a", "second a"]
    again = json.loads(holdfast("log", "https://example.com/c", "--store", state, "--json").out)
    assert len({seen["content_sha256"] for seen in again["parts"][0]["page"]["captures"]}) == 1
    assert "Words of b" in holdfast("show", "https://example.com/b", "--store", state).out
    checked = holdfast("verify", "--store", state)
    assert checked.status == 0, checked.out
    assert len(json.loads(holdfast("log", "--runs", "--store", state, "--json").out)["parts"][0]["runs"]) == 1


def test_the_same_files_again_are_nothing_new(tmp_path):
    file = others(tmp_path / "other.warc.gz", packed=True)
    taken(tmp_path / "state", file)
    _, said = taken(tmp_path / "state", file)
    assert said["was_done"] is True
    assert (
        len(
            json.loads(holdfast("log", "--runs", "--store", tmp_path / "state", "--json").out)["parts"][0][
                "runs"
            ]
        )
        == 1
    )


@pytest.mark.parametrize("packed", [True, False])
def test_bad_records_are_named_and_skipped(tmp_path, packed):
    file = others(tmp_path / "other.warc.gz", packed=packed)
    data = file.read_bytes()
    mark = b"\x1f\x8b\x08" if packed else b"WARC/1."
    starts = [at for at in range(len(data)) if data.startswith(mark, at)]
    second = starts[2]  # after warcinfo and the first page
    broken = data[:second] + (b"\xff" * 30 if packed else b"X") + data[second + (30 if packed else 1) :]
    file.write_bytes(broken)
    done, said = taken(tmp_path / "state", file)
    assert done.status == 1
    assert said["flaws"]
    assert file.name in said["flaws"][0]
    assert said["captures"] == 5


def test_what_is_no_archive_is_said(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing of the kind\n" * 100)
    done, said = taken(tmp_path / "state", tmp_path / "notes.txt")
    assert done.status == 1
    assert said["captures"] == 0
    assert said["flaws"]
    assert holdfast("store", "import", tmp_path / "missing.warc", "--store", tmp_path / "state").status == 2


def test_a_plain_file_is_not_read_into_memory(tmp_path):
    """What is held grows with the largest record, not with the file."""
    path = tmp_path / "large.warc"
    block = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + b"x" * 1_000_000
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/{}\r\n"
    head += f"WARC-Date: 2024-05-01T10:00:00Z\r\nContent-Length: {len(block)}\r\n\r\n"
    with path.open("wb") as file:
        for number in range(40):
            file.write(head.format(number).encode() + block + b"\r\n\r\n")
    assert sum(1 for _ in ForeignFiles([path]).captures()) == 40
    assert least_memory(lambda: deque(ForeignFiles([path]).captures(), maxlen=0)) < 12_000_000


def revisit(profile, status):
    answer = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n"
    fields = (
        "WARC-Type: revisit", "WARC-Target-URI: https://example.com/a", "WARC-Date: 2024-05-01T10:00:00Z",
        f"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/{profile}", "WARC-Payload-Digest: sha1:A",
        "Content-Type: application/http; msgtype=response", f"Content-Length: {len(answer)}",
    )  # fmt: skip
    return "\r\n".join(("WARC/1.0", *fields, "", f"{answer}\r\n\r\n")).encode()


def test_an_answer_without_a_body_is_not_the_body_of_a_revisit(tmp_path):
    file = tmp_path / "a.warc"
    file.write_bytes(
        revisit("server-not-modified", "304 Not Modified") + revisit("identical-payload-digest", "200 OK")
    )
    files = ForeignFiles([file])
    assert [capture.status for capture, _ in files.captures()] == [304]
    assert [flaw.partition(": ")[2] for flaw in files.flaws] == [
        "the revisit's body is in none of these files"
    ]


def test_what_cannot_be_unpacked_is_named_once(tmp_path):
    file = tmp_path / "a.warc.gz"
    file.write_bytes(gzip.compress(b"WARC/1.0\r\n")[:-9])
    files = ForeignFiles([file])
    assert list(files.captures()) == []
    assert [flaw.count(file.name) for flaw in files.flaws] == [1]
