"""The rows as functions of the library, each made when it is first asked for. The stub beside this file has
their types.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from typing import Any, Final

from holdfast import jobs
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.faces.library.calling import settled
from holdfast.questions.rows.parameters import TARGET, python_signature
from holdfast.questions.rows.question import StoreAnswers
from holdfast.questions.rows.table import ROWS, question_named

_SETTINGS: Final = Parameter("settings", Parameter.VAR_KEYWORD, annotation="Unpack[GivenSettings]")


def __getattr__(name: str) -> Callable[..., StoreAnswers[Any]]:
    if name.replace("_", "-") not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = _function(name)
    return made


def __dir__() -> list[str]:
    """The names of the functions."""
    return [name.replace("-", "_") for name in ROWS]


def _function(name: str) -> Callable[..., StoreAnswers[Any]]:
    question = question_named(name.replace("_", "-"))
    signature = python_signature(question.parameters, question.value)
    own = {one.name: one for one in question.parameters if "library" not in one.hidden}

    def call(*args: Any, **given: Any) -> StoreAnswers[Any]:
        settings = settled({key: value for key, value in given.items() if key not in own})
        bound = signature.bind(*args, **{key: value for key, value in given.items() if key in own})
        said = {key: own[key].kind.take(value) for key, value in bound.arguments.items()}
        unread = {key for key, value in said.items() if value is None and not own[key].may_be_none}
        about = [said.get(key) for key, one in own.items() if one.kind is TARGET]
        asked = jobs.row_runner.asked_here(
            settings, SettingsFile(), lambda _: settings, about=about, may_be_none=question.is_of_all
        )
        return jobs.row_runner.run_row(question, {k: v for k, v in said.items() if k not in unread}, asked)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "holdfast"
    command_only = [part for part in question.paragraphs() if part.startswith("Exit status")]
    call.__doc__ = "\n\n".join(part for part in question.paragraphs() if part not in command_only)
    call.__signature__ = python_signature(question.parameters, question.value, _SETTINGS)  # type: ignore[attr-defined]
    return call
