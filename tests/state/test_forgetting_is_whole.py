"""What is forgotten is nowhere: lists, images, links of other pages; a killed `forget` can be finished."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys

import pytest

from sites.command import holdfast, mirror
from sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-4")

PNG = b"\x89PNG\r\n\x1a\n" + b"secret pixels" * 10
SECRET = "Bekanntmachung-4711"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "mirror"
    with LivingSite() as site:
        site.put("/keep", "Kept words", links=["/secret"])
        site.put("/shared.png", body=b"\x89PNG shared", type="image/png", listed=False)
        site.put("/own.png", body=PNG, type="image/png", listed=False)
        body = f"<title>{SECRET}</title><main><h1>{SECRET}</h1><p>It says {SECRET}.</p>"
        site.put("/secret", body=(body + "<img src=/own.png><img src=/shared.png></main>").encode())
        site.put("/other", body=b"<main><p>Other words</p><img src=/shared.png></main>")
        flags = ("--links", "local", "--assets", "--llms-txt")
        done = mirror(site.origin + "/", folder, *flags)
        assert done.status == 0, done.err
    return folder, site.origin


@pytest.fixture
def folder(whole, tmp_path):
    shutil.copytree(whole[0], tmp_path / "mirror")
    return tmp_path / "mirror"


def mentions(folder, word):
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.name.endswith(".gz") else data
            if word in data:
                found.append(path.relative_to(folder).as_posix())
    return found


def assert_forgotten(folder):
    assert mentions(folder, SECRET.encode()) == []
    assert mentions(folder, PNG) == []
    keep = next(folder.rglob("keep/index.md")).read_text()
    assert "../secret" not in keep
    assert mentions(folder, b"PNG shared")
    verified = holdfast("verify", folder, "--workers", 1)
    assert verified.status == 0, verified.out


def test_lists_images_and_links_go_with_the_page(whole, folder):
    assert mentions(folder, SECRET.encode())
    assert mentions(folder, PNG)
    assert "../secret" in next(folder.rglob("keep/index.md")).read_text()
    done = holdfast("forget", whole[1] + "/secret", "--state", folder)
    assert done.status == 0, done.err
    assert_forgotten(folder)


KILLER = """
import os, sys
import {module} as module
target, name = {target}, {name!r}
real = getattr(target, name)
count = [0]
def dying(*args, **words):
    count[0] += 1
    if count[0] == {call}:
        os._exit(9)
    return real(*args, **words)
setattr(target, name, dying)
from holdfast.faces.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(
    ("module", "target", "name"),
    [
        ("holdfast.adapters.folder", "module.Folder", "remove"),
        ("holdfast.adapters.folder", "module.Folder", "write_all"),
        ("holdfast.adapters.warc.archive", "module.WarcArchive", "append"),
        ("holdfast.adapters.warc.archive", "module.WarcArchive", "drop_files"),
        ("holdfast.adapters.sql.forgetting", "module.ForgettingTable", "removed"),
    ],
)
def test_a_killed_forget_is_finished_by_the_next(whole, folder, module, target, name, call):
    script = KILLER.format(module=module, target=target, name=name, call=call)
    words = ["forget", whole[1] + "/secret", "--state", str(folder)]
    killed = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, env=os.environ, check=False
    )
    assert killed.returncode in (0, 9), killed.stderr
    done = holdfast("forget", whole[1] + "/secret", "--state", folder)
    assert done.status == 0, done.err
    assert_forgotten(folder)
