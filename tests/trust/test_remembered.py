"""What a mirror remembers that reaches out, read from what its manifest says (SEC-9)."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from holdfast.core.mirror.remembered import NOTHING_REMEMBERED, Remembered, remembered, remembered_by
from holdfast.core.settings.job_settings import MirrorFiles
from holdfast.core.settings.reach import Reach
from holdfast.core.settings.resolve import all_settings, resolve

pytestmark = pytest.mark.spec("SEC-9")

SOURCE = "https://a.example/"


def manifest(sources=(SOURCE,), **options):
    return {"crawl": {"sources": list(sources)}, "options": options}


def test_every_option_that_reaches_out_is_judged_and_no_other():
    reaching = {name for name in asdict(MirrorFiles()) if all_settings()[name].reach is not Reach.NOTHING}
    others = {"content": "full", "links": "local", "llms_txt": True, "prefer_markdown": True}
    found = remembered_by(manifest(**dict.fromkeys(reaching, True), **others))
    assert {row.key for row in found.rows} == {"source", *reaching}
    assert reaching == {"assets"}


@pytest.mark.parametrize(
    "altered",
    [
        {},
        {"crawl": {}},
        {"crawl": {"sources": "https://a.example/"}, "options": ["assets"]},
        {"crawl": {"sources": [1, None, {}]}, "options": {"assets": "perhaps", "no such": True}},
        {"options": {"assets": False}},
    ],
)
def test_what_a_manifest_cannot_say_is_nothing(altered):
    assert remembered_by(altered) == NOTHING_REMEMBERED


def test_what_somebody_set_is_nothing_that_a_mirror_adds():
    found = remembered_by(manifest(assets=True))
    assert [row.key for row in found.adds_to(resolve())] == ["assets"]
    for word in (True, False):
        assert found.adds_to(resolve(flags={"assets": word})) == ()
        assert found.adds_to(resolve(environment={"HOLDFAST_ASSETS": str(word)})) == ()


def test_the_order_of_sources_is_the_same_digest_and_what_they_are_is_not():
    one, other = "https://a.example/", "https://b.example/"
    assert remembered((one, other), {}).digest == remembered((other, one), {}).digest
    digests = [
        each.digest
        for each in (
            Remembered(),
            remembered((one,), {}),
            remembered((one, other), {}),
            remembered((one,), {"assets": True}),
        )
    ]
    assert len(set(digests)) == len(digests)


def test_sources_keep_their_order_and_each_counts_as_often_as_it_was_named():
    many = ("https://b.example/", "https://a.example/", "https://b.example/")
    assert remembered_by(manifest(many)).sources == many


def test_what_is_done_is_remembered_as_the_manifest_will_say_it():
    files = MirrorFiles(assets=True, convert_links="local")
    assert remembered((SOURCE,), asdict(files)) == remembered_by(manifest(assets=True, links="local"))
