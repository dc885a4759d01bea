"""Runs in the checkout that is asked: evaluates calls of the public library, and prints what came as JSON.

Alone: it imports `holdfast` and nothing of the probe. Standard input
is {"calls": {name: expression}, "face": …}.
"""

import asyncio
import dataclasses
import enum
import inspect
import json
import sys
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

import holdfast


class Awaited:
    """`holdfast.aio`, each coroutine run to its end; what has none there is the library's own."""

    def __getattr__(self, name):
        call = getattr(holdfast.aio, name)
        if not inspect.iscoroutinefunction(call):
            return call
        return lambda *args, **settings: asyncio.run(call(*args, **settings))


def told(value):
    """What a value is, in words of its own: as it shows itself, and as JSON."""
    try:
        as_json = holdfast.to_json(value)
    except Exception as error:  # noqa: BLE001 # whatever it is, it is the answer
        as_json = f"no JSON: {type(error).__name__}"
    lines = [f"= {type(value).__name__}", _shown(value)]
    return "\n".join([*lines, json.dumps(as_json, ensure_ascii=False, indent=1, default=repr)]) + "\n"


def _shown(value):
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return "\n".join(_shown(each) for each in value)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_shown(each)}" for key, each in value.items())
    if dataclasses.is_dataclass(value):
        fields = (f"{each.name}={getattr(value, each.name)!r}" for each in dataclasses.fields(value))
        return f"{type(value).__name__}(\n  " + ",\n  ".join(fields) + ")"
    return value if isinstance(value, str) else repr(value)


def asked(expression, names):
    try:
        return told(eval(expression, dict(names)))
    except holdfast.HoldfastError as error:
        facts = (error.message, error.hint, int(error.exit_status))
        return f"! {type(error).__name__}\n" + "\n".join(str(each) for each in facts) + "\n"
    except Exception as error:  # noqa: BLE001 # whatever it is, it is the answer
        return f"! {type(error).__name__}\n{error}\n"


def main():
    given = json.load(sys.stdin)
    names = {"holdfast": holdfast, "h": Awaited() if given["face"] == "aio" else holdfast, "Path": Path}
    names |= {"datetime": datetime, "inspect": inspect, "dataclasses": dataclasses, "enum": enum}
    needs_reader = any("reader." in each for each in given["calls"].values())
    with holdfast.open_reader(store=".holdfast") if needs_reader else nullcontext() as reader:
        found = {name: asked(each, {**names, "reader": reader}) for name, each in given["calls"].items()}
    json.dump(found, sys.stdout)


main()
