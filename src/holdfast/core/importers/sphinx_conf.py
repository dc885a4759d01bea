"""The `linkcheck_*` settings of a Sphinx `conf.py`, read as data: the file is parsed, never executed.

    linkcheck_ignore                  skip_urls (there a pattern matches from the start of the URL)
    linkcheck_exclude_documents       lines for .holdfastignore
    linkcheck_timeout                 timeout
    linkcheck_workers                 concurrency
    linkcheck_rate_limit_timeout      max_wait
    tls_cacerts                       ca_file

A value that is computed rather than written cannot be read, and is noted.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from holdfast.core.base.errors import FormatError
from holdfast.core.importers.imported import Imported, finite, skip_pattern

_NUMBERS: Final = {
    "linkcheck_timeout": "timeout",
    "linkcheck_workers": "concurrency",
    "linkcheck_rate_limit_timeout": "max_wait",
}
_NOTES: Final = {
    "linkcheck_anchors": "sections are always looked for; they fail no build unless fail_on has `fragment`",
    "linkcheck_anchors_ignore": "routes and line numbers are not judged; ignore others with a reason",
    "linkcheck_anchors_ignore_for_url": "ignore such links in the document, with a reason",
    "linkcheck_allowed_redirects": "a redirect fails no build unless fail_on has `moved`",
    "linkcheck_auth": "use [origin.URL] with the credentials in a variable",
    "linkcheck_request_headers": "use [origin.URL] with headers, secrets by the name of a variable",
    "linkcheck_retries": "one request a run for each URL; what failed is looked at again at the next run",
    "linkcheck_report_timeouts_as_broken": "a timeout is dead only after three looks over 48 hours",
    "linkcheck_allow_unauthorized": "401 and 403 are `unknown` and fail no build",
    "linkcheck_case_insensitive_urls": "URLs are compared by their canonical form",
    "user_agent": "the user agent is truthful; `contact` adds who you are",
    "tls_verify": "certificates are always verified; ca_file names your own",
}
_PLAIN_NAME = re.compile(r"\^?([\w\-/]*[\w\-])(\.\*|/\.\*)?\$?")


def read_sphinx(text: str, place: str) -> Imported:
    """Read a `conf.py`; `place` is how messages name it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is none of our business
            tree = ast.parse(text, place)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormatError(f"{place} is not Python: {error}") from None
    found = Imported()
    for name, value in _assigned(tree):
        if name.startswith("linkcheck_") or name in ("tls_cacerts", "tls_verify", "user_agent"):
            found += _taken(name, value)
    return found


def _assigned(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """Every name that the file gives a value to at its top level."""
    pairs: list[tuple[str, ast.expr]] = []
    for node in tree.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs += [(target.id, value) for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                pairs.append((name, value))
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                pairs.append((name, value))
    return pairs


def _taken(name: str, expression: ast.expr) -> Imported:
    if name in _NOTES:
        return Imported(notes=(f"{name}: {_NOTES[name]}",))
    try:
        value = ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return Imported(notes=(f"{name}: its value is computed; write it by hand",))
    if name == "linkcheck_ignore" and isinstance(value, (list, tuple)):
        return _ignored(value)
    if name == "linkcheck_exclude_documents" and isinstance(value, (list, tuple)):
        return _documents(value)
    if name in _NUMBERS and isinstance(value, (int, float)) and not isinstance(value, bool):
        if finite(value) is None:
            return Imported(notes=(f"{name}: its value is not a number to count with; write it by hand",))
        return Imported({_NUMBERS[name]: value})
    if name == "tls_cacerts" and isinstance(value, str):
        return Imported({"ca_file": value})
    return Imported(notes=(f"{name} = {value!r}: has no equal here",))


def _ignored(patterns: Any) -> Imported:
    found, notes = [], []
    for pattern in patterns:
        ours, why = skip_pattern(str(pattern), "linkcheck_ignore")
        if ours is not None:
            found.append(ours if ours.startswith("^") else f"^(?:{ours})" if "|" in ours else f"^{ours}")
        if why is not None:
            notes.append(why)
    return Imported({"skip_urls": tuple(found)} if found else {}, notes=tuple(notes))


def _documents(patterns: Any) -> Imported:
    paths, notes = [], []
    for pattern in patterns:
        plain = _PLAIN_NAME.fullmatch(str(pattern))
        if plain is None:
            notes.append(f"linkcheck_exclude_documents: {pattern!r}; write it for .holdfastignore by hand")
        else:
            paths.append(
                f"{plain[1]}*" if plain[2] == ".*" else f"{plain[1]}/" if plain[2] else f"{plain[1]}.*"
            )
    return Imported(ignored_paths=tuple(paths), notes=tuple(notes))
