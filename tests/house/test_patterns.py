"""Regular expressions mean the same on every Python that is promised.

A group that is repeated without giving back (`(?:…)*+`) forgets to go back when a turn of it fails half-way,
until Python 3.11.5 (Debian 12 has 3.11.2): `(?:/(?!\\.)[a-z]*+)++` takes the dot of `/a/.` as well. So a turn
must fail at its first characters, before anything in it has looked further. Patterns are taken as they are
compiled: by every module that is imported, and by every policy.
"""

import json
import re
import subprocess
import sys
from re import _constants as ops
from re import _parser

import pytest

LISTING = """
import importlib, json, pkgutil, re, sys
from pathlib import Path
import holdfast

compiled, patterns = re._compiler.compile, {}
package = str(Path(holdfast.__file__).parent)

def noted(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(str(Path(re.__file__).parent)):
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(package):
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        patterns[text] = f"{frame.f_globals['__name__']}:{frame.f_lineno}", int(flags)
    return compiled(pattern, flags)

re._compiler.compile = noted
for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for policy in importlib.import_module("holdfast.core.url.policy").PUBLISHED:
    holdfast.canonicalize("https://example.com/", policy)
print(json.dumps(patterns))
"""

_ONE = {ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY, ops.AT}
_REPEATS = {ops.POSSESSIVE_REPEAT, ops.MAX_REPEAT, ops.MIN_REPEAT}


def flat(pattern):
    """The steps of a pattern, those of its groups among them."""
    for op, given in pattern:
        if op is ops.SUBPATTERN:
            yield from flat(given[3])
        else:
            yield op, given


def always_matches(op, given):
    return (op in _REPEATS and given[0] == 0) or (
        op is ops.BRANCH and any(not list(flat(way)) for way in given[1])
    )


def fails_late(turn):
    """Whether a turn of a repeated group can fail after it has looked further than its first characters."""
    has_begun = has_looked = False
    for op, given in flat(turn):
        if op in _ONE:
            if has_looked:
                return True
        elif always_matches(op, given):
            has_looked = True
        elif has_begun or has_looked:
            return True
        elif op is ops.BRANCH:
            if any(map(fails_late, given[1])):
                return True
            has_looked = True
        elif op is ops.POSSESSIVE_REPEAT and [step for step, _ in flat(given[2])][1:] == []:
            has_looked = True
        else:
            return True
        has_begun = True
    return False


def within(given):
    """The patterns that a step is made of."""
    if isinstance(given, _parser.SubPattern):
        yield given
    elif isinstance(given, (tuple, list)):
        for part in given:
            yield from within(part)


def forgets(pattern):
    """Whether older Pythons would read a pattern otherwise."""
    for op, given in pattern:
        if op is ops.ATOMIC_GROUP or (op is ops.POSSESSIVE_REPEAT and fails_late(given[2])):
            return True
        if any(map(forgets, within(given))):
            return True
    return False


@pytest.mark.parametrize(
    ("pattern", "does"),
    [
        (r"(?:/(?!\.)[a-z]*+)++", True),
        (r"(?:[a-z]++\.)*+", True),
        (r"(?:\.[a-z]++)*+", True),
        (r"(?:=(?:\"[^\"]*+\")?+)*+", True),
        (r"(?>a|ab)c", True),
        (r"x(?:(?:-[a-z]++)?+y)*", True),
        (r"[a-z]*+(?:\.[a-z][a-z]*+)*+", False),
        (r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|))*+", False),
        (r"(?:[^\"\\]|\\.)*+", False),
        (r"(?::([1-9][0-9]{0,3}))?+", False),
        (r"(?:[a-z]++\.)*", False),
    ],
)
def test_what_older_pythons_read_otherwise_is_known(pattern, does):
    assert forgets(_parser.parse(pattern)) is does


@pytest.mark.spec("ID-6", "SEC-8")
def test_no_pattern_is_read_otherwise_by_an_older_python():
    listing = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, check=True)
    patterns = json.loads(listing.stdout)

    assert len(patterns) > 300
    assert [
        f"{where}: {text}" for text, (where, flags) in patterns.items() if forgets(_parser.parse(text, flags))
    ] == []


@pytest.mark.spec("ID-6")
@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|))*+", 'a="b'), (r"a*+(?:\.b[ab]*+)*+", "aa.bb.c")],
)
def test_what_may_stand_is_read_alike_by_this_python(pattern, text):
    """What is repeated without giving back, against the same with giving back: nothing follows it."""
    assert re.match(pattern, text).end() == re.match(pattern.replace(")*+", ")*"), text).end()
