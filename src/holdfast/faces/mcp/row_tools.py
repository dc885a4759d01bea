"""A row as an agents' tool: its arguments, typed, each with its sentence, and what only agents can say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter as Signed
from inspect import Signature
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from holdfast import jobs
from holdfast.core.base.errors import UsageError
from holdfast.questions.rows.parameters import ROWS, TARGET, Parameter
from holdfast.questions.rows.question import QuestionRow, Tool
from holdfast.questions.rows.table import TOOLS, question_named

MOST: Final = 100
"""Rows that an answer to an agent has at most: what it reads, it pays for."""
_LONGEST: Final = 2_000
_TYPES: Final = {"string": str, "integer": int, "boolean": bool, "number": float}


def row_tools(
    sources: Sequence[jobs.served_stores.ServedState],
) -> dict[str, tuple[str, Callable[..., dict[str, Any]]]]:
    """The tools that rows declare: what each is for, and the function that answers."""
    found = {}
    for name in TOOLS:
        question = question_named(name)
        if question.agents is not None:
            found[name] = (question.agents.about, _function(question, question.agents, sources))
    return found


def _function(
    question: QuestionRow[..., Any], tool: Tool, sources: Sequence[jobs.served_stores.ServedState]
) -> Callable[..., dict[str, Any]]:
    own = {one.called: one for one in question.parameters if "agents" not in one.hidden}

    def call(**said: Any) -> dict[str, Any]:
        given = {own[name].name: _read(own[name], value) for name, value in said.items() if name in own}
        asked = jobs.row_runner.asked_served(sources)
        answer = jobs.row_runner.run_row(
            question, {name: value for name, value in given.items() if value not in (None, "")}, asked
        )
        return tool.answer(answer, **{name: said.get(name, usual) for name, usual in tool.extra.items()})

    arguments = [_signed(one) for one in own.values()]
    arguments += [
        Signed(name, Signed.KEYWORD_ONLY, default=usual, annotation=type(usual))
        for name, usual in tool.extra.items()
    ]
    call.__name__ = question.name.replace("-", "_")
    call.__signature__ = Signature(arguments, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in arguments} | {"return": dict[str, Any]}
    return call


def _signed(one: Parameter) -> Signed:
    kind: Any = Literal[(*one.kind.choices, "")] if one.kind.choices else _TYPES[one.kind.schema["type"]]
    is_needed = one.is_required or (one.kind is TARGET and one.default is Signed.empty)
    usual = Signed.empty if is_needed else one.default if isinstance(one.default, int | float) else ""
    annotation = Annotated[kind, Field(description=one.words)]
    return Signed(one.called, Signed.KEYWORD_ONLY, default=usual, annotation=annotation)


def _read(one: Parameter, value: Any) -> Any:
    if one.kind is ROWS and not 1 <= value <= MOST:
        raise UsageError(f"{one.called} is a number from 1 to {MOST}")
    return one.kind.read(value[:_LONGEST]) if isinstance(value, str) and value else value
