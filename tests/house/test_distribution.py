"""What is given to others: the sdist is whole, the wheels' configuration is understood, the pure parts run on
a system that is not POSIX. `make test-wheel` installs and uses the wheel itself.
"""

import os
import runpy
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from cibuildwheel.options import CommandLineArguments, compute_options
from cibuildwheel.platforms import ALL_PLATFORM_MODULES, get_build_identifiers
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import native

ROOT = Path(__file__).parents[2]
TOOL = {name: runpy.run_path(str(ROOT / "tools" / f"{name}.py")) for name in ("wheel", "matrix", "try_wheel")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_sdist_holds_everything_that_its_wheel_is_built_of(tmp_path):
    sdist = TOOL["wheel"]["build_sdist"](tmp_path)
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    sources = subprocess.run(
        ["git", "ls-files", "src", "native", "docs/man", "docs/reference/schemas"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    left_out = {"native/rustfmt.toml"}  # for whoever writes it, not for whoever builds it
    assert set(sources) - left_out <= held
    assert {"hatch_build.py", "tools/native.py", "pyproject.toml", "LICENSE", "PKG-INFO"} <= held


@pytest.mark.spec("TRK-9")
def test_a_hook_is_installed_without_a_compiler(monkeypatch):
    is_for_a_hook = runpy.run_path(str(ROOT / "hatch_build.py"))["is_for_a_hook"]
    monkeypatch.delenv("PRE_COMMIT_HOME", raising=False)
    assert is_for_a_hook("/home/me/.cache/pre-commit/repo8x1")
    assert not is_for_a_hook("/home/me/holdfast")
    monkeypatch.setenv("PRE_COMMIT_HOME", "/srv/hooks")
    assert is_for_a_hook("/srv/hooks/repo8x1")


def test_every_extra_for_users_is_tried():
    for_developers = {"bench", "browser", "dev", "fuzz"}
    tried = TOOL["try_wheel"]["extras"]()
    assert set(tried) == set(PROJECT["optional-dependencies"]) - for_developers | {""}
    used = {step.extra for step in TOOL["try_wheel"]["steps"]("http://127.0.0.1/")}
    assert used | {"serve", "all"} == set(tried)


CARGO_BY_TIMES = """#!/bin/sh
made=$CARGO_TARGET_DIR/release/lib_native.so source=$(dirname "$4")/src/lib.rs
mkdir -p "$(dirname "$made")"
if [ ! -e "$made" ] || [ "$source" -nt "$made" ]; then cp "$source" "$made"; fi
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a stand-in for cargo in the words of a POSIX shell")
def test_a_reader_is_made_of_sources_that_are_older_than_the_last_build(tmp_path, monkeypatch):
    cargo, source = tmp_path / "bin" / "cargo", tmp_path / "src" / "lib.rs"
    for path, text in (cargo, CARGO_BY_TIMES), (source, "first"), (tmp_path / "Cargo.toml", ""):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", str(cargo.parent), prepend=os.pathsep)
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    monkeypatch.setattr(native, "CRATE", tmp_path)
    native.build(tmp_path / "one")
    source.write_text("second")
    os.utime(source, (0, 0))
    assert native.build(tmp_path / "two").read_text() == "second"


@pytest.mark.parametrize(
    ("platform", "wheels"),
    [
        ("linux", {"cp311-manylinux_x86_64", "cp311-manylinux_aarch64", "cp311-musllinux_x86_64"}),
        ("macos", {"cp311-macosx_x86_64"}),
        ("windows", {"cp311-win_amd64"}),
    ],
)
def test_cibuildwheel_understands_the_configuration(platform, wheels, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    options = compute_options(platform, CommandLineArguments.defaults(), {})
    planned = get_build_identifiers(
        platform_module=ALL_PLATFORM_MODULES[platform],
        build_selector=options.globals.build_selector,
        architectures=options.globals.architectures,
    )
    assert wheels <= set(planned)
    for wheel in planned:
        assert "holdfast url canon" in options.build_options(wheel).test_command
        assert set(options.build_options(wheel).test_extras.strip("[]").split(",")) <= set(
            PROJECT["optional-dependencies"]
        )


def test_one_wheel_serves_every_python_that_is_supported():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert 'f"cp311-abi3-{platform}"' in (ROOT / "hatch_build.py").read_text()
    assert oldest == "3.11" == TOOL["matrix"]["VERSIONS"][0]
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line}
    assert named == set(TOOL["matrix"]["VERSIONS"])


def test_every_pinned_version_installs_on_the_oldest_python():
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {canonicalize_name(Requirement(line).name) for line in lines if not line.startswith("#")}
    needs = {
        canonicalize_name(package.name): SpecifierSet(package.metadata.get("Requires-Python") or "")
        for package in distributions()
    }
    assert pinned & set(needs)
    assert [name for name in sorted(pinned & set(needs)) if not needs[name].contains(oldest)] == []


def test_the_matrix_finds_the_python_that_runs_this():
    here = TOOL["matrix"]["interpreters"]()
    assert {version.rpartition(".")[0] for version in here} <= set(TOOL["matrix"]["VERSIONS"])
    for version, path in here.items():
        code = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
        assert subprocess.check_output([path, "-c", code], text=True).strip() == version


WITHOUT_POSIX = """
import os, sys
import shutil  # of Python 3.12 and newer, which would ask for Windows' own modules


MISSING = {"fcntl", "resource", "termios", "pwd", "grp", "uvloop"}

class NotThere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in MISSING:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, NotThere())
for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "getuid", "fork", "pread", "pwrite"):
    delattr(os, name)
os.supports_dir_fd.clear()
sys.platform = "win32"
"""
IMPORT_ROOMS = """
import importlib, pkgutil
import holdfast.jobs
for room in ("core", "questions", "faces.cli"):
    package = importlib.import_module(f"holdfast.{room}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if "._native" not in module.name:
            importlib.import_module(module.name)
"""
RUN_COMMAND = """
import select, sys
del select.poll
from holdfast.faces.cli.main import main
raise SystemExit(main(sys.argv[1:]))
"""


def on_windows(code, *words, folder):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX + code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_pure_rooms_and_the_command_line_import_without_posix(tmp_path):
    ran = on_windows(IMPORT_ROOMS, folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("url", "canon", "HTTPS://Example.com:443/a/../b"), "https://example.com/b"),
        (("url", "path", "https://example.com/b"), "example.com/b"),
        (("convert", "page.html"), "# Limits"),
        (("config",), "settings file: none found"),
        (("--version", "--verbose"), "holdfast 0."),
        (("help", "mirror"), "--max-pages"),
    ],
)
def test_identity_and_conversion_run_without_posix(words, says, tmp_path):
    (tmp_path / "page.html").write_text("<title>L</title><main><h1>Limits</h1><p>At most 100.</p></main>")
    ran = on_windows(RUN_COMMAND, *words, folder=tmp_path)
    assert says in ran.stdout, ran.stderr
    assert ran.returncode == 0


def test_documents_are_tracked_without_posix(tmp_path):
    (tmp_path / "notes.md").write_text("[a](https://holdfast.example.org/a) and [b](b.md)")
    first, second = (on_windows(RUN_COMMAND, "check", ".", folder=tmp_path) for _ in range(2))
    assert "b.md: there is no such file" in first.stdout, first.stderr
    assert (first.returncode, second.stdout) == (1, first.stdout)
    asked = on_windows(RUN_COMMAND, "backlinks", "https://holdfast.example.org/a", folder=tmp_path)
    assert "notes.md:1" in asked.stdout


def test_there_is_one_writer_without_posix(tmp_path):
    code = """
from pathlib import Path
from holdfast.storage.state_folder import is_held, lock
from holdfast.core.base.errors import LockedError
state = Path("state").absolute()
with lock(state, "check"):
    print(is_held(state))
    try:
        lock(state, "mirror").__enter__()
    except LockedError as error:
        print(error.message)
print(is_held(state))
"""
    held, told, free = on_windows(code, folder=tmp_path).stdout.splitlines()
    assert (held, free) == ("True", "False")
    assert "is in use by process" in told
    assert "(holdfast check)" in told


def test_a_mirror_says_what_it_needs_without_posix(tmp_path):
    code = """
from pathlib import Path
from holdfast.adapters.folder.folder import Folder
from holdfast.core.base.errors import FailedError
try:
    Folder(Path("mirror"))
except FailedError as error:
    print(error.message, error.hint)
"""
    assert "mirror on Linux, on macOS or in WSL" in on_windows(code, folder=tmp_path).stdout
