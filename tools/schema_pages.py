"""docs/reference/schemas: every JSON Schema, and the page that lists them, from their definitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from holdfast.core.base.json_shape import Schema
from holdfast.questions.rows.table import all_schemas
from reference_pages import MADE

__all__ = ["schema_files", "schemas_page"]

_FOLDER = "docs/reference/schemas"


def schema_files() -> dict[str, Callable[[], str]]:
    """Every schema's file by its path, and how it is made."""
    return {f"{_FOLDER}/{schema.file}": partial(_file, schema) for schema in all_schemas()}


def _file(schema: Schema) -> str:
    return json.dumps(schema.json_schema(), ensure_ascii=False, indent=2) + "\n"


def schemas_page() -> str:
    """Every JSON Schema with what it describes."""
    lines = [
        MADE,
        "# JSON schemas\n",
        "Every JSON document, manifest and sidecar of Holdfast carries `schema: holdfast.<name>/<n>`;",
        "lines of JSON carry none. Each has a JSON Schema (draft 2020-12), which ships with the package",
        "(`holdfast/schemas/`). A change that a reader would notice raises the number.\n",
        "| schema | what it describes | file |",
        "|---|---|---|",
    ]
    for schema in all_schemas():
        about = schema.about.replace("|", "\\|")
        lines.append(f"| `{schema.title}` | {about} | [`{schema.file}`](schemas/{schema.file}) |")
    return "\n".join(lines) + "\n"
