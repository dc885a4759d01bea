"""The hook, the workflow and the merging of baselines, each for real in a throw-away repository."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from helpers.repository import Repository
from helpers.served import serving
from helpers.steps import page, run_step
from helpers.trusting import trust
from holdfast.core.documents.document_kinds import SUFFIXES
from holdfast.core.findings.baseline import read_baseline

pytestmark = pytest.mark.spec("TRK-9")

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs/guides/links.yml"


def hooks_repository(folder):
    """A repository that offers our hooks, as pre-commit would clone it."""
    repo = Repository(folder)
    repo.write(".pre-commit-hooks.yaml", (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    repo.commit()
    return repo


def test_the_hook_stops_a_commit_that_cites_a_dead_link(tmp_path):
    hooks = hooks_repository(tmp_path / "hooks")
    with serving({"/alive": page("x")}) as server:
        repo = Repository(tmp_path / "repo")
        config = {
            "repos": [{
                "repo": str(hooks.folder),
                "rev": hooks.git("rev-parse", "HEAD").strip(),
                "hooks": [{"id": "holdfast-system"}],
            }]
        }  # fmt: skip
        repo.write(".pre-commit-config.yaml", yaml.safe_dump(config))
        repo.write(".gitignore", ".holdfast/\n.url-manifest.*\n")
        repo.write(".holdfastignore", "drafts/\n")
        repo.write("a.md", f"[fine]({server.base}/alive)\n")
        environment = {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
        repo.run("pre-commit", "install", check=True, **environment)
        repo.git("add", "-A")
        first = repo.run("git", "commit", "-m", "fine", **environment)
        assert first.returncode == 0, first.stdout + first.stderr
        repo.write("b.md", f"line\n\n[dead]({server.base}/dead)\n")
        for _ in range(2):
            repo.holdfast("check", "--fetch-urls")
        asked = server.requests.total()
        repo.git("add", "-A")
        stopped = repo.run("git", "commit", "-m", "dead", **environment)
        said = stopped.stdout + stopped.stderr
        assert stopped.returncode == 1, said
        assert f"b.md:3:8: error: HF001 {server.base}/dead" in said
        repo.git("rm", "-q", "--cached", "b.md")
        (repo.folder / "b.md").unlink()
        repo.write("drafts/b.md", f"[dead]({server.base}/dead)\n")
        repo.write("LICENSE", "words\n")
        repo.git("add", "-A")
        passed = repo.run("git", "commit", "-m", "ignored", **environment)
        assert passed.returncode == 0, passed.stdout + passed.stderr
        assert server.requests.total() == asked  # the hook asked nothing
    assert repo.git("status", "--porcelain") == ""


def test_the_hooks_file_is_valid_and_names_every_format_that_is_read():
    subprocess.run(
        [Path(sys.executable).parent / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml"],
        check=True,
    )
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        listed = re.search(r"\\\.\(([\w|]+)\)\$", hook["files"])[1].split("|")
        assert set(listed) == set(SUFFIXES)


@pytest.fixture
def steps():
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return {step["name"]: step for step in workflow["jobs"]["links"]["steps"] if "run" in step}


def test_the_workflow_is_valid_by_the_forges_own_schema():
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.github-workflows", WORKFLOW],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_commands_of_the_workflow_fail_a_change_that_adds_a_dead_link(tmp_path, steps):
    with serving({"/alive": page("x")}) as server:
        repo = Repository(tmp_path / "repo")
        repo.write(".gitignore", ".holdfast/\n.url-manifest.*\n")
        repo.write(".holdfast-baseline", f"# holdfast baseline 1\ndead {server.base}/old\n")
        repo.write("a.md", f"[old]({server.base}/old) [fine]({server.base}/alive)\n")
        repo.commit()
        on_main = {"github.event.pull_request.base.sha": ""}
        for _ in range(2):
            ran = run_step(repo, steps["Check the links"], on_main)
            assert ran.returncode == 0, ran.stdout + ran.stderr
        base = repo.git("rev-parse", "HEAD").strip()
        repo.git("checkout", "-q", "-b", "change")
        repo.write("b.md", f"[new]({server.base}/new)\n")
        repo.commit()
        on_change = {"github.event.pull_request.base.sha": base}
        before = server.requests.total()
        first = run_step(repo, steps["Check the links"], on_change)
        assert first.returncode == 1
        assert first.stdout.startswith("::error file=b.md,line=1,col=7,title=HF001 not-found::")
        assert server.requests.total() == before + 2  # only what the change touched was asked, and confirmed
        summary = tmp_path / "summary.md"
        step = dict(steps["Write the summary"], env={"GITHUB_STEP_SUMMARY": str(summary)})
        assert run_step(repo, step, {}).returncode == 0
        assert "## Errors (1)" in summary.read_text()
        assert "In the baseline (1)" in summary.read_text()


def branches(tmp_path, first, second, *, before="", attributes=True):
    """Two branches that each write a baseline, merged."""
    repo = Repository(tmp_path / "repo")
    if attributes:
        repo.write(".gitattributes", ".holdfast-baseline merge=union\n")
    repo.write(".holdfast-baseline", f"# holdfast baseline 1\n{before}")
    repo.commit()
    for name, text in (("one", first), ("two", second)):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.write(".holdfast-baseline", f"# holdfast baseline 1\n{text}")
        repo.commit()
    return repo, repo.run("git", "merge", "-q", "-m", "both", "one")


def test_two_branches_that_add_links_at_one_place_merge_without_conflict(tmp_path):
    repo, merged = branches(
        tmp_path,
        "dead https://a.example/\ndead https://m.example/1\ndead https://z.example/\n",
        "dead https://a.example/\ndead https://m.example/2\ndead https://m.example/3\ndead https://z.example/\n",
        before="dead https://a.example/\ndead https://z.example/\n",
    )
    assert merged.returncode == 0, merged.stdout
    found = read_baseline(repo.read(".holdfast-baseline"))
    assert {key.subject for key in found} == {
        f"https://{name}.example/{path}"
        for name, path in (("a", ""), ("m", 1), ("m", 2), ("m", 3), ("z", ""))
    }


def test_two_branches_that_add_links_apart_merge_without_any_setting(tmp_path):
    """Sorted lines: what is apart in the alphabet is apart in the file."""
    old = "".join(f"dead https://{letter}.example/\n" for letter in "bdfhjlnpr")
    first = old.replace("dead https://d", "dead https://c.example/\ndead https://d")
    second = old.replace("dead https://p", "dead https://o.example/\ndead https://p")
    repo, merged = branches(tmp_path, first, second, before=old, attributes=False)
    assert merged.returncode == 0, merged.stdout
    lines = repo.read(".holdfast-baseline").splitlines()[1:]
    assert lines == sorted(lines)
    assert len(lines) == 11


def test_branches_that_update_their_baselines_by_the_command_merge(tmp_path):
    with serving({}) as server:
        repo = Repository(tmp_path / "repo")
        repo.write(".gitattributes", ".holdfast-baseline merge=union\n")
        repo.write(".gitignore", ".holdfast/\n.url-manifest.*\n")
        repo.write("holdfast.toml", 'baseline = ".holdfast-baseline"\nfetch_external_urls = true\n')
        trust(repo.folder)
        repo.write("a.md", f"<{server.base}/m>\n")

        def update():
            for _ in range(2):
                done = repo.holdfast("check", "--baseline", ".holdfast-baseline", "--update-baseline")
                assert done.returncode == 0, done.stderr

        update()
        repo.commit()
        for name in ("one", "two"):
            repo.git("checkout", "-q", "-b", name, "main")
            repo.write(f"{name}.md", f"<{server.base}/n/{name}>\n")
            update()
            repo.commit()
        repo.git("merge", "-q", "-m", "both", "one")
        ran = repo.holdfast("check", "--offline", "--format", "json")
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["summary"]["known"] == 3
        update()
        text = repo.read(".holdfast-baseline")
    assert text == "# holdfast baseline 1\n" + "".join(
        f"dead {server.base}/{path}\n" for path in ("m", "n/one", "n/two")
    )


def test_without_the_attribute_one_place_is_a_conflict_that_is_named(tmp_path):
    """Why the command asks for `merge=union`, and what it says where nobody listened."""
    repo, merged = branches(
        tmp_path, "dead https://m.example/1\n", "dead https://m.example/2\n", attributes=False
    )
    assert merged.returncode == 1
    repo.write("a.md", "words\n")
    ran = repo.holdfast("check", "--baseline", ".holdfast-baseline")
    assert ran.returncode == 3
    assert "is the mark of a merge conflict" in ran.stderr
    assert "merge=union" in ran.stderr
