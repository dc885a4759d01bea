"""Each install works, or names the extra that it wants: seen without making one, by hiding libraries."""

import ast
import subprocess
import sys

import pytest

from holdfast.core.base.late_modules import BRINGS
from holdfast.jobs.sync.notify import RoutedMessenger
from installs import ROOT, brought, extras, use_commands, use_library

EXTRAS = extras()


def hidden_without(install):
    """The libraries that are there only with extras which an install has not."""
    return [library for library, extra in BRINGS.items() if extra not in EXTRAS[install]]


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "check"], ids=lambda extra: extra or "base")
def test_every_command_works_or_names_the_extra_it_needs(install):
    assert use_commands(sys.executable, EXTRAS[install], hidden_without(install)) == []


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "check"], ids=lambda extra: extra or "base")
def test_every_name_of_the_library_works_or_names_the_extra_it_needs(install):
    assert use_library(sys.executable, EXTRAS[install], hidden_without(install)) == []


def test_of_every_library_that_an_extra_asks_for_it_is_known_which_extra_brings_it():
    asked = {package.partition(".")[0]: extra for extra in EXTRAS if extra for package in brought(extra)}
    assert asked.items() <= BRINGS.items()


def test_of_every_library_that_the_package_imports_it_is_known_which_extra_brings_it():
    imported = {
        name.partition(".")[0]
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in names_of(node)
    }
    of_everybody = {"holdfast", "ada_url", "_typeshed", "compression", *sys.stdlib_module_names}
    assert imported - of_everybody == set(BRINGS)


def names_of(node):
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize(
    ("library", "call", "extra"),
    [
        ("psycopg", "holdfast.broken(ledger='postgresql://u@127.0.0.1:1/d', store='.')", "postgres"),
        ("obstore", "import_module('holdfast.jobs.bucket_archive')", "s3"),
        (
            "pyarrow",
            "import_module('holdfast.jobs.write_export')._sink('parquet', None)",
            "parquet",
        ),
        ("apprise", "import_module('holdfast.adapters.apprise_door')", "notify"),
        ("distributed", "import_module('holdfast.adapters.workers.dask_engine')", "cluster"),
    ],
)
def test_what_is_imported_late_names_its_extra_as_well(tmp_path, library, call, extra):
    (tmp_path / ".holdfast").mkdir()
    head = "from importlib import import_module\nimport sys\nimport holdfast\n"
    code = f"{head}sys.modules[{library!r}] = None\n{call}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (
        done.stderr.rstrip()
        .splitlines()[-1]
        .startswith("holdfast.core.base.late_modules.MissingLibraryError")
    )
    assert extra in BRINGS[library]


def test_a_notification_without_its_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "apprise", None)
    monkeypatch.delitem(sys.modules, "holdfast.adapters.apprise_door", raising=False)
    said = RoutedMessenger._by_apprise(None, None, None)

    assert said == "apprise is not installed: pip install 'holdfast[notify]'"
