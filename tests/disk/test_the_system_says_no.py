"""What the operating system refuses (a broken disk, a full one, too few descriptors) ends in plain words, and
the same command, once it is allowed, leaves what an undisturbed one leaves (SEC-6).
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import subprocess
import sys

import pytest

from helpers.sites.command import files_of, fingerprint, holdfast, mirror
from helpers.sites.killing import run_refused, run_until
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("SEC-6")

RATE = ("--content-rate-limit", "0", "--processes", "1")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    base = tmp_path_factory.mktemp("made")
    with LivingSite() as site:
        for name in "abcdef":
            site.put(f"/{name}", f"Words of {name}", links=["/a"])
        root = base / "root"
        (root / "notes").mkdir(parents=True)
        assert mirror(site.origin + "/", root / "docs", "--convert-links", "local").status == 0
        (root / "holdfast.toml").touch()
        (root / "notes/n.md").write_text(f"[a]({site.origin}/a) [d]({site.origin}/d?utm_source=x)\n")
        assert holdfast("check", root / "notes", "--fetch-urls", "--allow-private").status == 0
        site.put("/b", "Words of b, changed", links=["/a"])
        yield site, root


def commands(site, root):
    return {
        "mirror": ["mirror", f"{site.origin}/", "-o", root / "new", *RATE, "--convert-links", "local"],
        "update": [
            "mirror",
            f"{site.origin}/",
            "-o",
            root / "docs",
            *RATE,
            "--convert-links",
            "local",
            "--update",
        ],
        "rebuild": ["restore", root / "docs", "--output", root / "again", "--processes", "1"],
        "forget": ["forget", f"{site.origin}/c", "--store", root / "docs"],
        "gc": ["store", "prune", "--store", root / "docs"],
        "track": ["check", root / "notes", "--fetch-urls", "--allow-private", "--force-refetch"],
        "fix": ["fix", root / "notes", "--write"],
        "adopt": ["store", "join", root / "docs"],
        "store rebuild": ["store", "rebuild", "--store", root / "docs"],
        "backup": ["store", "backup", root / "backup", "--store", root / "docs"],
    }


def pages(root):
    """What the folders hold, without what moves."""
    mirrors = (folder for folder in root.iterdir() if (folder / "_manifest.json").is_file())
    held = {folder.name: (fingerprint(folder), files_of(folder)) for folder in mirrors}
    return held | {"notes": (root / "notes/n.md").read_text()}


NAMES = ("mirror", "update", "rebuild", "forget", "gc", "track", "fix", "adopt", "store rebuild", "backup")


@pytest.mark.parametrize("name", NAMES)
def test_a_disk_that_refuses_every_change_from_some_moment_on(made, tmp_path, name):
    site, made_root = made
    root = tmp_path / "root"
    shutil.copytree(made_root, root)
    words = commands(site, root)[name]
    assert run_until(words, None, tmp_path / "steps") in (0, 1)
    steps = int((tmp_path / "steps").read_text())
    undisturbed = pages(root)
    moments = {
        1: errno.EIO,
        3: errno.ENOSPC,
        steps // 2: errno.EIO,
        steps - 1: errno.ENOSPC,
        steps: errno.EIO,
    }
    for step, code in moments.items():
        shutil.rmtree(root)
        shutil.copytree(made_root, root)
        status, said = run_refused(words, step, code, tmp_path / "said")
        assert "Traceback" not in said, (step, said)
        assert status in (0, 1, 3, 5), (step, status, said)
        assert run_until(words, None, tmp_path / "steps") in ((0, 2) if status == 0 else (0, 1)), step
        assert pages(root) == undisturbed, step


@pytest.mark.parametrize("most", [9, 10, 11, 12, 13, 24, 64])
def test_few_descriptors_are_a_plain_error_or_enough(made, tmp_path, most):
    site, _ = made
    words = [str(word) for word in commands(site, tmp_path)["mirror"]]
    limited = f"ulimit -n {most}; exec {shlex.quote(sys.executable)} -m holdfast {shlex.join(words)}"
    done = subprocess.run(
        ["bash", "-c", limited], capture_output=True, text=True, env=os.environ, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1, 3), done.stderr
    assert holdfast(*words).status == 0
    assert holdfast("verify", tmp_path / "new", "--processes", "1").status == 0
