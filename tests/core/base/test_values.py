"""A value of the package is the dataclass that the standard decorator makes, class by class."""

import copy
import dataclasses
import inspect
import pickle
import pkgutil
import re
import sys
from dataclasses import MISSING, FrozenInstanceError, InitVar, asdict, field, fields, is_dataclass, replace
from importlib import import_module
from typing import ClassVar

import pytest

import holdfast
from holdfast.core.base.values import _OF_FROZEN, _ORDER, _WRITERS, _is_known, dataclass

MADE = {*_WRITERS, *_OF_FROZEN, "__match_args__", "__slots__", "__dict__", "__weakref__"}
FLAGS = ("repr", "eq", "order", "frozen")


def all_classes():
    for found in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if found.name.endswith("__main__"):
            continue
        try:
            module = import_module(found.name)
        except ModuleNotFoundError:
            continue  # a part whose extra is not installed
        yield from (
            part
            for part in vars(module).values()
            if isinstance(part, type) and is_dataclass(part) and part.__module__ == module.__name__
        )


def body_of(made):
    """A class as its body left it, before a decorator saw it."""
    file = sys.modules[made.__module__].__file__
    own = {
        name: part
        for name, part in vars(made).items()
        if not name.startswith("__dataclass_")
        and (name not in MADE or getattr(getattr(part, "__code__", None), "co_filename", "") == file)
    }
    for told in fields(made):
        own.pop(told.name)
        words = {name: getattr(told, name) for name in ("default", "default_factory", "init", "repr", "hash")}
        own[told.name] = field(**words, compare=told.compare, metadata=told.metadata)
    return type(made)(made.__name__, made.__bases__, own)


def both_ways(made):
    flags = {flag: getattr(made.__dataclass_params__, flag) for flag in FLAGS}
    decorators = (dataclass, dataclasses.dataclass)
    return [decorator(slots=True, **flags)(body_of(made)) for decorator in decorators]


@pytest.fixture(scope="module")
def pairs():
    found = [both_ways(made) for made in all_classes()]
    assert len(found) > 400
    return found


def outcome(work, *words):
    """What a call gives, or the error it raises, in words."""
    try:
        return work(*words)
    except Exception as error:  # noqa: BLE001 - whatever one of them raises, the other must raise
        return type(error), str(error)


def without_address(text):
    return re.sub(" at 0x[0-9a-f]+", "", text)


def shape(made):
    told = ("name", "type", "default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    params = made.__dataclass_params__
    methods = {name: getattr(made, name) for name in (*_WRITERS, "__reduce_ex__")}
    return {
        "signature": str(inspect.signature(made)),
        "types": made.__init__.__annotations__,
        "globals": made.__init__.__globals__["__name__"],
        "fields": [[getattr(part, name) for name in told] for part in fields(made)],
        "flags": [getattr(params, flag) for flag in ("init", "unsafe_hash", *FLAGS)],
        "methods": {name: getattr(method, "__qualname__", None) for name, method in methods.items()},
        "own": {name for name in vars(made) if name not in ("__static_attributes__", "__firstlineno__")},
        "slots": (made.__slots__, made.__match_args__, made.__doc__, made.__qualname__, made.__module__),
    }


def behaviour(made):
    names = [part.name for part in fields(made)]
    values = [f"value {number}" for number, _ in enumerate(names)]
    value = outcome(made, *values)
    if isinstance(value, tuple):
        return value  # its own rule refuses such values
    others = [outcome(lambda name=name: replace(value, **{name: "another"})) for name in names]
    return {
        "equal": [value == other for other in (made(*values), *others, None)],
        "hash": [outcome(hash, other) for other in others] if made.__hash__ is not object.__hash__ else [],
        "order": [outcome(getattr(value, name), other) for name in _ORDER for other in (value, *others)],
        "words": (without_address(repr(value)), outcome(asdict, value)),
        "set": [outcome(setattr, copy.copy(value), name, 1) for name in names],
        "deleted": [outcome(delattr, copy.copy(value), name) for name in names],
        "copy": copy.copy(value) == value,
        "state": value.__reduce_ex__(2)[2:] if made.__dataclass_params__.frozen else None,
        "defaults": without_address(str(outcome(made))),
        "surplus": outcome(made, *values, 1),
    }


def test_every_class_of_the_package_has_the_shape_of_the_standard_one(pairs):
    assert [ours for ours, standard in pairs if shape(ours) != shape(standard)] == []


def test_every_class_of_the_package_behaves_as_the_standard_one(pairs):
    assert [ours for ours, standard in pairs if behaviour(ours) != behaviour(standard)] == []


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A place."""

    x: int
    y: int = 0
    names: list[str] = field(default_factory=list, compare=False, repr=False)
    kind: ClassVar[str] = "point"

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("left of the page")


@dataclass(slots=True)
class Ring:
    """A value that may hold itself."""

    inner: object = None


def test_a_value_is_made_by_place_and_by_name_with_what_is_missing_put_in():
    assert (Point(1).y, Point(1).names, Point(1).kind) == (0, [], "point")
    assert Point(1).names is not Point(1).names
    assert Point(y=2, x=1, names=["a"]) == Point(1, 2) < Point(2)
    with pytest.raises(ValueError, match="left of the page"):
        Point(-1)
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)


def test_a_value_can_be_pickled_and_holds_itself_without_end():
    assert pickle.loads(pickle.dumps(Point(1, 2, ["a"]))).names == ["a"]
    ring = Ring()
    ring.inner = ring
    assert repr(ring) == "Ring(inner=...)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(ring)


def test_a_frozen_value_refuses_changes_and_what_inherits_has_attributes_of_its_own():
    class Named(Point):
        pass

    named = Named(1)
    named.label = "a"
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        named.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'y'"):
        del named.y
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'other'"):
        Point(1).other = 2


def test_a_method_is_written_once_when_somebody_looks_for_it():
    made = dataclass(frozen=True, slots=True)(
        type("Late", (), {"__doc__": "x", "__annotations__": {"a": "int"}})
    )
    unwritten = vars(made)["__eq__"]

    assert made(1) == made(1)
    assert vars(made)["__eq__"] is not unwritten
    assert vars(made)["__eq__"] is made.__eq__
    assert unwritten.__get__(made(1), made)(made(1)), "who took it before it was written finds it too"


@pytest.mark.parametrize(
    ("own", "flags"),
    [
        ({"__annotations__": {"a": "int"}}, {"slots": True, "kw_only": True}),
        ({"__annotations__": {"a": InitVar[int]}}, {"slots": True}),
        ({"__annotations__": {"a": "int"}, "a": field(init=False, default=1)}, {"slots": True}),
        ({"__annotations__": {"a": "int"}, "a": field(kw_only=True)}, {"slots": True}),
        ({"__annotations__": {"a": "int"}, "__eq__": lambda _self, _other: True}, {"slots": True}),
        ({"__annotations__": {"self": "int"}}, {"slots": True}),
        ({"__annotations__": {"a": "int"}}, {}),
    ],
)
def test_what_is_not_known_here_is_made_by_the_standard_decorator(own, flags):
    bodies = [type("Odd", (), {"__doc__": "x", **own}) for _ in range(2)]
    assert not _is_known(bodies[0], flags)
    ours, standard = dataclass(**flags)(bodies[0]), dataclasses.dataclass(**flags)(bodies[1])
    assert inspect.signature(ours) == inspect.signature(standard)


def test_an_argument_that_must_be_given_does_not_follow_one_that_may_be_left_out():
    told = {"__doc__": "x", "__annotations__": {"a": "int", "b": "int"}, "a": 1}
    made = dataclass(slots=True)(type("Odd", (), told))
    with pytest.raises(TypeError, match="non-default argument 'b' follows default argument"):
        made(1, 2)


def test_a_dataclass_may_inherit_from_a_value_and_is_told_that_it_is_frozen():
    @dataclass(frozen=True, slots=True)
    class Solid(Point):
        """Higher."""

        z: int = 0

    assert Solid(1, 2, z=3).z == 3
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        dataclass(slots=True)(type("Loose", (Point,), {"__doc__": "x", "__annotations__": {}}))
    with pytest.raises(ValueError, match="eq must be true if order is true"):
        dataclass(slots=True, eq=False, order=True)(type("Odd", (), {"__doc__": "x"}))
    assert MISSING is fields(Point)[0].default
