"""Which files are joined: small ones, unless what stays leans on them."""

from __future__ import annotations

from types import SimpleNamespace

from holdfast.storage.archive.packing import files_to_join

SIZES = {"s1": 10, "s2": 10, "s3": 10, "full": 90}


def record(file, body, page="p", status=200):
    ref = SimpleNamespace(file=file) if file else None
    return SimpleNamespace(ref=ref, payload_sha256=body, place=SimpleNamespace(key=page), status=status)


def joined(*records):
    return files_to_join(lambda: records, SIZES, 100)


def test_small_files_are_joined_and_full_ones_stay():
    assert joined(record("full", "a"), record("s1", "b"), record("s2", "c")) == {"s1", "s2"}


def test_a_small_file_that_leans_on_a_full_one_is_joined():
    assert joined(record("full", "a"), record("s1", "a"), record("s2", None, status=304)) == {"s1", "s2"}


def test_a_small_file_that_a_full_one_leans_on_stays():
    assert joined(record("s1", "a"), record("full", "a", "other")) == {"s2", "s3"}
    assert joined(record("s1", "a"), record("full", None, status=304)) == {"s2", "s3"}


def test_what_stays_keeps_what_it_leans_on():
    first, second = record("s1", "a", "one"), record("s2", "a", "two")
    assert joined(first, second, record("s2", "b"), record("full", "b")) == frozenset()


def test_one_small_file_is_left_alone():
    assert files_to_join(lambda: [record("s1", "a")], {"s1": 10, "full": 90}, 100) == frozenset()


def test_what_was_joined_and_the_chapters_told_after_it_are_left_alone():
    sizes = {"joined": 10, "chapters": 10, "full": 90}
    assert files_to_join(lambda: [record("joined", "a")], sizes, 100) == frozenset()


def test_files_of_chapters_alone_are_joined_when_there_are_several():
    sizes = {"joined": 10, "chapters": 10, "more": 10}
    assert files_to_join(lambda: [record("joined", "a")], sizes, 100) == {"chapters", "more"}
