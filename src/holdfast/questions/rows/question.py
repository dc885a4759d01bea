"""A question as one row: a function, and all that the faces say of it.

1. Python's three kinds of parameter say where each comes from. Before `/` stands what an open store has
   (`questions/reader`). Between `/` and `*` stands a word of the command line, after `*` a flag.
   `Annotated` carries the kind and the sentence of each (`questions/rows/parameters`).
2. The docstring is the help of every face. Its first sentence goes into lists. The paragraph that begins with
   "Exit status" is the command's; what stands behind "Example:" is the library's, and runs as a test.
3. The runner asks a row once a store. A store that has nothing of what was asked for raises
   `NotKeptError`: the answer has no part of it. Where no store has a part, the answer is that error.
4. `words`, `remarks`, `form`, `rows` and `tool` declare the other looks of an answer. Each is a function of
   one store's value and runs when somebody wants that look.
5. A row imports no job and no store, so that help costs no more than the row.
6. A row that does something has a job. It takes nothing from an open store: its function only says what it
   is called with. The job stands in its own file under `@row.job` and imports the row; `make docs` puts its
   place into the table. What deletes has a parameter `dry_run`, and `asks` says what is asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from inspect import cleandoc
from sys import modules
from typing import Any, Concatenate, Final, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from holdfast.core.base.json_shape import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    described,
    inside,
    optional,
    record,
    told,
)
from holdfast.core.base.shown_text import without_userinfo
from holdfast.core.base.values import dataclass
from holdfast.questions.rows.parameters import Parameter, parameters_of

P = ParamSpec("P")
V = TypeVar("V")
W = TypeVar("W")


class Paint(Protocol):
    """A text in the named styles (`bold`, `dim`, `red`, …), as the place it goes to shows them."""

    def __call__(self, text: str, /, *names: str) -> str:
        """The text."""
        ...


class Saying(NamedTuple):
    """What the words of an answer need beside its value: the colours, what time it is, and what the folder
    that has the store is called.
    """

    paint: Paint
    now: datetime
    folder: str = ""


class Note(str):
    """A line for the person, beside the answer."""

    __slots__ = ()


class Content(str):
    """What a page says: written as it is, not as a line of ours."""

    __slots__ = ()


Line = str | bytes
"""What a look of an answer is made of: a line, a `Note`, `Content`, or the bytes of a file."""


@dataclass(frozen=True, slots=True)
class StorePart(Generic[V]):
    """What one store answers; `store` is how it is called from where was asked."""

    store: str
    value: V


@dataclass(frozen=True, slots=True)
class StoreFailure:
    """Why one store could not answer: it is damaged, or of another program."""

    store: str
    error: str
    exit_status: int


@dataclass(frozen=True, slots=True)
class StoreAnswers(Generic[V]):
    """What all stores answer to a question, in their order.

    `failed` has the stores that could not answer, and why. `next` names the store and the place where the
    following rows begin. `told` is what holds of all parts. `is_partial`: the look for stores met its bound,
    there may be more.
    """

    question: str
    parts: tuple[StorePart[V], ...]
    next: str | None = None
    told: tuple[str, ...] = ()
    is_partial: bool = False
    failed: tuple[StoreFailure, ...] = ()


Look = Callable[[V, Saying], Iterable[Line]]
"""How one store's value is written."""


class Form(NamedTuple):
    """A form of an answer beside its words and its JSON, and the parameters that it needs to be so."""

    about: str
    write: Look[Any]
    asks: Mapping[str, Any]


class Table(NamedTuple):
    """The answer as rows of a table."""

    columns: tuple[str, ...]
    rows: Callable[[Any], Iterable[tuple[Any, ...]]]


class Tool(NamedTuple):
    """The question as agents ask it: what it is for, the arguments that only they have, with their defaults,
    and what an agent gets of the answer.
    """

    about: str
    extra: Mapping[str, Any]
    answer: Callable[..., dict[str, Any]]


class QuestionRow(Generic[P, V]):
    """A row."""

    def __init__(  # noqa: PLR0913, PLR0917 - what `question` says of a row, once
        self,
        ask: Callable[P, V],
        listed: str,
        settings: tuple[str, ...],
        finds: Callable[[Any], bool] | None,
        finds_flag: str = "",
        switch_of: str = "",
        switches: Mapping[str, str] | None = None,
        writes: Callable[[Mapping[str, Any]], bool] = lambda _: False,
    ) -> None:
        self.switch_of = switch_of
        self.switches = switches or {}
        self.ask = ask
        self.finds = finds
        self.finds_flag = finds_flag
        self.writes = writes
        self.name = ask.__name__.replace("_", "-")
        self.listed = listed
        self.settings = settings
        self.words_of: Look[V] | None = None
        self.whole_of: Callable[[StoreAnswers[Any], Saying], Iterable[Line]] | None = None
        self.remarks_of: Callable[[V, Saying], Iterable[str]] | None = None
        self.forms: dict[str, Form] = {}
        self.table: Table | None = None
        self.agents: Tool | None = None
        self.shape_of: Callable[[], Shape] | None = None
        self.asks_of: Callable[[V], str] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """What one store answers."""
        return self.ask(*args, **kwargs)

    def words(self, make: Look[V]) -> Look[V]:
        """Declare the answer in words, the form that needs no flag."""
        self.words_of = make
        return make

    def whole(self, make: Callable[[StoreAnswers[V], Saying], Iterable[Line]]) -> None:
        """Declare the answer of all stores in words, in the place of the words of each. Such a row says what
        is here: that there is no store, or that none can be read, is its answer and no error.
        """
        self.whole_of = make

    def remarks(self, make: Callable[[V, Saying], Iterable[str]]) -> None:
        """Declare what is said to the person before the answer, in every form of the command."""
        self.remarks_of = make

    def form(self, name: str, about: str, **asks: Any) -> Callable[[Look[V]], Look[V]]:
        """Declare another `--format`; it is asked for with these parameters."""

        def keep(make: Look[V]) -> Look[V]:
            self.forms[name] = Form(about, make, asks)
            return make

        return keep

    def rows(self, *columns: str) -> Callable[[Callable[[V], Iterable[tuple[Any, ...]]]], None]:
        """Declare the answer as rows under these names: `--format csv` and `jsonl`."""

        def keep(make: Callable[[V], Iterable[tuple[Any, ...]]]) -> None:
            self.table = Table(columns, make)

        return keep

    def json(self, make: Callable[[], Shape]) -> None:
        """Declare how one store's value looks in JSON, where its fields do not say it."""
        self.shape_of = make

    def tool(self, about: str, **extra: Any) -> Callable[[Callable[..., dict[str, Any]]], None]:
        """Declare the agents' tool; few rows have one, and each says when to use it."""

        def keep(answer: Callable[..., dict[str, Any]]) -> None:
            self.agents = Tool(about, extra, answer)

        return keep

    def job(
        self, do: Callable[Concatenate[W, ...], V | Coroutine[Any, Any, V]]
    ) -> Callable[Concatenate[W, ...], V | Coroutine[Any, Any, V]]:
        """Declare what does it, in the file of the job. It is handed the store (`StoreAtWork` in
        `jobs/row_runner`) and all parameters by name.
        """
        return do

    def asks(self, make: Callable[[V], str]) -> None:
        """Declare what is asked before it is done, made of the value of a dry run; nothing: there is nothing
        to ask. A call with `--yes`, and one from Python, has said yes.
        """
        self.asks_of = make

    @property
    def is_of_all(self) -> bool:
        """Whether it answers of all stores together, also where there is none."""
        return self.whole_of is not None

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be asked for, in order."""
        return parameters_of(self.ask)

    @property
    def command(self) -> str:
        """The command that asks it; a switch of a command is asked by its flag."""
        return self.switch_of or self.name

    @property
    def call(self) -> str:
        """How it is asked on the command line."""
        return f"{self.switch_of} --{self.name}" if self.switch_of else self.name

    @property
    def value(self) -> str:
        """The name of the class of one store's value."""
        return str(self.ask.__annotations__["return"])

    @property
    def sentence(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.paragraphs()[0].split())

    def paragraphs(self) -> list[str]:
        """The paragraphs of the docstring."""
        return cleandoc(self.ask.__doc__ or "").split("\n\n")

    def schema(self) -> Schema:
        """The JSON of an answer: that of each part, made of the value's fields, with its store."""
        value = getattr(modules[self.ask.__module__], self.value)
        shape = self.shape_of() if self.shape_of else told(value)
        part = record(
            store=described(TEXT, "The store, as seen from where was asked."), **inside("value", shape)
        )
        return Schema(
            self.name,
            f"What `holdfast {self.call} --json` prints. {self.sentence}",
            record(
                parts=array(part),
                told=described(array(TEXT), "What holds of all parts."),
                is_partial=described(BOOLEAN, "The look for stores met its bound: there may be more."),
                failed=described(array(told(StoreFailure)), "The stores that could not answer."),
                next=described(
                    optional(TEXT), "What `from` takes for the rows that follow; null: there are none."
                ),
            ),
        )


def question(
    *,
    listed: str = "",
    settings: tuple[str, ...] = (),
    finds: Callable[[Any], bool] | None = None,
    finds_flag: str = "",
    switch_of: str = "",
    switches: Mapping[str, str] | None = None,
    writes: Callable[[Mapping[str, Any]], bool] = lambda _: False,
) -> Callable[[Callable[P, V]], QuestionRow[P, V]]:
    """Make a function a row. `listed` names the tuple of its value that `limit` counts, `settings` those
    that it has flags for. Where a part `finds` something, the command ends with 1; with a `finds_flag` only
    where that flag was given. `switches` are the flags of a command that ask another row in its place, with
    their sentences; that row says `switch_of` whom. What a call `writes`, by what was given, it writes in one
    store.
    """
    return lambda ask: QuestionRow(ask, listed, settings, finds, finds_flag, switch_of, switches, writes)


_WORDS: Final = Shape(TEXT.schema, without_userinfo)

ERROR: Final = Schema(
    "error",
    "What a command that was asked for `--json` prints when it ends in an error.",
    record(
        error=at("message", _WORDS),
        hint=optional(_WORDS),
        exit_status=at(lambda e: int(e.exit_status), INTEGER),
    ),
)
