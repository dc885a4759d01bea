"""Each install works, or names the extra that it wants: seen without making one, by hiding libraries."""

import ast
import sys

import pytest

from holdfast.core.base.late_modules import BRINGS
from installs import ROOT, brought, extras, use_commands, use_library

EXTRAS = extras()


def hidden_without(install):
    """The libraries that are there only with extras which an install has not."""
    return [library for library, extra in BRINGS.items() if extra not in EXTRAS[install]]


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "track"], ids=lambda extra: extra or "base")
def test_every_command_works_or_names_the_extra_it_needs(install):
    assert use_commands(sys.executable, EXTRAS[install], hidden_without(install)) == []


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "track"], ids=lambda extra: extra or "base")
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
