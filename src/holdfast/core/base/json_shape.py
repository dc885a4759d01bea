"""How a value looks in JSON, by its fields: one definition that encodes it and makes its JSON Schema (STA-3).

1. A `Shape` is what a value becomes, and the schema of that. `TEXT`, `INTEGER`, … are the small ones;
   `array`, `optional`, `record` are made of others.
2. A record takes each key from the attribute of the same name: `title=TEXT`. Another attribute, or a
   function of the value: `url=at("place.url", TEXT)`. A key that is left out where there is nothing:
   `sometimes(…)`.
3. A `Schema` is a shape with a name, a number and a sentence: a file in docs/reference/schemas, made by
   `make docs`. What encodes is what is published, so the two cannot part.
4. `indented_json` writes for people and programs: the bytes of `json.dumps` with an indent of 2. The
   standard library's fast encoder does not indent. Its slow one makes a generator of every value; this
   writes each object at once, in half the time: a report has thousands of them.
5. `told` makes the record of a class from its fields. The type says how a key looks: a tuple is an array,
   `X | None` may be null, an enumeration is its words. What looks otherwise is declared.
6. Last stand the shapes that several schemas share: hashes, addresses, times, a drift, a span.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from holdfast.core.base.figures import timestamp
from holdfast.core.base.values import dataclass

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _itself(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value becomes in JSON, and the schema of that; `keys` are those of a record."""

    schema: Mapping[str, Any]
    encode: Callable[[Any], Any] = _itself
    keys: Mapping[str, Key] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record: where its value comes from, what it looks like, and when it is there."""

    get: Callable[[Any], Any]
    shape: Shape
    is_there: Callable[[Any], bool] | None = None


def json_time(moment: datetime) -> str:
    """A time for a program."""
    return moment.isoformat().replace("+00:00", "Z")


TEXT: Final = Shape({"type": "string"})
INTEGER: Final = Shape({"type": "integer"})
COUNT: Final = Shape({"type": "integer", "minimum": 0})
NUMBER: Final = Shape({"type": "number"})
BOOLEAN: Final = Shape({"type": "boolean"})
DATE_TIME: Final = Shape({"type": "string", "format": "date-time"}, json_time)
ANY_OBJECT: Final = Shape({"type": "object"}, dict)


def matching(pattern: str) -> Shape:
    """A text that a regular expression describes."""
    return Shape({"type": "string", "pattern": pattern})


def limited(shape: Shape, **limits: float) -> Shape:
    """A shape with limits, by their names in JSON Schema: `limited(INTEGER, minimum=1)`."""
    return Shape({**shape.schema, **limits}, shape.encode, shape.keys)


def described(shape: Shape, sentence: str) -> Shape:
    """A shape with a sentence for whoever reads the schema."""
    return Shape({**shape.schema, "description": sentence}, shape.encode, shape.keys)


def one_of(words: type[StrEnum] | Iterable[str | None]) -> Shape:
    """One of these words."""
    return Shape({"enum": [str(word) if word is not None else None for word in words]})


def exactly(word: str) -> Shape:
    """This word, whatever the value."""
    return Shape({"const": word}, lambda _: word)


def optional(shape: Shape) -> Shape:
    """A shape, or null."""
    encode = shape.encode
    return Shape(_nullable(shape.schema), lambda value: None if value is None else encode(value))


def _nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str) and schema["type"] != "object":
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [dict(schema), {"type": "null"}]}


def either(*shapes: Shape, by: Callable[[Any], Shape]) -> Shape:
    """One of several shapes; `by` says which a value has."""
    return Shape({"anyOf": [dict(shape.schema) for shape in shapes]}, lambda value: by(value).encode(value))


def array(shape: Shape) -> Shape:
    """Any number of them, in order."""
    encode = shape.encode
    return Shape({"type": "array", "items": dict(shape.schema)}, lambda value: [encode(one) for one in value])


def tuple_of(*shapes: Shape) -> Shape:
    """An array with a place for each."""
    items = [dict(shape.schema) for shape in shapes]
    schema = {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return Shape(
        schema,
        lambda value: [shape.encode(one) for shape, one in zip(shapes, value, strict=True)],
    )


def mapping(shape: Shape) -> Shape:
    """An object whose keys are data."""
    encode = shape.encode
    return Shape(
        {"type": "object", "additionalProperties": dict(shape.schema)},
        lambda value: {name: encode(one) for name, one in dict(value).items()},
    )


def counts_of(words: Iterable[str] | None = None, count: Shape = COUNT) -> Shape:
    """An object of counts by word; `words` are all that may come."""
    names = {"propertyNames": {"enum": [str(word) for word in words]}} if words is not None else {}
    return Shape({"type": "object", **names, "additionalProperties": dict(count.schema)}, dict)


def at(where: str | Callable[[Any], Any], shape: Shape) -> Key:
    """A key whose value is elsewhere: at an attribute (`place.url`), or made by a function."""
    return Key(attrgetter(where) if isinstance(where, str) else where, shape)


def sometimes(
    where: str | Callable[[Any], Any], shape: Shape, when: Callable[[Any], bool] | None = None
) -> Key:
    """A key that is left out where its value is None, or unless `when` says so of the whole."""
    get = at(where, shape).get
    return Key(get, shape, when or (lambda whole: get(whole) is not None))


def inside(where: str, shape: Shape) -> dict[str, Key]:
    """The keys of a record, for one whose value holds that record's value at an attribute."""
    get = attrgetter(where)
    return {name: _moved(key, get) for name, key in shape.keys.items()}


def _moved(key: Key, get: Callable[[Any], Any]) -> Key:
    is_there = key.is_there
    there = None if is_there is None else (lambda whole: is_there(get(whole)))
    return Key(lambda whole: key.get(get(whole)), key.shape, there)


def record(base: Shape | None = None, /, **keys: Shape | Key) -> Shape:
    """An object with these keys and no others, after those of another record."""
    own = {name: key if isinstance(key, Key) else at(name, key) for name, key in keys.items()}
    fields = {**(base.keys if base else {}), **own}
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in fields.items() if key.is_there is None],
        "properties": {name: dict(key.shape.schema) for name, key in fields.items()},
    }
    rows = [(name, key.get, key.shape.encode, key.is_there) for name, key in fields.items()]

    def encode(value: Any) -> dict[str, Any]:
        return {
            name: shaped(get(value))
            for name, get, shaped, is_there in rows
            if is_there is None or is_there(value)
        }

    return Shape(schema, encode, fields)


@dataclass(frozen=True, slots=True)
class Schema:
    """A published JSON: `holdfast.<name>/<number>`. Lines of JSON do not carry their schema's name."""

    name: str
    about: str
    shape: Shape
    number: int = 1
    is_line: bool = False

    @property
    def title(self) -> str:
        """The name that documents carry."""
        return f"holdfast.{self.name}/{self.number}"

    @property
    def file(self) -> str:
        """The name of the schema's file."""
        return f"{self.name}-{self.number}.json"

    def encode(self, value: Any) -> dict[str, Any]:
        """The value as JSON has it, under its schema's name unless it is a line."""
        made: dict[str, Any] = self.shape.encode(value)
        return made if self.is_line else {"schema": self.title, **made}

    def text(self, value: Any, *, on_one_line: bool = False) -> str:
        """The value written: a document, indented for people, or a line."""
        made = self.encode(value)
        is_line = self.is_line or on_one_line
        return json.dumps(made, ensure_ascii=False) if is_line else indented_json(made)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema, as it is published."""
        head: dict[str, Any] = {"$schema": _DIALECT, "title": self.title, "description": self.about}
        schema = dict(self.shape.schema)
        if not self.is_line:
            schema["required"] = ["schema", *schema["required"]]
            schema["properties"] = {"schema": {"const": self.title}, **schema["properties"]}
        return {**head, **schema}


_quoted: Final = json.encoder.encode_basestring
_other: Final = json.JSONEncoder(ensure_ascii=False).encode
_SCALARS: Final[dict[type, Callable[[Any], str]]] = {
    str: _quoted,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    NoneType: lambda _: "null",
}
_scalar_of: Final = _SCALARS.get


def indented_json(value: Any, begin: str = "\n") -> str:
    """A value whose keys are texts; `begin` is what a line begins with at its depth."""
    deeper = f"{begin}  "
    if isinstance(value, dict) and value:
        parts = [
            f"{_quoted(key)}: {make(one) if (make := _scalar_of(type(one))) else indented_json(one, deeper)}"
            for key, one in value.items()
        ]
        return f"{{{deeper}{f',{deeper}'.join(parts)}{begin}}}"
    if isinstance(value, list | tuple) and value:
        parts = [
            make(one) if (make := _scalar_of(type(one))) else indented_json(one, deeper) for one in value
        ]
        return f"[{deeper}{f',{deeper}'.join(parts)}{begin}]"
    return _other(value)


HASH: Final = matching("^[0-9a-f]{64}$")
WEB_URL: Final = matching("^https?://")
BID: Final = matching("^bid:")


POSITIVE: Final = limited(INTEGER, minimum=1)
RECIPE_TEXT: Final = described(matching("^[a-z0-9_.]+$"), "The normalization version (VER-1).")
RECIPE: Final = Shape(RECIPE_TEXT.schema, str)
SECONDS: Final = Shape({"type": "string", "format": "date-time"}, timestamp)
"""A time to the second; `DATE_TIME` has its microseconds."""

DRIFT: Final = record(amount=limited(NUMBER, minimum=0, maximum=1), title_changed=BOOLEAN)

SPAN: Final = record(start=COUNT, end=COUNT, line=POSITIVE, column=POSITIVE, utf16_column=POSITIVE)

_LOOKS: Final[Mapping[str, Shape]] = {
    "str": TEXT,
    "int": INTEGER,
    "bool": BOOLEAN,
    "float": NUMBER,
    "datetime": DATE_TIME,
    "UrlKey": HASH,
    "ContentHash": HASH,
    "Recipe": RECIPE,
}


def told(cls: type, names: str = "", /, **declared: Shape | Key) -> Shape:
    """A value of a class as JSON has it: by the names of its fields or properties, in this order; without
    names all of its fields.
    """
    own = names.split() or [one.name for one in fields(cls)]
    return record(**{name: declared.get(name) or look_of(_type_of(cls, name)) for name in own})


def look_of(kind: Any) -> Shape:
    """How a value of a type looks."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (one,) = (part for part in inner if part is not NoneType)
        return optional(look_of(one))
    if origin is tuple:
        return array(look_of(inner[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return mapping(look_of(inner[1]))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return one_of(kind)
    known = _LOOKS.get(kind.__name__)
    return told(kind) if known is None else known


def _type_of(cls: type, name: str) -> Any:
    """The type of a field or of a property, as it is written at the class."""
    for base in cls.__mro__:
        member = vars(base).get(name)
        if isinstance(member, property):
            return _written(member.fget, "return", base)
        if name in vars(base).get("__annotations__", {}):
            return _written(base, name, base)
    raise TypeError(f"{cls.__name__} has no {name}")


def _written(where: Any, name: str, cls: type) -> Any:
    text = where.__annotations__[name]
    return eval(text, vars(sys.modules[cls.__module__])) if isinstance(text, str) else text
