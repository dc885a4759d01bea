"""Records of others, and of a folder that came from elsewhere, cost no more memory than one that is taken,
and spoil nothing but themselves (SEC-8, SEC-11, STA-7).
"""

import gzip
import itertools
import json
from collections import deque

import pytest

from helpers.growth import least_memory
from helpers.sites.command import holdfast
from holdfast.core.base.errors import ArchiveError
from holdfast.storage.archive.foreign import ForeignFiles, records_in
from holdfast.storage.archive.members import member_at, members_of, next_member, pack, stretches_of, unpack
from holdfast.storage.archive.warc_record import Record, parse_record

pytestmark = pytest.mark.spec("SEC-8", "SEC-11", "STA-7")

MIB = 1 << 20
PAGE = b"<!doctype html><title>a</title><main><p>Words.</p></main>"


def record(name="a", *, answer=b"", body=PAGE, **changed):
    """A response record; what is changed is said by the names of its fields."""
    block = answer or b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": f"https://example.com/{name}",
        "WARC-Date": "2024-05-01T10:00:00Z",
        "Content-Length": str(len(block)),
    } | {key.replace("_", "-"): value for key, value in changed.items()}
    head = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def zeros(size):
    """A gzip member of so many zeros."""
    return gzip.compress(bytes(size))


def names(file, **how):
    """The pages of a file, and how many flaws it has."""
    files = ForeignFiles([file], **how)
    return [capture.final.path for capture, _ in files.captures()], len(files.flaws)


def hugely(size):
    """A file with one huge member of each kind between good ones."""
    lie = record("huge", Content_Length=str(size + 44))
    return b"".join(
        gzip.compress(one)
        for one in (
            record("1"),
            bytes(size),
            record("2"),
            record("huge", body=bytes(size)),
            record("3"),
            lie + bytes(size),
            record("4"),
            record("x") [:-4] + b"\r\n" * (size // 2),
            record("5"),
            b"WARC/1.0\r\n" * 2_000,
            record("6"),
        )
    )  # fmt: skip


def test_memory_does_not_grow_with_a_member(tmp_path):
    file = tmp_path / "a.warc.gz"
    took = []
    for size in (10 * MIB, 30 * MIB):
        file.write_bytes(hugely(size))
        found, flaws = names(file, most=MIB)
        assert found == ["/1", "/2", "/3", "/4", "/x", "/5", "/6"]
        assert flaws > 3
        took.append(least_memory(lambda: deque(ForeignFiles([file], most=MIB).captures(), maxlen=0)))
    assert max(took) < 14 * MIB
    assert took[1] < took[0] * 1.2


def test_a_plain_file_with_a_huge_record_is_passed_over(tmp_path):
    file = tmp_path / "a.warc"
    file.write_bytes(record("1") + record("huge", body=bytes(40 * MIB)) + record("2"))
    assert names(file, most=MIB) == (["/1", "/2"], 1)
    assert least_memory(lambda: deque(ForeignFiles([file], most=MIB).captures(), maxlen=0)) < 10 * MIB


@pytest.mark.parametrize("coding", ["gzip", "chunked"])
def test_a_coded_body_ends_at_what_is_taken(tmp_path, coding):
    if coding == "gzip":
        coded = b"Content-Encoding: gzip\r\n\r\n" + zeros(50 * MIB)
    else:
        coded = b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * (MIB // 50) + b"0\r\n\r\n"
    file = tmp_path / "a.warc"
    file.write_bytes(record("1") + record("b", answer=b"HTTP/1.1 200 OK\r\n" + coded) + record("2"))
    found, flaws = names(file, most=MIB)
    assert (found, flaws) == ((["/1", "/2"], 1) if coding == "gzip" else (["/1", "/b", "/2"], 0))
    assert least_memory(lambda: deque(ForeignFiles([file], most=MIB).captures(), maxlen=0)) < 10 * MIB


ABSURD = {
    "status": record(answer=b"HTTP/1.1 99999999999999999999 OK\r\n\r\nx"),
    "status of 5,000 digits": record(answer=b"HTTP/1.1 " + b"9" * 5000 + b" OK\r\n\r\nx"),
    "status of no number": record(answer=b"HTTP/1.1 -1 OK\r\n\r\nx"),
    "length": record(Content_Length="9" * 30),
    "length of 5,000 digits": record(Content_Length="9" * 5000),
    "length of less than nothing": record(Content_Length="-5"),
    "length of another script": record(Content_Length="٣"),
    "date before all dates": record(WARC_Date="0001-01-01T00:00:00+14:00"),
    "date after all dates": record(WARC_Date="9999-12-31T23:59:59-14:00"),
    "date of 5,000 digits": record(WARC_Date="9" * 5000),
    "address": record(WARC_Target_URI="https://example.com/" + "a" * 100_000),
    "port": record(WARC_Target_URI="https://example.com:99999999999999999999/"),
    "chunk": record(
        answer=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nffffffffffffffff0\r\n"
    ),
    "many fields": record(answer=b"HTTP/1.1 200 OK\r\n" + b"a:b\r\n" * 400_000),
    "many fields, and an end": record(answer=b"HTTP/1.1 200 OK\r\n" + b"a:b\r\n" * 300_000 + b"\r\nx"),
    "a revisit": record(
        WARC_Type="revisit", WARC_Payload_Digest="sha1:A", WARC_Profile="identical-payload-digest"
    ),
}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize("name", ABSURD)
def test_an_absurd_record_costs_itself_alone(tmp_path, name, packed):
    good = [record("1"), ABSURD[name], record("2")]
    file = tmp_path / ("a.warc.gz" if packed else "a.warc")
    file.write_bytes(b"".join(gzip.compress(one) if packed else one for one in good))
    done = holdfast("store", "import", file, "--store", tmp_path / "state", "--processes", "1", "--json")
    said = json.loads(done.out)
    assert said["captures"] >= 2
    if name not in ("address", "port", "length of another script"):
        assert (done.status, said["captures"], len(said["flaws"])) == (1, 2, 1)
        assert file.name in said["flaws"][0]
        assert len(said["flaws"][0]) < 200


def test_of_very_many_flaws_the_first_are_named_and_the_rest_counted(tmp_path):
    file = tmp_path / "a.warc"
    file.write_bytes(record("1") + b"WARC/1.0\r\n" * 3_000 + record("2"))
    files = ForeignFiles([file])
    assert [capture.final.path for capture, _ in files.captures()] == ["/1", "/2"]
    assert len(files.flaws) == 1_001
    assert files.flaws[-1].startswith("and 2000 records more")


def looked_at(data, cut):
    """How many bytes are looked for in a text that comes in pieces."""
    return list(records_in(data[at : at + cut] for at in range(0, len(data), cut)))


@pytest.mark.parametrize("cut", [1, 3, 7, 64, 1_000])
def test_records_are_the_same_however_they_come(cut):
    data = b"\r\n\r\nstray" + record("1") + b"stray\n" + record("2")[:-4] + b"\nWARC/1.0\r\n" + record("3")
    whole = looked_at(data, len(data))
    assert [getattr(found, "type", "words") for _, found in whole] == [
        "words", "response", "words", "response", "words", "response",
    ]  # fmt: skip
    assert looked_at(data, cut) == whole


def test_what_lies_of_its_length_is_read_again_behind_its_first_line():
    data = record("a", Content_Length="900") + record("b")
    found = [one for _, one in records_in([data], len(data))]
    assert [type(one) for one in found[:1]] == [str]
    assert [one.field("WARC-Target-URI") for one in found if isinstance(one, Record)][-1].endswith("/b")


def test_a_record_of_ours_that_is_too_large_is_damage_of_its_own(tmp_path):
    path = tmp_path / "holdfast-00001.warc.gz"
    path.write_bytes(pack(b"one") + pack(bytes(2_000)) + pack(b"three"))
    told = [record if isinstance(record, bytes) else str for _, _, record in members_of(path, most=1_000)]
    assert told == [b"one", str, b"three"]


def test_what_is_too_large_is_never_held(tmp_path):
    path = tmp_path / "holdfast-00001.warc.gz"
    took = []
    for size in (10 * MIB, 30 * MIB):
        path.write_bytes(pack(b"one") + pack(bytes(size)) + pack(b"three"))
        took.append(least_memory(lambda: deque(members_of(path, most=MIB), maxlen=0)))
    assert max(took) < 8 * MIB


@pytest.mark.parametrize(
    "reader", [lambda path: member_at(path, 0), lambda path: unpack(path.read_bytes(), "a")]
)
def test_a_single_record_that_is_too_large_is_an_error(tmp_path, monkeypatch, reader):
    monkeypatch.setattr("holdfast.storage.archive.members.MOST_IN_RECORD", 1_000)
    path = tmp_path / "a"
    path.write_bytes(pack(bytes(2_000)))
    with pytest.raises(ArchiveError, match="more than 1000 bytes in one record"):
        reader(path)


@pytest.mark.parametrize("length", ["9" * 5000, "9" * 30, "-1", "1e3", ""])
def test_a_length_that_is_no_length_is_said(length):
    data = record(Content_Length=length)
    with pytest.raises(Exception, match="its header says") as told:
        parse_record(data)
    assert len(str(told.value)) < 200


def test_beginnings_that_lead_nowhere_are_not_tried_for_ever(tmp_path, monkeypatch):
    """Each begins a stored block of 64 KiB, so that a try reads that far."""
    begin = b"\x1f\x8b\x08\0\0\0\0\0\0\x03"
    trap = begin + b"\0\xff\xff\0\0"
    read = itertools.count()

    class Counted(type(tmp_path)):
        def open(self, *args, **named):
            file = super().open(*args, **named)
            original = file.read

            class File:
                def read(self, size=-1):
                    next(read)
                    return original(size)

                def seek(self, at):
                    return file.seek(at)

                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    file.close()

            return File()

    monkeypatch.setattr("holdfast.storage.archive.members._MOST_IN_VAIN", 20 * MIB)
    (tmp_path / "a.warc.gz").write_bytes(trap * (2 * MIB // len(trap)))
    path = Counted(tmp_path / "a.warc.gz")
    assert next_member(path, 0, begin[:3]) is None
    assert next(read) < 2_000
    assert [type(one) for _, _, one in stretches_of(path)] == [str]
