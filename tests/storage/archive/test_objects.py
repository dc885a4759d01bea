"""An archive in a bucket: objects written whole, read by range, never under a name that was used."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from warcio.archiveiterator import ArchiveIterator

from helpers.s3_server import BUCKET, KEY, SECRET
from holdfast.core.base.errors import ArchiveError, ConfigError
from holdfast.core.lineage.ledger_values import Original
from holdfast.jobs.bucket_archive import bucket_keys
from holdfast.storage.archive.bucket import Bucket
from holdfast.storage.archive.bucket_writer import (
    UnknownObjects,
    bucket_and_prefix,
    open_objects,
    writer_name,
)
from holdfast.storage.archive.check_records import Survey, index_lines
from storage.archive.test_warc_archive import PAGE

pytestmark = pytest.mark.spec("CLU-1")

LATER = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


@pytest.fixture
def keys(s3_server):
    return bucket_keys(s3_server.environment)


@pytest.fixture
def bucket(s3, keys):
    return Bucket(*bucket_and_prefix(s3), keys)


def new(bucket, writer="one", **options):
    return open_objects(bucket, software="test", store_id="a store", writer=writer, **options)


def stored(s3_server, bucket):
    return s3_server.objects(bucket.name.removeprefix(f"s3://{BUCKET}/"))


def test_what_was_appended_is_one_object_and_a_whole_warc_file(s3_server, bucket):
    archive = new(bucket)
    refs = [archive.append(replace(PAGE, body=body)) for body in (b"first", b"second", b"third")]
    assert stored(s3_server, bucket) == {}
    archive.sync()
    [(name, data)] = stored(s3_server, bucket).items()
    assert {ref.file for ref in refs} == {name}
    assert [record.rec_type for record in ArchiveIterator(io.BytesIO(data))] == [
        "warcinfo", *["response", "request", "response"] * 3  # the last one is that of the redirect
    ]  # fmt: skip
    archive.append(PAGE)
    archive.sync()
    assert len(stored(s3_server, bucket)) == 2
    assert [WarcOf(bucket).read(ref).body for ref in refs] == [b"first", b"second", b"third"]


def WarcOf(bucket):  # noqa: N802 - reads like the class it opens
    from holdfast.storage.archive.archive import WarcArchive  # noqa: PLC0415

    return WarcArchive(bucket)


def test_what_is_not_written_yet_can_be_read_by_its_writer(bucket):
    archive = new(bucket)
    ref = archive.append(PAGE)
    again = archive.append(replace(PAGE, fetched_at=LATER), Original(ref, str(PAGE.final), PAGE.fetched_at))
    assert archive.read(ref) == PAGE
    assert archive.read(again).body == PAGE.body
    archive.sync()
    assert archive.read(again).body == PAGE.body
    assert WarcOf(bucket).read(again).body == PAGE.body


def test_a_name_is_not_used_twice(bucket):
    first, second = new(bucket), new(bucket)
    first.append(PAGE)
    second.append(replace(PAGE, body=b"other"))
    first.sync()
    with pytest.raises(ArchiveError, match="written by somebody else"):
        second.sync()
    with pytest.raises(ArchiveError, match="failed before"):
        second.append(PAGE)


def test_an_object_that_is_not_there_has_no_size(bucket):
    gone = bucket.file("one-00001.warc.gz")
    assert not gone.exists()
    with pytest.raises(ArchiveError, match=r"00001.* is not there"):
        gone.stat()
    bucket.create("one-00001.warc.gz", b"data")
    assert bucket.file("one-00001.warc.gz").exists()
    assert bucket.file("one-00001.warc.gz").stat().st_size == 4


def test_a_put_whose_answer_was_lost_is_known_again(bucket):
    bucket.create("one-00001.warc.gz", b"the same bytes")
    bucket.create("one-00001.warc.gz", b"the same bytes")
    assert bucket.size("one-00001.warc.gz") == 14


def test_an_object_that_a_killed_server_only_believes_to_have_is_written(s3_server, bucket):
    """It noted the object, and died before the bytes had their name: it refuses another one, and has none."""
    bucket.create("one-00001.warc.gz", b"the bytes")
    prefix = bucket.name.removeprefix("s3://")
    (s3_server.folder / "data" / prefix / "one-00001.warc.gz").unlink()
    assert not bucket.file("one-00001.warc.gz").exists()
    bucket.create("one-00001.warc.gz", b"the bytes")
    assert bucket.read("one-00001.warc.gz", 0, 9) == b"the bytes"


def test_names_of_writers_sort_by_time_and_differ_by_owner():
    early, late = datetime(2026, 9, 9, 9, 9, 9, 9, tzinfo=UTC), datetime(2026, 10, 1, tzinfo=UTC)
    assert writer_name(early, "job1e1") < writer_name(late, "job1e1")
    assert writer_name(late, "job1e1") != writer_name(late, "job1e2")


def test_an_object_that_is_full_is_followed_by_another(s3_server, bucket):
    archive = new(bucket, limit=1)
    refs = [archive.append(PAGE) for _ in range(3)]
    archive.sync()
    assert len({ref.file for ref in refs}) == 3
    assert len(stored(s3_server, bucket)) == 3


def test_a_walk_over_a_bucket_finds_what_is_wrong(s3_server, bucket):
    archive = new(bucket)
    ref = archive.append(PAGE)
    archive.sync()
    ends = {ref.file: ref.offset + ref.length}
    assert list(Survey(bucket, ends, ()).problems()) == []
    assert len(index_lines(bucket, ends)) == 2  # the page, and the redirect that led to it
    bucket.create("two-00001.warc.gz", b"not a record at all")
    problems = list(Survey(bucket, ends, ()).problems())
    assert any("the ledger knows nothing of this file" in problem for problem in problems)
    unknown = UnknownObjects(bucket, ends)
    assert [file.name for file in unknown.files()] == ["two-00001.warc.gz"]
    assert unknown.remove(["two-00001.warc.gz", "three"]) == len(b"not a record at all")
    bucket.keep_aside([ref.file])
    bucket.remove([ref.file])
    assert [file.name for file in UnknownObjects(bucket, {}).files()] == [f"orphans/{ref.file}"]
    assert list(bucket.files()) == []


def test_a_record_beyond_the_end_of_an_object_is_refused(bucket):
    archive = new(bucket)
    ref = archive.append(PAGE)
    archive.sync()
    for wrong in (replace(ref, length=ref.length + 9), replace(ref, offset=10**9), replace(ref, file="none")):
        with pytest.raises(ArchiveError):
            WarcOf(bucket).read(wrong)
    with pytest.raises(ArchiveError, match="has no file"):
        bucket.file("../other/file")


@pytest.mark.parametrize("missing", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_keys_are_given_and_never_looked_for(missing):
    environment = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    with pytest.raises(ConfigError, match=missing):
        bucket_keys({name: value for name, value in environment.items() if name != missing})


@pytest.mark.parametrize(
    "address", ["s3://", "gs://bucket/x", "s3://me:secret@bucket/x", "s3://bucket/x?y=z"]
)
def test_an_address_that_cannot_be_read_is_refused_and_not_repeated(address):
    with pytest.raises(ConfigError) as error:
        bucket_and_prefix(address)
    assert "secret" not in str(error.value)


def test_wrong_keys_are_refused_in_words_that_show_none(s3_server, keys):
    bucket = Bucket(BUCKET, "x", replace(keys, secret="wrong-secret"), timedelta(seconds=1))
    with pytest.raises(ArchiveError) as error:
        bucket.create("a-00001.warc.gz", b"x")
    assert "wrong-secret" not in repr(error.value) + repr(keys)


def test_a_server_that_is_gone_is_told_in_words(keys):
    bucket = Bucket(BUCKET, "x", replace(keys, endpoint="http://127.0.0.1:9"), timedelta(seconds=0.2))
    archive = new(bucket)
    archive.append(PAGE)
    with pytest.raises(ArchiveError, match="cannot be reached") as error:
        archive.sync()
    assert "acknowledged is safe" in (error.value.hint or "")
