"""The decorator that makes values quickly, and how values are pickled.

`dataclass` as the standard library has it, made in a quarter of the time: a command makes 245 of these
classes before it does anything, and compiling six methods for each took a third of its start.

1. For a type checker this is `dataclasses.dataclass`. At run time the class is the same: its fields, slots,
   signature, comparisons, hash, words, errors and pickles (`tests/core/base/test_values.py` makes every
   class of the package both ways).
2. The standard decorator finds the fields and makes the slots, and is asked for no methods. Refusing
   changes and pickling are the same functions for all classes; the other methods are written when somebody
   first looks for them: most classes of a run are never compared or shown. What differs by names alone is
   compiled once: the methods of a second class with three fields are the first's with their names replaced.
3. A frozen `__init__` sets its slots by their descriptors, bound once: a third less time than asking
   `object.__setattr__` by name.
4. What is not known here (other flags, bases that are dataclasses, `InitVar`, arguments by keyword only,
   own comparisons) is given to the standard decorator whole.
5. Values that go to another process page by page, or wait in a file, are pickled `by_fields`. A dataclass
   with slots asks for the names of its fields each time: that takes longer than the rest of pickling a
   page.

Of what `dataclasses` does not document this uses `__dataclass_params__`, which carries the flags by name,
so that a dataclass which inherits from one of these knows whether it is frozen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from functools import cache
from importlib import import_module
from operator import attrgetter
from reprlib import recursive_repr
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

_ORDER: Final = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_COMPARED: Final = {"__eq__": "==", **_ORDER}
_FLAGS: Final = frozenset({"slots", "frozen", "eq", "order", "repr"})

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - what others import here
else:

    def dataclass(cls: type | None = None, /, **flags: bool) -> Any:
        """The class as a dataclass; without a class, what makes one by these flags."""
        if cls is None:
            return lambda cls: dataclass(cls, **flags)
        return _made(cls, **flags) if _is_known(cls, flags) else standard(cls, **flags)


def _is_known(cls: type, flags: dict[str, bool]) -> bool:
    own = vars(cls)
    annotations: dict[str, object] = own.get("__annotations__", {})
    return (
        flags.get("slots", False)
        and flags.keys() <= _FLAGS
        and (flags.get("eq", True) or not flags.get("order", False))
        and all(vars(kind).keys().isdisjoint(_NOT_KNOWN) for kind in cls.__mro__[:-1])
        and bool(cls.__doc__)  # without one, the standard's words are made of the signature
        and "self" not in annotations
        and not any("InitVar" in str(kind) or "KW_ONLY" in str(kind) for kind in annotations.values())
        and all(value.init and value.kw_only is MISSING for value in own.values() if isinstance(value, Field))
    )


def _made(cls: type, *, frozen: bool = False, **flags: bool) -> type:
    made: Any = standard(cls, init=False, repr=False, eq=False, slots=True)
    params = made.__dataclass_params__
    params.init, params.frozen = True, frozen
    methods = ["__init__"]
    for flag, adds in (("repr", ["__repr__"]), ("eq", ["__eq__"]), ("order", _ORDER)):
        wanted = flags.get(flag, flag != "order")
        setattr(params, flag, wanted)
        methods.extend(adds if wanted else ())
    for name in methods:
        if name not in vars(cls):
            setattr(made, name, _Unwritten(made, name))
    if params.eq and "__hash__" not in vars(cls):
        made.__hash__ = _Unwritten(made, "__hash__") if frozen else None
    if frozen:
        for name, method in _OF_FROZEN.items():
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


class _Unwritten:
    """The place of a method: whoever looks here finds the method, which is written and put here then."""

    __slots__ = ("made", "name")

    def __init__(self, made: type, name: str) -> None:
        self.made = made
        self.name = name

    def __get__(self, value: object, owner: type | None = None) -> Any:
        method = _WRITERS[self.name](self.made, self.name)
        method.__qualname__ = f"{self.made.__qualname__}.{self.name}"
        setattr(self.made, self.name, method)
        return method.__get__(value, owner)


def _init(made: type, name: str) -> Any:
    frozen = made.__dataclass_params__.frozen  # type: ignore[attr-defined]
    told = fields(made)
    known: dict[str, object] = {"_not_given": _NOT_GIVEN}
    lines = []
    for number, field in enumerate(told):
        value = f"a{number}"
        if field.default_factory is not MISSING:
            known[f"_new{number}"] = field.default_factory
            value = f"_new{number}() if a{number} is _not_given else a{number}"
        if frozen:
            known[f"_set{number}"] = vars(made)[field.name].__set__
            lines.append(f"_set{number}(self, {value})")
        else:
            lines.append(f"self.a{number} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    arguments = ", ".join(["self", *(f"a{number}" for number in range(len(told)))])
    names = [field.name for field in told]
    init = _function(made, f"{name}({arguments})", lines or ["pass"], names, known)
    init.__defaults__ = _defaults(told)
    init.__annotations__ = {field.name: field.type for field in told} | {"return": None}
    return init


def _defaults(told: tuple[Field[Any], ...]) -> tuple[object, ...]:
    found: list[object] = []
    for field in told:
        if field.default is not MISSING:
            found.append(field.default)
        elif field.default_factory is not MISSING:
            found.append(_NOT_GIVEN)
        elif found:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")
    return tuple(found)


def _comparison(made: type, name: str) -> Any:
    names = [field.name for field in fields(made) if field.compare]
    mine, others = (_values(whose, names) for whose in ("self", "other"))
    same = f"if other.__class__ is self.__class__: return {mine} {_COMPARED[name]} {others}"
    return _function(made, f"{name}(self, other)", [same, "return NotImplemented"], names, {})


def _hash(made: type, name: str) -> Any:
    told = fields(made)
    names = [field.name for field in told if (field.compare if field.hash is None else field.hash)]
    return _function(
        made, f"{name}(self)", [f"return _hash({_values('self', names)})"], names, {"_hash": hash}
    )


def _repr(made: type, name: str) -> Any:
    shown = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in fields(made) if field.repr)
    text = f"return f'{{self.__class__.__qualname__}}({shown})'"
    return recursive_repr()(_function(made, f"{name}(self)", [text], (), {}))


_WRITERS: Final = {
    "__init__": _init,
    "__hash__": _hash,
    "__repr__": _repr,
    **dict.fromkeys(_COMPARED, _comparison),
}


def _values(whose: str, names: Sequence[str]) -> str:
    return f"({''.join(f'{whose}.a{number}, ' for number in range(len(names)))})"


def _function(
    made: type, head: str, lines: Sequence[str], names: Sequence[str], known: dict[str, object]
) -> Any:
    """A function of the class's module: `a0`, `a1` … stand for these names, and the rest is known."""
    code = _template(head, "".join(f"\n  {line}" for line in lines), ", ".join(known))
    meant = {f"a{number}": name for number, name in enumerate(names)}
    code = code.replace(
        co_varnames=tuple(meant.get(name, name) for name in code.co_varnames),
        co_names=tuple(meant.get(name, name) for name in code.co_names),
    )
    closure = tuple(CellType(known[name]) for name in code.co_freevars)
    return FunctionType(code, vars(import_module(made.__module__)), closure=closure)


@cache
def _template(head: str, body: str, known: str) -> CodeType:
    """What is compiled: once for all classes whose methods differ by names alone."""
    found: dict[str, Any] = {}
    exec(f"def _with({known}):\n def {head}:{body}", {}, found)
    return next(part for part in found["_with"].__code__.co_consts if isinstance(part, CodeType))


class _NotGiven:
    def __repr__(self) -> str:
        return "<factory>"


_NOT_GIVEN: Final = _NotGiven()
"""What an argument is that a factory makes: shown in signatures as the standard's is."""


def _refuse_to_set(self: object, name: str, value: object) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: object, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _refuse(value: Any, name: str, what: str) -> None:
    """Classes that inherit without being dataclasses may have further attributes, which can change."""
    if "__dataclass_fields__" in vars(type(value)) or name in value.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot {what} field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for field, value in zip(fields(self), state, strict=False):
        object.__setattr__(self, field.name, value)


_OF_FROZEN: Final = {
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
_NOT_KNOWN: Final = frozenset({*_COMPARED, *_OF_FROZEN, "__init__", "__dataclass_fields__"})
"""What neither a class of this package nor its bases define."""


T = TypeVar("T")


def by_fields(made: type[T]) -> type[T]:
    """A dataclass that is pickled as a call with its fields, of which there are two at least."""
    values = attrgetter(*(field.name for field in fields(made)))  # type: ignore[arg-type]

    def reduced(self: T) -> tuple[type[T], tuple[Any, ...]]:
        return made, values(self)

    made.__reduce__ = reduced  # type: ignore[method-assign, assignment]
    return made
