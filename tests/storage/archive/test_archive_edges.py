"""Members, stretches, names and counts of an archive at their edges, where a small fault lived."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from helpers.ledger_cases import capture, place
from holdfast.core.base.errors import ArchiveError, FormatError
from holdfast.core.lineage.chapters import RefusedAddress
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.storage.archive import bucket, members
from holdfast.storage.archive import shelf as files
from holdfast.storage.archive.archive import OrphanArchive, WarcArchive
from holdfast.storage.archive.bucket_writer import ObjectWriter
from holdfast.storage.archive.check_records import Survey
from holdfast.storage.archive.members import next_member, pack, pack_to, unpack
from holdfast.storage.archive.orphans import Orphans
from holdfast.storage.archive.recovery import copy_archive, stretch
from holdfast.storage.archive.shelf import ORPHANS, FolderShelf, archive_files, make_folder
from holdfast.storage.archive.warc_capture import decode_capture, encode_capture
from holdfast.storage.archive.warc_record import Info, Record, encode_metadata, parse_record
from holdfast.storage.archive.without_ledger import bring_back
from storage.archive.test_warc_archive import PAGE, new, url

pytestmark = pytest.mark.spec("STA-1")
NOW = datetime(2026, 11, 16, tzinfo=UTC)


class Objects:
    """A bucket that remembers what it was given, and which ranges it was asked for."""

    name = "s3://remembered"

    def __init__(self) -> None:
        self.made: dict[str, bytes] = {}
        self.asked: list[tuple[int, int]] = []

    def create(self, name: str, data: bytes) -> None:
        assert name not in self.made
        self.made[name] = data

    def files(self):
        return [self.file(name) for name in self.made]

    def file(self, name: str) -> bucket.BucketFile:
        return bucket.BucketFile(self, name)

    def size(self, name: str) -> int:
        return len(self.made[name])

    def read(self, name: str, start: int, end: int) -> bytes:
        self.asked.append((start, end))
        return self.made[name][start:end]


def test_a_member_is_as_long_as_it_was_asked_to_be():
    least = len(pack(b"record")) + 1
    for length in range(least, least + 5):
        assert len(pack_to(b"record", length)) == length
        assert unpack(pack_to(b"record", length), "here") == [b"record"]
    assert len(pack_to(b"record", least - 2)) == least - 2


def test_what_is_not_gzip_is_named_as_such():
    with pytest.raises(ArchiveError, match="no intact gzip member"):
        unpack(b"plainly not packed", "here")


def test_a_member_is_found_wherever_its_header_is_cut_by_the_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(members, "_CHUNK", 8)
    for before in range(1, 20):
        path = tmp_path / f"{before}"
        path.write_bytes(b"x" * before + pack(b"record"))
        assert next_member(path, 0) == before


def test_a_stretch_has_its_last_byte(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    assert b"".join(stretch(tmp_path / "file", 0, 1)) == b"a"
    assert b"".join(stretch(tmp_path / "file", 2, None)) == b"c"


def test_what_is_kept_aside_keeps_its_name_unless_that_is_taken(tmp_path):
    shelf, orphans = FolderShelf(tmp_path), tmp_path / ORPHANS
    for text in (b"one", b"one", b"two"):
        (tmp_path / "holdfast-00001.warc.gz").write_bytes(text)
        shelf.keep_aside(["holdfast-00001.warc.gz"])
    kept = {path.name: path.read_bytes() for path in orphans.iterdir()}
    assert kept == {"holdfast-00001.warc.gz": b"one", "holdfast-00001.2.warc.gz": b"two"}


def test_objects_are_numbered_upward_and_hold_what_the_ledger_tells():
    objects = Objects()
    writer = ObjectWriter(objects, "w", Info("test", "a store"), 1_000_000)
    for _ in range(3):
        writer.append(PAGE, None, None)
        _, end = writer.append_told(RefusedAddress("run", "https://e.org/", "no"), NOW)
        writer.sync()
        assert len(objects.made[max(objects.made)]) == end
    assert [name.split("-")[-1] for name in objects.made] == [f"0000{n}.warc.gz" for n in (1, 2, 3)]


def test_a_survey_counts_records_and_calls_only_damaged_files_damaged(tmp_path):
    archive = new(tmp_path)
    ref = archive.append(PAGE)
    archive.sync()
    archive.close()
    for damage in (False, True):
        if damage:
            data = bytearray((tmp_path / ref.file).read_bytes())
            data[ref.offset + 40] ^= 1
            (tmp_path / ref.file).write_bytes(data)
        survey = Survey(FolderShelf(tmp_path), {ref.file: ref.offset + ref.length}, ())
        list(survey.problems())
        assert survey.damaged == ({ref.file} if damage else set())
        assert survey.records == (3 if damage else 4)


def test_folders_above_a_folder_are_made_only_if_that_is_wished(tmp_path):
    with pytest.raises(FileNotFoundError):
        make_folder(tmp_path / "a/b")
    make_folder(tmp_path / "a/b/c", parents=True)
    assert (tmp_path / "a/b/c").is_dir()


def test_what_is_forgotten_among_orphans_is_all_that_was_meant_and_nothing_else(tmp_path):
    def of(name, body, status=200):
        asked = url(f"https://e.org/{name}")
        return replace(PAGE, requested=asked, final=asked, hops=(), body=body, status=status)

    captures = {
        "meant": of("meant", b"words"),
        "the same words elsewhere": of("same", b"words"),
        "other words": of("other", b"other words"),
        "meant, and empty": of("meant/empty", b"", 404),
        "empty too": of("empty", b"", 404),
    }
    archive = new(tmp_path / ORPHANS)
    refs = {name: archive.append(capture) for name, capture in captures.items()}
    archive.sync()
    archive.close()
    assert (
        Orphans(FolderShelf(tmp_path / ORPHANS)).forget(lambda address: "/meant" in address) == 5
    )  # two with their requests
    lost = archive.unreadable(refs.values())
    kept = {name for name, ref in refs.items() if ref not in lost}
    assert kept == {"other words", "empty too"}
    assert all(archive.read(refs[name]) == captures[name] for name in kept)


def test_a_body_lies_in_the_same_piece_of_an_orphan_or_where_it_always_was(tmp_path):
    whole, piece = "holdfast-00001.warc.gz", "holdfast-00001+100.warc.gz"
    archive, ref = OrphanArchive(tmp_path), RecordRef(piece, 5, 9)
    assert archive._home_of(whole, 100, ref) == (tmp_path / ORPHANS / piece, 0)
    assert archive._home_of(whole, 150, ref) == (tmp_path / ORPHANS / piece, 50)
    assert archive._home_of(whole, 99, ref) == (tmp_path / whole, 99)
    (tmp_path / ORPHANS).mkdir()
    (tmp_path / ORPHANS / whole).write_bytes(b"")
    assert archive._home_of(whole, 99, ref) == (tmp_path / ORPHANS / whole, 99)


def test_a_copy_of_an_archive_has_its_orphans(tmp_path):
    (tmp_path / "old" / ORPHANS).mkdir(parents=True)
    (tmp_path / "old/a-00001.warc.gz").write_bytes(b"kept, and more")
    (tmp_path / "old" / ORPHANS / "a-00002.warc.gz").write_bytes(b"aside")
    shelves = FolderShelf(tmp_path / "old"), FolderShelf(tmp_path / "old" / ORPHANS)
    assert copy_archive(*shelves, tmp_path / "new", {"a-00001.warc.gz": 4}) == 9
    assert (tmp_path / "new/a-00001.warc.gz").read_bytes() == b"kept"
    assert (tmp_path / "new" / ORPHANS / "a-00002.warc.gz").read_bytes() == b"aside"


def test_only_the_comment_of_a_padded_member_is_flagged():
    assert pack_to(b"record", 90)[3] == 0x10


def test_a_survey_counts_what_a_missing_file_took_with_it(tmp_path):
    record = capture(place("a"), 0, ref=RecordRef("gone-00001.warc.gz", 0, 9))
    said = list(Survey(FolderShelf(tmp_path), {}, [record]).problems())
    assert said == ["gone-00001.warc.gz: the file is missing, and with it 1 capture"]


def test_pieces_do_not_say_whose_archive_it_is(tmp_path):
    own = new(tmp_path, store_id="own")
    own.append(PAGE)
    other = new(tmp_path / ORPHANS, store_id="other", writer="other")
    for _ in range(3):
        ref = other.append(PAGE)
    for archive in (own, other):
        archive.sync()
        archive.close()
    (tmp_path / ORPHANS / ref.file).rename(tmp_path / ORPHANS / "other-00001+9.warc.gz")
    assert [file.store_id for file in bring_back(tmp_path)[0]] == ["own"]


def test_an_archive_that_was_opened_to_read_is_not_written(tmp_path):
    archive = WarcArchive(FolderShelf(tmp_path))
    for write in (
        lambda: archive.append(PAGE),
        lambda: archive.append_told(RefusedAddress("run", "https://e.org/", "no"), NOW),
    ):
        with pytest.raises(ArchiveError, match="was opened to read"):
            write()


def test_a_folder_is_not_a_file_of_the_archive(tmp_path):
    (tmp_path / "a-00001.warc.gz").mkdir()
    (tmp_path / "a-00002.warc.gz").write_bytes(b"")
    assert archive_files(tmp_path) == [tmp_path / "a-00002.warc.gz"]


def test_of_a_failure_the_first_line_is_said_or_what_kind_it_is():
    assert bucket._first_line(OSError("\nno answer\nand pages about it")) == "no answer"
    assert bucket._first_line(TimeoutError()) == "TimeoutError"


def test_the_name_of_each_new_folder_is_made_durable(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(files, "sync_folder", synced.append)
    for _ in range(2):
        make_folder(tmp_path / "a/b", parents=True)
    assert synced == [tmp_path, tmp_path / "a"]


def test_a_body_that_its_file_ends_before_is_missed_in_words(tmp_path):
    archive = new(tmp_path)
    ref = archive.append(PAGE)
    archive.begin_file()
    again = archive.append(PAGE, Original(ref, str(PAGE.final), PAGE.fetched_at))
    archive.sync()
    archive.close()
    for end in (ref.offset, 0):
        os.truncate(tmp_path / ref.file, end)
        reader = WarcArchive(FolderShelf(tmp_path))
        with pytest.raises(ArchiveError, match=f"{ref.file} at {ref.offset}: the file ends before"):
            reader.read(again)
        assert reader.unreadable([again]) == {again}


def test_a_survey_asks_for_an_object_in_few_ranges_however_many_records_it_holds():
    objects, random = Objects(), Random(1)
    writer = ObjectWriter(objects, "w", Info("test", "a store"), 10_000_000)
    for _ in range(200):
        writer.append(replace(PAGE, body=random.randbytes(8_000)), None, None)
    writer.sync()
    [(name, data)] = objects.made.items()
    survey = Survey(objects, {name: len(data)}, ())
    assert list(survey.problems()) == []
    assert survey.records > 600
    assert sum(end - start for start, end in objects.asked) <= 2 * len(data), (
        "for records, and for their heads"
    )
    assert len(objects.asked) <= 8


ABSURD = [
    *(("Holdfast-Hops", text) for text in ("5", "null", "[[1]]", "[5]", '[["a", 1, "b"]]', "[" * 100_000)),
    *(("Holdfast-Hops", f'[["https://e.org/", {status}, "https://e.org/"]]') for status in ('"²"', "null")),
    ("WARC-Date", "9999-12-31T23:59:59-23:59"),
    ("WARC-Date", "0001-01-01T00:00:00+23:59"),
]


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(("field", "text"), ABSURD, ids=lambda each: each[:20])
def test_a_record_of_an_archive_that_says_absurd_things_is_damage_in_words(field, text):
    response, request, *hops = map(parse_record, encode_capture(PAGE, "here"))
    absurd = Record({**response.fields, field.lower(): text}, response.block)
    with pytest.raises(FormatError):
        decode_capture(absurd, request, None, hops)


@pytest.mark.spec("SEC-8", "STA-4")
def test_what_only_looks_like_an_address_keeps_nothing_from_being_forgotten(tmp_path):
    rows = b'["https://e.org/\\x"]\n["https://e.org/\xff"]\n["https://e.org/meant"]'
    chapter = ("Holdfast-Chapter: run a", "Holdfast-Part: 0", "Holdfast-Last: yes")
    make_folder(tmp_path)
    (tmp_path / "holdfast-00001.warc.gz").write_bytes(pack(encode_metadata(chapter, rows, ("a",), NOW)))
    assert Orphans(FolderShelf(tmp_path)).forget(lambda address: address.endswith("/meant")) == 1
