"""The generated pages of the documentation: written by `make docs`, checked by `make check`.

src/holdfast/questions/rows/table.py, faces/library/rows.pyi, rows in __init__.py, aio.py   from the rows
docs/reference/cli.md         from the commands' parsers
docs/reference/settings.md    from the settings table
docs/reference/errors.md      from the error tree
docs/reference/library.md     from the public names
docs/reference/policies.md    from the policies and their rules
docs/reference/schemas/*.json the JSON Schemas, from their definitions
docs/reference/schemas.md     from the schemas' titles and descriptions
docs/reference/link-states.md from the table of link states
src/holdfast/__init__.pyi     the public names, for type checkers
src/holdfast/faces/library/given_settings.py   the settings as keyword arguments, for type checkers
docs/internals/rooms.md       from the contracts and the imports
docs/internals/decisions/index.md   from the decisions' titles and first sentences
docs/internals/spec.md        from the `spec` marks of the tests
docs/reference/rules/*.md     from the rules of reports
docs/man/*.1                  from the commands' parsers
docs/pictures/*.svg           from `tools/pictures.py`
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from given_settings import given_settings_module
from library_page import library_page
from man_pages import man_pages
from pictures import pictures
from public_stub import public_stub
from reference_pages import (
    cli_page,
    errors_page,
    policies_page,
    settings_page,
)
from rooms_page import decisions_page, rooms_page
from row_table import coroutines, public_names, row_stub, row_table
from rules_pages import link_states_page, rules_pages
from schema_pages import schema_files, schemas_page
from spec_page import spec_page

ROOT = Path(__file__).parents[1]
SOURCES = ("src/holdfast/questions/rows/table.py", "src/holdfast/aio.py", "src/holdfast/__init__.py")
"""What the pages themselves are made by."""
PAGES: dict[str, Callable[[], str]] = {
    "src/holdfast/questions/rows/table.py": row_table,
    "src/holdfast/faces/library/rows.pyi": row_stub,
    "src/holdfast/__init__.py": public_names,
    "src/holdfast/aio.py": coroutines,
    "docs/reference/cli.md": cli_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/errors.md": errors_page,
    "docs/reference/library.md": library_page,
    "docs/reference/policies.md": policies_page,
    **schema_files(),
    "docs/reference/schemas.md": schemas_page,
    "docs/reference/link-states.md": link_states_page,
    "src/holdfast/__init__.pyi": public_stub,
    "src/holdfast/faces/library/given_settings.py": given_settings_module,
    "docs/internals/rooms.md": rooms_page,
    "docs/internals/decisions/index.md": decisions_page,
    "docs/internals/spec.md": lambda: spec_page(ROOT / "tests"),
    **rules_pages(),
    **man_pages(),
    **pictures(),
}


def main() -> int:
    """Write the pages, or with --check say which are not what they should be."""
    if "--check" not in sys.argv and _sources_moved():
        os.execv(sys.executable, [sys.executable, *sys.argv])
    os.environ["COLUMNS"] = "100"  # argparse wraps its help to the terminal; the pages have one width
    stale = []
    for name, make in PAGES.items():
        path = ROOT / name
        text = make()
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    broken = broken_links(ROOT) if "--check" in sys.argv else []
    for name in stale:
        print(f"{name} is not what the code says; run `make docs` and commit it")
    for line in broken:
        print(line)
    return bool(stale or broken)


def _sources_moved() -> bool:
    """Write what is made of the rows. Where any of it was another, a new process makes all else."""
    moved = False
    for name in SOURCES:
        text = PAGES[name]()
        moved |= (ROOT / name).read_text(encoding="utf-8") != text
        (ROOT / name).write_text(text, encoding="utf-8")
    return moved


def broken_links(root: Path) -> list[str]:
    """Relative links between our own pages that lead nowhere."""
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return [
        f"{page.relative_to(root)}: the link to {target} leads nowhere"
        for page in pages
        for target in _relative_links(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]


def _relative_links(text: str) -> list[str]:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose)
    return [target for target in targets if "://" not in target and not target.startswith("mailto:")]


if __name__ == "__main__":
    raise SystemExit(main())
