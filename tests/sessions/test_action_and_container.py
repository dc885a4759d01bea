"""The action's own steps, run in a throw-away repository; and what the Dockerfile names is there."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from helpers.repository import Repository
from helpers.served import serving
from helpers.steps import page, run_step

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")

pytestmark = pytest.mark.spec("TRK-9")


def step(name):
    return next(found for found in ACTION["runs"]["steps"] if found.get("name") == name)


def inputs(**given):
    """What a runner fills in: the defaults of the inputs, and what the workflow gave."""
    values = {name: str(entry["default"]) for name, entry in ACTION["inputs"].items()} | given
    return {f"inputs.{name}": value for name, value in values.items()}


def test_the_action_is_valid_by_the_forges_own_schema():
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_expression_of_the_action_names_something_that_exists():
    declared = {f"inputs.{name}" for name in ACTION["inputs"]} | {
        "github.action_path",
        "github.event.pull_request.base.sha",
        "github.run_id",
        "runner.temp",
        "steps.report.outputs.file",
    }
    named = set(re.findall(r"\$\{\{\s*(.*?)\s*\}\}", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert named <= declared


def test_the_action_fails_a_change_that_adds_a_dead_link_and_leaves_a_report(tmp_path):
    with serving({"/alive": page("x")}) as server:
        repo = Repository(tmp_path / "repo")
        repo.write(".gitignore", ".holdfast/\n.url-manifest.*\n")
        repo.write("my notes/a.md", f"[old]({server.base}/old) [fine]({server.base}/alive)\n")
        repo.commit()
        base = repo.git("rev-parse", "HEAD").strip()
        repo.write("my notes/b.md", f"[new]({server.base}/new)\n")
        repo.commit()
        given = inputs(since=base, paths="my notes\n")
        checked = run_step(repo, step("Check the links"), given)
        assert checked.returncode == 1, checked.stderr
        assert checked.stdout.startswith("::error file=my notes/b.md,line=1,col=7,title=HF001 not-found::")
        assert "/old" not in checked.stdout  # not on a line of the change
        output, summary = tmp_path / "output", tmp_path / "summary.md"
        written = step("Write the report")
        runner = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        values = given | {"runner.temp": str(tmp_path)}
        ran = run_step(repo, dict(written, env=written["env"] | runner), values)
        assert ran.returncode == 0, ran.stderr
        assert "## Errors (1)" in summary.read_text()
        assert output.read_text() == f"file={tmp_path}/holdfast.md\n"


def test_the_image_runs_the_program_as_a_user_of_its_own():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    entry = re.search(r'^ENTRYPOINT \["(.*)"\]$', DOCKERFILE, re.MULTILINE)
    assert entry[1] in scripts
    assert re.search(r"^USER (?!root)", DOCKERFILE, re.MULTILINE)


def test_the_image_is_built_with_a_compiler_that_the_native_reader_takes():
    wanted = tomllib.loads((ROOT / "native/Cargo.toml").read_text(encoding="utf-8"))["package"][
        "rust-version"
    ]
    brought = re.search(r"^FROM rust:([\d.]+)", DOCKERFILE, re.MULTILINE)[1]
    assert [int(part) for part in brought.split(".")] >= [int(part) for part in wanted.split(".")]


def test_what_the_wheel_is_made_of_is_copied_into_the_image():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in (
        "src",
        "native",
        "tools",
        "hatch_build.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "constraints.txt",
    ):
        assert (ROOT / name).exists()
        assert name not in ignored
