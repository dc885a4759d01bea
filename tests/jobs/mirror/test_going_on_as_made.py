"""A mirror goes on as it was made: what nobody sets is what its manifest says; what is set holds for all
its files.
"""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from helpers.sites.living import LivingSite
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.mirror.starting import make_mirror
from holdfast.jobs.mirror_place import MirrorRequest
from holdfast.jobs.stop import Stop

pytestmark = pytest.mark.spec("MIR-12")

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" * 20
OTHER_WAYS = [
    {"anchors": "none"},
    {"assets": True},
    {"content": "full"},
    {"convert_links": "local"},
    {"sidecar": "front-matter"},
    {"sidecar": "none"},
]
PLAIN = {
    "anchors": "html",
    "assets": False,
    "content": "main",
    "convert_links": "absolute",
    "sidecar": "json",
}


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/", '<aside>Aside</aside><h2 id="part">Part</h2>', links=["/a", "/b#part"])
        living.put("/a", '<h2 id="part">Part</h2><img src="/1.png" alt="One">', links=["/b#part"])
        living.put("/b", '<h2 id="part">Part</h2> Words of B.', links=["/", "/a"])
        living.put("/1.png", body=PNG, type="image/png", listed=False)
        yield living


def written(folder):
    """Every page and sidecar, without the times, and what the manifest says of how they were made."""
    pages = {path.relative_to(folder): path.read_text() for path in folder.rglob("*.md")}
    sidecars = {
        path.relative_to(folder): json.loads(path.read_text()) | {"fetched_at": None}
        for path in folder.rglob("index.json")
    }
    manifest = json.loads((folder / "_manifest.json").read_text())
    return pages, sidecars, manifest["options"], manifest["layout"]


@pytest.mark.parametrize("way", [*OTHER_WAYS, {"layout": "flat"}, {"layout": "hash"}], ids=str)
def test_an_update_that_sets_nothing_makes_its_files_as_before(site, make, folder, tmp_path, holdfast, way):
    make(**way)
    site.put("/a", "Other words of A.", links=["/b#part"])
    make(update=True, trust=True)
    make(output=tmp_path / "fresh", **way)
    assert written(folder) == written(tmp_path / "fresh")
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out


@pytest.mark.parametrize("update", [True, False])
@pytest.mark.parametrize("way", [way for way in OTHER_WAYS if "assets" not in way], ids=str)
def test_what_is_set_holds_for_pages_that_did_not_change(make, folder, tmp_path, holdfast, way, update):
    """Both ways: to another option, and back."""
    make()
    make(update=update, **way)
    make(output=tmp_path / "fresh", **way)
    assert written(folder) == written(tmp_path / "fresh")
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
    make(update=update, **{name: PLAIN[name] for name in way})
    make(output=tmp_path / "plain")
    assert written(folder) == written(tmp_path / "plain")
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out


def test_images_that_are_not_wanted_any_more_are_linked_where_they_were(make, folder, tmp_path, holdfast):
    make(assets=True)
    make(update=True, assets=False)
    make(output=tmp_path / "plain")
    assert written(folder) == written(tmp_path / "plain")
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out


def test_a_start_that_was_let_go_at_once_leaves_the_rest_to_the_next(site, make, folder, tmp_path, holdfast):
    make()
    stop = Stop()

    class Impatient:
        def notice(self, event):
            if event.name == "processing":
                stop.ask()
                stop.ask()

    flags = {"anchors": "none", "update": True, "processes": 1, "content_rate_limit": 0.0}
    settings = load_settings(tmp_path, flags=flags, environment={})
    request = MirrorRequest((f"{site.origin}/",), folder, settings, os.environ)
    assert asyncio.run(make_mirror(request, Impatient(), stop)).status == "interrupted"
    make(update=True)
    make(output=tmp_path / "fresh", anchors="none")
    assert written(folder) == written(tmp_path / "fresh")
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out


def test_an_option_that_no_version_knows_is_passed_over(make, folder):
    make()
    manifest = folder / "_manifest.json"
    manifest.write_text(manifest.read_text().replace('"links": "absolute"', '"links": "sideways"'))
    assert make(update=True).status == "finished"
    assert json.loads(manifest.read_text())["options"]["links"] == "absolute"
