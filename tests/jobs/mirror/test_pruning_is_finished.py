"""`mirror --update --delete-gone`, killed before a change it makes, is finished by the next start."""

from __future__ import annotations

import shutil

import pytest

from helpers.sites.command import files_of, fingerprint, holdfast, mirror
from helpers.sites.killing import KILLED, changes_of, run_until
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("SEC-6", "MIR-11")

FLAGS = ("--convert-links", "local", "--llms-txt")
EVERY = 13
"""Changes from one kill to the next; `make torture` kills anywhere."""
PRUNE = ("--update", "--delete-gone", *FLAGS)


@pytest.fixture(scope="module")
def pruned(tmp_path_factory):
    """A site whose mirror has a page too many: the site, the mirror before, and as it should be."""
    base = tmp_path_factory.mktemp("pruned")
    with LivingSite() as site:
        site.put("/", "Home", lastmod="2026-01-01", links=["/keep/1", "/goes"])
        for number in range(4):
            site.put(f"/keep/{number}", f"Kept {number}", lastmod="2026-01-01", links=["/goes", "/"])
        site.put("/goes", "Goes", lastmod="2026-01-01", links=["/keep/1"])
        assert mirror(site.origin + "/", base / "before", *FLAGS).status == 0
        site.drop("/goes")
        shutil.copytree(base / "before", base / "after")
        words = command(site, base / "after")
        steps = changes_of(words, base / "steps")
        assert "/goes/" not in " ".join(files_of(base / "after"))
        yield site, base, steps


def command(site, folder):
    return [
        "mirror", site.origin + "/", "-o", folder, "--content-rate-limit", "0", "--processes", "1", *PRUNE
    ]  # fmt: skip


def test_the_next_start_leaves_what_an_undisturbed_one_leaves(pruned, tmp_path):
    site, base, steps = pruned
    assert steps > 20
    folder = tmp_path / "mirror"
    differing = []
    for step in range(1, steps + 1, EVERY):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base / "before", folder)
        words = command(site, folder)
        status = run_until(words, step)
        assert status in (0, KILLED)
        again = holdfast(*words)
        verified = holdfast("verify", folder, "--processes", "1")
        same = fingerprint(folder) == fingerprint(base / "after")
        same = same and files_of(folder) == files_of(base / "after")
        if again.status or verified.status or not same:
            differing.append((step, again.status, verified.status, same, verified.out))
    assert differing == []
