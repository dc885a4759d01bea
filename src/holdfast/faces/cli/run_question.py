"""A row as a command: its flags and its help, the run, and the forms of the answer.

1. Help is the row's docstring without what is the library's. `--json` and `--format` are made here, once for
   all: every form of the row, and `csv` and `jsonl` where it has rows.
2. argparse keeps texts, under `ask_NAME`; the kind of a parameter reads them, so that a wrong value is the
   same error on every face.
3. A switch, such as `log --runs`, asks another row in the place of the command's.
4. What a row asks before it is done is asked here, after what it would do. `--yes` answers it; without a
   terminal the answer is no.
5. What is told of an answer comes first, on standard error; then its parts, each under its store where there
   are several.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from holdfast import jobs
from holdfast.core.base.errors import ConsentError, ExitStatus, UsageError
from holdfast.core.base.shown_text import harmless_json
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import end_life_sign, note, notes, out, out_content, say_life_sign, style
from holdfast.faces.cli.flags import add_settings, add_shared, environment_of, settings_file_of, settings_from
from holdfast.questions.rows.parameters import ROWS, TARGET, Parameter
from holdfast.questions.rows.question import Content, Line, Note, QuestionRow, Saying, StoreAnswers, StorePart
from holdfast.questions.rows.table import JOBS, question_named

Asked = QuestionRow[..., Any]
_TABLE_FORMS: Final = {"csv": "rows of a table", "jsonl": "a row a line, as JSON"}


def help_of(question: Asked) -> str:
    """What the command's help says before its flags."""
    return "\n\n".join(part for part in question.paragraphs() if not part.startswith("Example:"))


def add_row(parser: argparse.ArgumentParser, question: Asked) -> None:
    """Give a parser the parameters, the forms, and the settings of a row."""
    for one in question.parameters:
        if "cli" not in one.hidden:
            _add(parser, one)
    if question.finds_flag:
        words = "end with 1 where something is found"
        parser.add_argument(f"--{question.finds_flag}", action="store_true", dest="finds_flag", help=words)
    if question.asks_of is not None:
        add_shared(parser, "--yes")
    switch = parser.add_mutually_exclusive_group()
    for name, words in question.switches.items():
        switch.add_argument(f"--{name}", dest="ask_instead", action="store_const", const=name, help=words)
    if forms := _forms(question):
        words = "; ".join(f"{name}: {about}" for name, about in forms.items())
        parser.add_argument("--format", choices=tuple(forms), help=words)
    add_settings(parser, "store", *question.settings)


def run(question: Asked, args: argparse.Namespace) -> ExitStatus:
    """Ask, and show the answer; a switch asks another row."""
    form = getattr(args, "format", None)
    if instead := getattr(args, "ask_instead", None):
        question = _switched(question, question_named(instead), args, form)
    given = {one.name: value for one in question.parameters if (value := _given(one, args)) is not None}
    limit = next((one.name for one in question.parameters if one.kind is ROWS), None)
    if limit and given.get(limit) == 0:
        given[limit] = None
    given |= question.forms[form].asks if form in question.forms else {}
    say = Saying(style, datetime.now(UTC))
    answer = _answered(question, given, args, say)
    notes(answer.told)
    if args.json:
        for part in answer.parts:
            notes(_remarks(question, answer, part, say))
        out_content(harmless_json(question.schema().text(answer)))
    else:
        _show(question, answer, form, say)
        if answer.next is not None:
            note(f"there is more: --from {answer.next}")
    for each in answer.failed if question.whole_of is None else ():
        note(f"error: store {each.store}: {each.error}")
    if answer.failed:
        return ExitStatus(min(each.exit_status for each in answer.failed))  # 3 goes before 4
    finds = question.finds if getattr(args, "finds_flag", True) else None
    found = finds is not None and any(finds(part.value) for part in answer.parts)
    return ExitStatus.FINDINGS if found else ExitStatus.SUCCESS


def _answered(
    question: Asked, given: Mapping[str, Any], args: argparse.Namespace, say: Saying
) -> StoreAnswers[Any]:
    """What the row answers here; a job is watched, and asks."""
    flags = {name: getattr(args, name, None) for name in question.settings}

    def settings_at(folder: Path) -> Any:
        return jobs.load_settings.load_settings(folder, flags=flags, environment=environment_of(args))

    def agree(plan: StoreAnswers[Any], asks: str) -> None:
        if not args.yes:
            _ask(question, plan, asks, say, as_json=args.json)

    about = [given.get(one.name) for one in question.parameters if one.kind is TARGET]
    with watcher(quiet=True) if question.name in JOBS else nullcontext() as observer:
        here = settings_from(args), settings_file_of(args)
        asked = jobs.row_runner.asked_here(
            *here, settings_at, _tell, observer, about, may_be_none=question.is_of_all
        )
        return jobs.row_runner.run_row(question, given, asked, agree=agree)


def _switched(question: Asked, other: Asked, args: argparse.Namespace, form: str | None) -> Asked:
    """The row that a switch asks, which has none of the flags that it does not take."""
    own = {one.name for one in other.parameters}
    flags = [
        one.called for one in question.parameters if one.name not in own and _given(one, args) is not None
    ]
    flags += [f"format {form}"] if form and form not in _forms(other) else []
    if flags:
        raise UsageError(f"--{flags[0]} and --{other.name} do not go together")
    return other


def _add(parser: argparse.ArgumentParser, one: Parameter) -> None:
    options: dict[str, Any] = {
        "dest": f"ask_{one.name}",
        "default": None,
        "help": one.words.replace("%", "%%"),
    }
    if not one.is_flag:
        parser.add_argument(metavar=one.kind.metavar, nargs=None if one.is_required else "?", **options)
        return
    if one.kind.schema.get("type") == "boolean":
        options["action"] = argparse.BooleanOptionalAction if one.default else "store_true"
    elif one.kind.choices:
        options["choices"] = one.kind.choices
    else:
        options["metavar"] = one.kind.metavar
    short = ("-n",) if one.name == "dry_run" else ()
    parser.add_argument(*short, f"--{one.called.replace('_', '-')}", **options)


def _ask(question: Asked, plan: StoreAnswers[Any], asks: str, say: Saying, *, as_json: bool) -> None:
    """Show what would be done, and ask whether it shall be; nobody to ask says no."""
    end_life_sign()
    if not as_json:
        _show(question, plan, None, say)
    if as_json or not sys.stdin.isatty():
        raise ConsentError(f"{asks} Nobody was there to ask.", hint="--yes does it, -n shows it")
    note(f"{asks} Type `yes`:")
    if input().strip() != "yes":
        raise ConsentError("nothing was done")


def _given(one: Parameter, args: argparse.Namespace) -> Any:
    given = getattr(args, f"ask_{one.name}", None)
    return one.kind.read(given) if isinstance(given, str) else given


def _forms(question: Asked) -> dict[str, str]:
    own = {name: form.about for name, form in question.forms.items()}
    return own | (_TABLE_FORMS if question.table else {})


def _show(question: Asked, answer: StoreAnswers[Any], form: str | None, say: Saying) -> None:
    if form in _TABLE_FORMS and question.table:
        _write_rows(form, *_rows(question, answer))
        return
    if form is None and question.whole_of is not None:
        _print(question.whole_of(answer, say))
        return
    write = question.forms[form].write if form else question.words_of
    if write is None:
        return
    for part in answer.parts:
        lines = write(part.value, say._replace(folder=Path(part.store).resolve().name))
        if len(answer.parts) > 1:
            lines = list(lines)
            if any(isinstance(line, bytes) for line in lines):
                stores = " or ".join(each.store for each in answer.parts)
                raise UsageError(f"{len(answer.parts)} stores keep it", hint=f"--store names one: {stores}")
        notes(_remarks(question, answer, part, say))
        _print(lines)


def _remarks(question: Asked, answer: StoreAnswers[Any], part: StorePart[Any], say: Saying) -> Iterator[str]:
    if len(answer.parts) > 1:
        yield f"store {part.store}:"
    yield from question.remarks_of(part.value, say) if question.remarks_of else ()


def _print(lines: Iterable[Line]) -> None:
    for line in lines:
        if isinstance(line, bytes):
            _write_bytes(line)
        elif isinstance(line, Note):
            note(line)
        elif isinstance(line, Content):
            out_content(line)
        else:
            out(line)


def _write_bytes(body: bytes) -> None:
    """The bytes of a file; a terminal gets what is harmless of them."""
    if sys.stdout.isatty():
        out_content(body.decode("utf-8", "replace"))
    else:
        sys.stdout.buffer.write(body)


def _rows(question: Asked, answer: StoreAnswers[Any]) -> tuple[tuple[str, ...], Iterator[Mapping[str, Any]]]:
    assert question.table is not None
    columns, rows = question.table
    found = (
        {"store": part.store, **dict(zip(columns, map(_cell, row), strict=True))}
        for part in answer.parts
        for row in rows(part.value)
    )
    return ("store", *columns), found


def _write_rows(form: str, columns: tuple[str, ...], rows: Iterator[Mapping[str, Any]]) -> None:
    if form == "jsonl":
        for row in rows:
            out(harmless_json(json.dumps(row, ensure_ascii=False)))
        return
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _cell(value: Any) -> Any:
    """A value as JSON has it."""
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else value


def _tell(done: int, total: int) -> None:
    say_life_sign(f"building the search index: {done:,} of {total:,}" if done < total else "searching")
