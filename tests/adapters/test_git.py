"""git in a folder of a stranger's: whatever its configuration names, nothing of it runs, and nobody waits."""

import os
import shlex
import subprocess
import sys
from contextlib import suppress

import pytest

from holdfast.adapters import git
from holdfast.core.base.errors import UsageError

pytestmark = pytest.mark.spec("SEC-9")


def run_git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def committed(folder):
    """A repository of one commit, with a document that was edited since."""
    folder.mkdir(parents=True)
    run_git(folder, "init", "-q")
    run_git(folder, "config", "user.name", "Stranger")
    run_git(folder, "config", "user.email", "stranger@site.test")
    (folder / "a.md").write_text("one\ntwo\n")
    (folder / "old.md").write_text("old\n")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-q", "-m", "first")
    (folder / "a.md").write_text("one\n2\n")
    return folder


class Stranger:
    """A folder of a stranger's, and a program of the stranger's that writes a file beside when it runs."""

    def __init__(self, place):
        self.folder = committed(place / "folder")
        self.ran = place / "ran"
        self.program = place / "planted"
        self.program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(self.ran))}\n")
        self.program.chmod(0o755)

    def set(self, name, value=None):
        run_git(self.folder, "config", name, str(value or self.program))

    def hook(self, name):
        hooks = self.folder / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        (hooks / name).symlink_to(self.program)


def fsmonitor(stranger):
    stranger.set("core.fsmonitor")


def a_monitor_of_an_included_file(stranger):
    (stranger.folder / "more").write_text(f"[core]\n\tfsmonitor = {stranger.program}\n")
    stranger.set("includeIf.gitdir:**.path", stranger.folder / "more")


def a_hook(stranger):
    stranger.hook("post-index-change")
    os.utime(stranger.folder / "old.md", (1, 1))


def a_hook_elsewhere(stranger):
    hooks = stranger.folder / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(stranger.program)
    stranger.set("core.hooksPath", hooks)
    os.utime(stranger.folder / "old.md", (1, 1))


def an_external_diff(stranger):
    stranger.set("diff.external")


def a_diff_of_an_attribute(stranger):
    stranger.set("diff.x.command")
    stranger.set("diff.x.textconv")
    (stranger.folder / ".gitattributes").write_text("*.md diff=x\n")


def a_pager(stranger):
    for name in ("core.pager", "pager.diff", "pager.diff-index", "pager.rev-list", "pager.show"):
        stranger.set(name)


def an_alias(stranger):
    for name in ("diff", "diff-index", "rev-list", "rev-parse", "show", "merge-base", "ls-files", "config"):
        stranger.set(f"alias.{name}", f"!{stranger.program}")


def a_signature(stranger):
    """A signed commit: `log.showSignature` has it judged."""
    stranger.set("gpg.program")
    stranger.set("log.showSignature", "true")
    whole = run_git(stranger.folder, "cat-file", "commit", "HEAD")
    head, _, said = whole.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{said}\n"
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=stranger.folder, input=signed, text=True, check=True, capture_output=True,
    )  # fmt: skip
    run_git(stranger.folder, "update-ref", "HEAD", done.stdout.strip())


def filtered(kind, name="x", attributes=".gitattributes"):
    def plant(stranger):
        section = f'[filter "{name}"]\n\t{kind} = {stranger.program}\n\trequired = true\n'
        with (stranger.folder / ".git/config").open("a", errors="surrogateescape") as file:
            file.write(section)
        place = stranger.folder / attributes
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"* filter={name}\n", errors="surrogateescape")

    return plant


def objects_elsewhere(stranger, **settings):
    """The blob of the document is missing, and to be had from a remote."""
    blob = run_git(stranger.folder, "rev-parse", "HEAD:a.md")
    (stranger.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    run_git(stranger.folder, "config", "core.repositoryFormatVersion", "1")
    stranger.set("extensions.partialClone", "origin")
    stranger.set("remote.origin.promisor", "true")
    for name, value in settings.items():
        stranger.set(name.replace("_", "."), value)


def a_remote_of_a_program(stranger):
    objects_elsewhere(stranger, remote_origin_url=f"ext::{stranger.program} %S", protocol_ext_allow="always")


def a_remote_by_ssh(stranger):
    objects_elsewhere(stranger, remote_origin_url="ssh://localhost/x", core_sshCommand=stranger.program)


def a_remote_in_a_folder(stranger):
    objects_elsewhere(stranger, remote_origin_url=stranger.folder, remote_origin_uploadpack=stranger.program)


def a_remote_by_a_proxy(stranger):
    objects_elsewhere(stranger, remote_origin_url="git://localhost/x", core_gitProxy=stranger.program)


def a_module(stranger):
    """A repository in the repository, with a configuration of its own."""
    module = committed(stranger.folder / "module")
    run_git(stranger.folder, "-c", "advice.addEmbeddedRepo=false", "add", "module")
    run_git(stranger.folder, "commit", "-q", "-m", "second")
    run_git(module, "config", "filter.x.clean", str(stranger.program))
    (module / ".gitattributes").write_text("* filter=x\n")
    stranger.set("diff.submodule", "diff")
    stranger.set("diff.ignoreSubmodules", "none")


PLANTED = {
    "fsmonitor": fsmonitor,
    "an included fsmonitor": a_monitor_of_an_included_file,
    "a hook": a_hook,
    "hooks elsewhere": a_hook_elsewhere,
    "an external diff": an_external_diff,
    "a diff of an attribute": a_diff_of_an_attribute,
    "a pager": a_pager,
    "an alias": an_alias,
    "a signature": a_signature,
    "a clean filter": filtered("clean"),
    "a filter process": filtered("process"),
    "a filter of info": filtered("clean", attributes=".git/info/attributes"),
    "a filter with a sign": filtered("clean", "a=b"),
    "a filter with dots": filtered("clean", "a.clean.b"),
    "a filter without a name": filtered("process", ""),
    "a filter beyond ASCII": filtered("clean", "ä"),
    "a remote program": a_remote_of_a_program,
    "a remote by ssh": a_remote_by_ssh,
    "a remote in a folder": a_remote_in_a_folder,
    "a remote by a proxy": a_remote_by_a_proxy,
    "a filter that is no text": filtered("clean", "\udcff"),
    "a module": a_module,
}


@pytest.fixture
def stranger(tmp_path):
    if sys.platform == "win32":
        pytest.skip("the planted program is a shell script")
    return Stranger(tmp_path)


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED.keys())
def test_no_program_runs_that_a_folder_names_to_git(stranger, plant):
    plant(stranger)
    told = None
    with suppress(UsageError):  # a blob that is not here is not fetched
        told = git.touched_lines(stranger.folder, "HEAD")["a.md"]
    assert not stranger.ran.exists()
    assert told == (None if "remote" in plant.__name__ else [range(2, 3)])
    assert git.revision_time(stranger.folder, "HEAD") is not None
    assert not stranger.ran.exists()


def test_a_revision_that_is_not_here_is_not_fetched(stranger):
    a_remote_of_a_program(stranger)
    assert git.revision_time(stranger.folder, "1" * 40) is None
    assert not stranger.ran.exists()


def test_a_work_tree_elsewhere_is_not_read(stranger, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    stranger.set("core.worktree", own)
    with pytest.raises(UsageError, match="is not in a git repository"):
        git.touched_lines(stranger.folder, "HEAD")


def test_a_file_with_new_times_and_its_old_lines_is_not_touched(stranger):
    os.utime(stranger.folder / "old.md", (1, 1))
    assert git.touched_lines(stranger.folder, "HEAD") == {"a.md": [range(2, 3)]}


@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude", ".git/config", ".git/HEAD"])
def test_nobody_waits_for_git_where_it_reads_a_pipe(stranger, monkeypatch, name):
    monkeypatch.setattr(git, "_PATIENCE", 0.5)
    place = stranger.folder / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(UsageError, match=r"took longer|not in a git repository"):
        git.touched_lines(stranger.folder, "HEAD")
