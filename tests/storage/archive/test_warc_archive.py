"""The archive: what is appended is read back whole, or not at all."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from disk.recording import Recorder
from disk.simulated_disk import Disk, SimulatedDisk
from holdfast.core.base.errors import ArchiveError
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Capture, Hop
from holdfast.storage.archive.archive import WarcArchive, open_archive
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.archive.members import members_of, pack_to
from holdfast.storage.archive.recovery import Aside, KnownFiles
from holdfast.storage.archive.shelf import FolderShelf
from holdfast.storage.archive.warc_record import encode_filler
from holdfast.storage.archive.without_ledger import bring_back

NOW = datetime(2026, 11, 15, 9, 30, 1, 234567, tzinfo=UTC)


def url(text: str) -> Url:
    parsed = parse_url(text)
    assert isinstance(parsed, Url)
    return parsed


A, B = url("https://example.com/a?x=1#part"), url("https://example.com/b")
PAGE = Capture(
    requested=A,
    final=B,
    status=200,
    headers=(
        ("Content-Type", "text/html"),
        ("content-encoding", "gzip"),
        ("Content-Length", "17"),
        ("X-Archive-Orig-Content-Length", "hostile"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    ),
    body=b"<p>hello</p>" * 50,
    fetched_at=NOW,
    hops=(Hop(A, 301, B),),
    request_headers=(("User-Agent", "holdfast"), ("Accept", "*/*")),
)


def new(folder: Path, **options) -> WarcArchive:
    return open_archive(folder, KnownFiles({}), software="test", **options)


@pytest.fixture(params=["memory", "warc"])
def archive(request, tmp_path):
    return MemoryArchive() if request.param == "memory" else new(tmp_path)


def test_a_capture_is_read_back_as_it_was(archive):
    refs = [archive.append(capture) for capture in (PAGE, replace(PAGE, body=b"", status=404))]
    archive.sync()
    assert archive.read(refs[0]) == PAGE
    assert archive.read(refs[1]).status == 404


def test_a_repeated_body_is_read_back_with_it(archive):
    first = archive.append(PAGE)
    again = replace(PAGE, requested=B, hops=(), fetched_at=NOW.replace(hour=11))
    second = archive.append(again, Original(first, B.href, NOW))
    archive.sync()
    assert archive.read(second) == again
    assert second.length < first.length + 400


def test_a_304_is_read_back_without_a_body(archive):
    first = archive.append(PAGE)
    not_modified = replace(PAGE, status=304, body=b"", headers=(("ETag", '"x"'),))
    second = archive.append(not_modified, Original(first, B.href, NOW))
    archive.sync()
    assert archive.read(second) == not_modified


def test_nothing_stands_where_no_record_was_written(archive):
    with pytest.raises(ArchiveError):
        archive.read(RecordRef("memory.warc", 5, 9))


class TestHolding:
    """Whether a revisit may refer to a record."""

    def test_a_record_that_is_whole_is_held_and_so_is_a_repeat_of_its_body(self, tmp_path):
        archive = new(tmp_path)
        first = archive.append(PAGE)
        second = archive.append(replace(PAGE, requested=B), Original(first, B.href, NOW))
        assert archive.unreadable([first, second]) == set()

    @pytest.mark.parametrize("damage", [b"\0" * 8, b"forgotten"])
    def test_a_damaged_or_forgotten_record_is_not_held_nor_are_repeats_of_its_body(self, tmp_path, damage):
        archive = new(tmp_path)
        first = archive.append(PAGE)
        second = archive.append(replace(PAGE, requested=B), Original(first, B.href, NOW))
        archive.sync()
        path = tmp_path / first.file
        data = bytearray(path.read_bytes())
        if damage == b"forgotten":
            data[first.offset : first.offset + first.length] = pack_to(encode_filler(), first.length)
        else:
            middle = first.offset + first.length // 3
            data[middle : middle + len(damage)] = damage
        path.write_bytes(data)
        assert archive.unreadable([first, second]) == {first, second}

    def test_records_that_lie_near_each_other_are_read_in_one_go_and_judged_one_by_one(
        self, tmp_path, monkeypatch
    ):
        archive = new(tmp_path)
        refs = [archive.append(replace(PAGE, body=b"%d" % n)) for n in range(20)]
        archive.sync()
        broken = refs[7]
        with (tmp_path / broken.file).open("r+b") as file:
            file.seek(broken.offset + 20)
            file.write(b"\0" * 8)
        reads = []
        read = archive._shelf.read
        monkeypatch.setattr(archive._shelf, "read", lambda *of: reads.append(of) or read(*of))
        gone = RecordRef("holdfast-99999.warc.gz", 0, 9)
        assert archive.unreadable([*reversed(refs), gone]) == {broken, gone}
        assert len(reads) <= 4, "one for each file, and what is not whole is looked at again"


def _on_the_wire(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _as_parsed(wire: bytes) -> str:
    """A field's value as a client hands it over: no line breaks, odd bytes escaped."""
    return wire.translate(bytes.maketrans(b"\r\n\0", b"...")).decode("utf-8", "surrogateescape")


@st.composite
def captures(draw):
    names = st.text("abcXYZ-0189", min_size=1, max_size=12).filter(str.strip)
    values = st.one_of(st.binary(max_size=30), st.text(max_size=10).map(_on_the_wire)).map(_as_parsed)
    fields = st.lists(st.tuples(names, values), max_size=5).map(tuple)
    paths = st.text("abc/%20é?&=.", max_size=20)
    made = [url(f"https://h{n}.example/{draw(paths)}") for n in range(3)]
    hops = (Hop(made[0], 302, made[1]),) if draw(st.booleans()) else ()
    return Capture(
        requested=made[0],
        final=made[2],
        status=draw(st.integers(200, 599).filter(lambda status: status != 304)),
        headers=draw(fields),
        body=draw(st.binary(max_size=200) | st.binary(max_size=5).map(lambda part: part * 500)),
        fetched_at=NOW + timedelta(microseconds=draw(st.integers(-(10**15), 10**15))),
        hops=hops,
        request_headers=draw(fields.map(lambda f: tuple((f"q-{name}", value) for name, value in f))),
        http_version=draw(st.sampled_from(["1.0", "1.1", "2", "3"])),
        alternate_of=draw(st.sampled_from([None, made[1]])),
        is_brought=draw(st.booleans()),
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(captures(), min_size=1, max_size=4))
def test_any_captures_come_back_equal(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("any")
    archive = new(folder)
    refs = [archive.append(capture) for capture in made]
    archive.sync()
    assert [WarcArchive(FolderShelf(folder)).read(ref) for ref in refs] == made
    shutil.rmtree(folder)


@pytest.mark.spec("SEC-3")
def test_credentials_and_secrets_are_not_in_the_request_record(tmp_path):
    asked = url("https://example.com/a?token=hush1&page=2")
    secret = (("Authorization", "Bearer hush2"), ("Cookie", "s=hush3"), ("Accept", "*/*"))
    archive = new(tmp_path)
    ref = archive.append(replace(PAGE, requested=asked, final=asked, hops=(), request_headers=secret))
    archive.sync()
    requests = [r for r in _records(tmp_path) if r.rec_type == "request"]
    block = requests[0].content_stream().read()
    head = str(requests[0].http_headers)
    assert b"hush" not in block
    assert "hush" not in head
    assert "page=2" in head
    assert dict(archive.read(ref).request_headers)["Authorization"] == "[redacted]"


def test_a_line_break_in_a_value_forges_no_field(tmp_path):
    archive = new(tmp_path)
    forged = replace(PAGE, headers=(("X", "a\r\nWARC-Type: forged\r\n\r\nbody"),))
    ref = archive.append(forged)
    archive.sync()
    assert archive.read(ref).body == PAGE.body
    assert [name for name, _ in archive.read(ref).headers] == ["X"]


@pytest.mark.spec("SEC-4")
def test_a_field_that_no_wire_could_bring_is_written_all_the_same(tmp_path):
    archive = new(tmp_path)
    ref = archive.append(replace(PAGE, headers=(("X", "a\ud800b"),)))
    archive.sync()
    assert archive.read(ref).headers == (("X", "a?b"),)


def test_a_full_file_is_followed_by_the_next_and_both_are_read(tmp_path):
    archive = new(tmp_path, limit=1500)
    refs = [archive.append(replace(PAGE, body=os.urandom(400))) for _ in range(6)]
    archive.sync()
    assert len({ref.file for ref in refs}) > 1
    assert {path.name for path in tmp_path.iterdir()} == {ref.file for ref in refs}
    assert [len(archive.read(ref).body) for ref in refs] == [400] * 6


class TestAfterACrash:
    def crashed(self, folder: Path) -> tuple[RecordRef, dict[str, int]]:
        archive = new(folder)
        kept = archive.append(PAGE)
        archive.sync()
        lost = archive.append(PAGE)
        archive.sync()
        archive.close()
        assert lost.offset == kept.offset + kept.length
        return kept, {kept.file: kept.offset + kept.length}

    @pytest.mark.spec("SEC-6")
    def test_what_was_not_committed_is_moved_aside_and_writing_goes_on_there(self, tmp_path):
        kept, ends = self.crashed(tmp_path)
        archive = open_archive(tmp_path, KnownFiles(ends), software="test")
        again = archive.append(replace(PAGE, body=b"after"))
        archive.sync()
        assert (again.file, again.offset) == (kept.file, ends[kept.file])
        assert archive.read(kept) == PAGE
        assert archive.read(again).body == b"after"
        assert _check(tmp_path / kept.file) == 0
        aside = f"holdfast-00001+{ends[kept.file]}.warc.gz"
        assert archive.aside == (Aside(aside, 1),)
        assert _check(tmp_path / "orphans" / aside) == 0

    def test_every_torn_tail_is_cut(self, tmp_path):
        kept, ends = self.crashed(tmp_path / "whole")
        whole = (tmp_path / "whole" / kept.file).read_bytes()
        for size in range(ends[kept.file], len(whole), 97):
            folder = tmp_path / str(size)
            folder.mkdir()
            (folder / kept.file).write_bytes(whole[:size])
            open_archive(folder, KnownFiles(ends), software="test").close()
            assert (folder / kept.file).read_bytes() == whole[: ends[kept.file]]
            for orphan in folder.glob("orphans/*"):
                assert whole[ends[kept.file] : size].startswith(orphan.read_bytes())
                assert _check(orphan) == 0

    def test_damage_between_whole_records_is_moved_aside_with_them(self, tmp_path):
        kept, ends = self.crashed(tmp_path)
        path, end = tmp_path / kept.file, ends[kept.file]
        beyond = b"damage" + path.read_bytes()[end:]
        path.write_bytes(path.read_bytes()[:end] + beyond + b"torn")
        archive = open_archive(tmp_path, KnownFiles(ends), software="test")
        assert (tmp_path / "orphans" / archive.aside[0].file).read_bytes() == beyond

    def test_what_is_left_twice_at_one_place_is_kept_twice(self, tmp_path):
        kept, ends = self.crashed(tmp_path)
        for body in (b"one", b"two", b"two"):
            archive = open_archive(tmp_path, KnownFiles(ends), software="test")
            archive.append(replace(PAGE, body=body))
            archive.sync()
            archive.close()
        open_archive(tmp_path, KnownFiles(ends), software="test").close()
        stem = f"holdfast-00001+{ends[kept.file]}"
        names = sorted(path.name for path in (tmp_path / "orphans").iterdir())
        assert names == [f"{stem}.2.warc.gz", f"{stem}.3.warc.gz", f"{stem}.warc.gz"]

    def test_a_number_that_an_orphan_has_is_not_taken_again(self, tmp_path):
        kept, _ = self.crashed(tmp_path)
        (tmp_path / "orphans").mkdir()
        (tmp_path / kept.file).rename(tmp_path / "orphans" / "holdfast-00007.warc.gz")
        archive = open_archive(tmp_path, KnownFiles({}), software="test")
        assert archive.append(PAGE).file == "holdfast-00008.warc.gz"

    def test_a_spare_file_is_deleted(self, tmp_path):
        kept, _ = self.crashed(tmp_path)
        archive = open_archive(tmp_path, KnownFiles({}, [kept.file]), software="test")
        assert not list(tmp_path.rglob(kept.file))
        assert archive.append(PAGE).file != kept.file

    @pytest.mark.parametrize("left", [None, -1])
    def test_a_file_that_lost_committed_bytes_is_left_as_it_is_and_another_is_written(self, tmp_path, left):
        kept, ends = self.crashed(tmp_path)
        path = tmp_path / kept.file
        if left is None:
            path.unlink()
        else:
            os.truncate(path, ends[kept.file] + left)
        archive = open_archive(tmp_path, KnownFiles(ends), software="test")
        assert archive.lost == {kept.file: path.stat().st_size if path.exists() else 0}
        assert archive.append(PAGE).file != kept.file
        assert archive.unreadable([kept]) == {kept}

    def test_a_file_of_a_lost_ledger_is_moved_aside_whole(self, tmp_path):
        kept, _ = self.crashed(tmp_path)
        before = (tmp_path / kept.file).read_bytes()
        archive = open_archive(tmp_path, KnownFiles({}), software="test")
        assert archive.append(PAGE).file != kept.file
        archive.sync()
        assert (tmp_path / "orphans" / kept.file).read_bytes() == before
        assert archive.aside == (Aside(kept.file, 2),), "two captures, and what they were asked with"

    def test_a_file_of_a_lost_ledger_is_moved_aside_without_its_torn_end(self, tmp_path):
        kept, _ = self.crashed(tmp_path)
        whole = (tmp_path / kept.file).read_bytes()
        (tmp_path / kept.file).write_bytes(whole + whole[:50])
        open_archive(tmp_path, KnownFiles({}), software="test").close()
        assert (tmp_path / "orphans" / kept.file).read_bytes() == whole

    def test_where_nothing_can_be_moved_aside_nothing_is_cut(self, tmp_path):
        kept, ends = self.crashed(tmp_path)
        before = (tmp_path / kept.file).read_bytes()
        (tmp_path / "orphans").write_text("a file where the folder should be")
        with pytest.raises(ArchiveError):
            open_archive(tmp_path, KnownFiles(ends), software="test")
        assert (tmp_path / kept.file).read_bytes() == before

    def test_a_new_file_that_was_never_committed_is_removed(self, tmp_path):
        _, ends = self.crashed(tmp_path)
        stray = tmp_path / "holdfast-00002.warc.gz"
        stray.write_bytes(b"torn")
        open_archive(tmp_path, KnownFiles(ends), software="test", limit=10).close()
        assert not stray.exists()

    @pytest.mark.spec("SEC-6")
    def test_a_name_without_a_byte_does_not_stand_in_the_way(self, tmp_path):
        (tmp_path / "holdfast-00001.warc.gz").touch()
        archive = open_archive(tmp_path, KnownFiles({}), software="test")
        ref = archive.append(PAGE)
        archive.sync()
        assert archive.read(ref) == PAGE


@pytest.mark.spec("SEC-6")
def test_what_was_synced_is_on_every_disk_the_name_of_a_new_file_too(tmp_path):
    folder = tmp_path.resolve()
    disk = SimulatedDisk.of(folder)
    with Recorder(folder).installed() as recorder:
        archive = open_archive(folder, KnownFiles({}), software="test", limit=10)
        refs = [archive.append(PAGE), archive.append(PAGE)]
        archive.sync()
    disk.replay(recorder.changes)
    for kind in Disk:
        files = disk.image(kind, Random(1)).files
        assert all(len(files.get(ref.file, b"")) == ref.offset + ref.length for ref in refs), kind


def test_files_of_another_store_are_not_taken_for_ones_own(tmp_path):
    for store_id, names in (("mine", ("a", "b")), ("theirs", ("c",))):
        for writer in names:
            archive = open_archive(
                tmp_path, KnownFiles({}), software="test", store_id=store_id, writer=writer
            )
            archive.append(PAGE)
            archive.sync()
            archive.close()
    own, other = bring_back(tmp_path)
    assert [file.path.name[0] for file in own] == ["a", "b"]
    assert [file.path.name[0] for file in other] == ["c"]


class TestDamage:
    @pytest.fixture
    def stored(self, tmp_path):
        archive = new(tmp_path)
        ref = archive.append(replace(PAGE, body=os.urandom(2000)))
        archive.sync()
        return tmp_path, ref

    def test_a_flipped_byte_anywhere_is_noticed_on_reading(self, stored):
        folder, ref = stored
        path = folder / ref.file
        whole = path.read_bytes()
        body_end = ref.offset + ref.length
        unnoticed = []
        for at in range(ref.offset, body_end, 41):
            damaged = bytearray(whole)
            damaged[at] ^= 0x55
            path.write_bytes(damaged)
            try:
                WarcArchive(FolderShelf(folder)).read(ref)
                unnoticed.append(at - ref.offset)
            except ArchiveError:
                pass
        path.write_bytes(whole)
        starts = [offset - ref.offset for offset, _, _ in members_of(path, ref.offset)]
        harmless = {start + n for start in starts for n in range(4, 10)}
        assert set(unnoticed) <= harmless, "only a gzip header's time and system may differ"

    def test_a_wrong_length_is_noticed(self, stored):
        folder, ref = stored
        for change in (-1, 1, -ref.length + 5):
            with pytest.raises(ArchiveError):
                WarcArchive(FolderShelf(folder)).read(replace(ref, length=ref.length + change))

    def test_a_wrong_offset_is_noticed(self, stored):
        folder, ref = stored
        with pytest.raises(ArchiveError):
            WarcArchive(FolderShelf(folder)).read(replace(ref, offset=ref.offset + 1))

    def test_no_reference_leads_out_of_the_folder(self, stored):
        folder, ref = stored
        with pytest.raises(ArchiveError, match="has no file"):
            WarcArchive(FolderShelf(folder / "sub")).read(replace(ref, file=f"../{ref.file}"))


class TestOthersReadIt:
    @pytest.fixture
    def file(self, tmp_path):
        archive = new(tmp_path)
        first = archive.append(PAGE)
        archive.append(replace(PAGE, requested=B, hops=()), Original(first, B.href, NOW))
        archive.append(replace(PAGE, status=304, body=b""), Original(first, B.href, NOW))
        archive.append(replace(PAGE, status=404, body="é".encode("latin-1")))
        archive.sync()
        return tmp_path / first.file

    def test_warcio_reads_every_record_and_the_body(self, file):
        records = _records(file.parent)
        kinds = ["warcinfo", "response", "request", "response", "revisit", "request", "revisit", "request",
                 "response", "response", "request", "response"]  # fmt: skip
        assert [record.rec_type for record in records] == kinds
        assert records[1].content_stream().read() == PAGE.body
        assert records[2].http_headers.get_header("Host") == "example.com"
        assert _check(file) == 0

    def test_redirects_on_the_way_are_responses_that_others_read(self, tmp_path):
        sent = (("Location", "/b"), ("Set-Cookie", "c=1"), ("Content-Length", "154"))
        capture = replace(PAGE, hops=(Hop(A, 301, B, sent, b"it is elsewhere"), Hop(B, 302, A, (), None)))
        archive = new(tmp_path)
        ref = archive.append(capture)
        archive.sync()
        assert archive.read(ref) == capture
        hop = _records(tmp_path)[3]
        assert hop.rec_headers.get_header("WARC-Target-URI") == A.href
        assert hop.http_headers.get_statuscode() == "301"
        assert hop.http_headers.get_header("Location") == "/b"
        assert hop.content_stream().read() == b"it is elsewhere"
        assert hop.rec_headers.get_header("WARC-Truncated") is None
        cut = _records(tmp_path)[4]
        assert (cut.content_stream().read(), cut.http_headers.get_header("Location")) == (b"", str(A))
        assert cut.rec_headers.get_header("WARC-Truncated") == "unspecified"
        assert _check(tmp_path / ref.file) == 0

    def test_a_redirect_without_the_whole_of_its_body_says_so(self, tmp_path):
        capture = replace(PAGE, status=301, body=b"", hops=(), is_cut=True)
        archive = new(tmp_path)
        ref = archive.append(capture)
        archive.sync()
        assert archive.read(ref) == capture
        assert _records(tmp_path)[1].rec_headers.get_header("WARC-Truncated") == "unspecified"

    def test_fastwarc_reads_every_record_and_verifies_it(self, file):
        command = [Path(sys.executable).with_name("fastwarc"), "check", str(file)]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        assert (done.returncode, done.stdout) == (0, "12 records were verified successfully.\n")


def _records(folder: Path) -> list:
    """Every record as warcio has it, its content still to be read."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                content = record.content_stream().read()
                record.content_stream = lambda content=content: io.BytesIO(content)
                found.append(record)
    return found


def _check(path: Path) -> int:
    command = [Path(sys.executable).with_name("warcio"), "check", str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode
