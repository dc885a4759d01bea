"""The JSON of the commands that look after a state folder; and of errors."""

from __future__ import annotations

import json
from typing import Final

from holdfast.core.ledger import RunStatus
from holdfast.core.settings.reach import Reach
from holdfast.core.shown_text import without_userinfo
from holdfast.formats.schemas.pieces import HASH, RECIPE_TEXT, WEB_URL
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    counts_of,
    mapping,
    one_of,
    optional,
    record,
    sometimes,
)

__all__ = [
    "ARCHIVE_CHECK",
    "ARCHIVE_REPAIR",
    "CONFIG",
    "CONFIG_TRUST",
    "DB_CHECK",
    "DB_MIGRATE",
    "ERROR",
    "FORGET",
    "GC",
    "REBUILD",
    "REPROCESS",
    "VERIFY",
]


def _pairs(url: Shape) -> Shape:
    """URLs, each with the reason why it could not be made."""
    return array(record(url=at(lambda pair: pair[0], url), why=at(lambda pair: pair[1], TEXT)))


VERIFY: Final = Schema(
    "verify",
    "What `holdfast verify --json` prints.",
    record(folder=TEXT, agrees=BOOLEAN, differences=array(record(where=TEXT, what=TEXT, remedy=TEXT))),
)

REBUILD: Final = Schema(
    "rebuild",
    "What `holdfast rebuild --json` prints.",
    record(
        folder=TEXT,
        pages=INTEGER,
        written=INTEGER,
        kept=INTEGER,
        removed=INTEGER,
        flawed=_pairs(TEXT),
        moved=sometimes(
            "moved",
            record(normalization_version=at("recipe", RECIPE_TEXT), renamed=INTEGER, merged=INTEGER),
        ),
    ),
)

REPROCESS: Final = Schema(
    "reprocess",
    "What `holdfast reprocess --json` prints.",
    record(
        run_id=HASH,
        reprocessing_of_run_id=at("origin", HASH),
        normalization_version=at("recipe", RECIPE_TEXT),
        status=one_of((RunStatus.FINISHED, RunStatus.INTERRUPTED)),
        resumed=BOOLEAN,
        total=INTEGER,
        counts=counts_of(),
        failed=_pairs(WEB_URL),
        seal=optional(HASH),
    ),
)

FORGET: Final = Schema(
    "forget",
    "What `holdfast forget --json` prints.",
    record(
        forgotten=at(lambda done: [place.url for place in done.places], array(WEB_URL)),
        captures=at("purged.captures", INTEGER),
        items=at("purged.items", INTEGER),
        files=at(lambda done: len(done.files), INTEGER),
        orphans=sometimes("orphans", INTEGER, when=lambda done: bool(done.orphans)),
    ),
)

GC: Final = Schema(
    "gc",
    "What `holdfast gc --json` prints.",
    record(
        captures=at("purged.captures", INTEGER),
        freed_bytes=at("freed", INTEGER),
    ),
)

GC_ORPHANS: Final = Schema(
    "gc-orphans",
    "What `holdfast gc --orphans --json` prints.",
    record(files=INTEGER, freed_bytes=INTEGER),
)

ARCHIVE_CHECK: Final = Schema(
    "archive-check",
    "What `holdfast archive check --json` prints.",
    record(files=INTEGER, records=INTEGER, captures=INTEGER, bytes=at("size", INTEGER), problems=array(TEXT)),
)

ARCHIVE_REPAIR: Final = Schema(
    "archive-repair",
    "What `holdfast archive repair --json` prints.",
    record(kept=INTEGER, lost=INTEGER, urls=array(TEXT)),
)

ARCHIVE_PACK: Final = Schema(
    "archive-pack",
    "What `holdfast archive pack --json` prints.",
    record(before=INTEGER, after=INTEGER, kept=INTEGER, lost=INTEGER),
)

DB_CHECK: Final = Schema("db-check", "What `holdfast db check --json` prints.", record(problems=array(TEXT)))

DB_MIGRATE: Final = Schema(
    "db-migrate",
    "What `holdfast db migrate --json` prints.",
    record(before=INTEGER, after=INTEGER, copy=optional(TEXT)),
)

DB_REKEY: Final = Schema(
    "db-rekey",
    "What `holdfast db rekey --json` prints.",
    record(before=TEXT, after=TEXT, urls=INTEGER, moved=INTEGER, merged=INTEGER, unexplained=INTEGER),
)

IMPORT_WARC: Final = Schema(
    "import-warc",
    "What `holdfast import warc --json` prints.",
    record(run_id=TEXT, captures=INTEGER, items=INTEGER, flaws=array(TEXT), was_done=BOOLEAN),
)

DB_ADOPT: Final = Schema(
    "db-adopt",
    "What `holdfast db adopt --json` prints.",
    record(state=TEXT, label=TEXT, runs=INTEGER, captures=INTEGER, items=INTEGER, lost=INTEGER, kept=TEXT),
)

DB_BACKUP: Final = Schema(
    "db-backup",
    "What `holdfast db backup --json` prints.",
    record(folder=TEXT, files=INTEGER, bytes=at("size", INTEGER)),
)

DB_COPY: Final = Schema(
    "db-copy",
    "What `holdfast db copy --json` prints.",
    record(source=TEXT, target=TEXT, rows=INTEGER),
)

DB_REBUILD: Final = Schema(
    "db-rebuild",
    "What `holdfast db rebuild --json` prints.",
    record(
        runs=INTEGER,
        captures=INTEGER,
        items=INTEGER,
        lost=INTEGER,
        converted=INTEGER,
        flaws=array(TEXT),
        copy=optional(TEXT),
    ),
)

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

_VALUE: Final = Shape({"type": ["string", "number", "boolean", "array", "null"], "items": {"type": "string"}})

CONFIG: Final = Schema(
    "config",
    "What `holdfast config --json` prints.",
    record(
        file=optional(TEXT),
        settings=at("by_name", mapping(record(value=_VALUE, origin=TEXT, place=TEXT))),
    ),
)

CONFIG_TRUST: Final = Schema(
    "config-trust",
    "What `holdfast config trust --json` prints: what reaches out of the folder, and whether it is trusted.",
    record(
        file=TEXT,
        trusted=at("is_trusted", BOOLEAN),
        settings=at(
            "found",
            array(
                record(
                    place=TEXT,
                    value=at(lambda each: _as_text(each.value), TEXT),
                    reach=one_of(Reach),
                    leads_to=at(lambda each: each.leads_to or None, optional(TEXT)),
                )
            ),
        ),
    ),
)


def _as_text(value: object) -> str:
    """A value as JSON writes it: tables and lists of a settings file have no type of their own."""
    return json.dumps(value, ensure_ascii=False, default=str)
