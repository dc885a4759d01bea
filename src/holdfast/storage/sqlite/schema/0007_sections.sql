-- The sections of each item (SCT-2): what they are called, where they stand, the hash of their text after a
-- byte that is the version of its rules (`section_v1`). Thirty rows a page: what they refer to is checked by
-- `db check`, not on every insert.
CREATE TABLE section (
    item_seq INTEGER NOT NULL,
    anchor   TEXT NOT NULL,
    ord      INTEGER NOT NULL,
    path     TEXT NOT NULL CHECK (json_valid(path)),
    name     TEXT,
    kind     TEXT NOT NULL,
    content  BLOB NOT NULL CHECK (length(content) = 33),
    PRIMARY KEY (item_seq, anchor)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER section_is_never_changed BEFORE UPDATE ON section
BEGIN SELECT RAISE(ABORT, 'a row of section is immutable'); END;

CREATE TRIGGER section_is_never_deleted BEFORE DELETE ON section
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of section is immutable'); END;

-- How often observations were taken out: numbers may have been given again since.
CREATE TABLE purge_count (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    purges   INTEGER NOT NULL
) STRICT;
INSERT INTO purge_count VALUES (1, 0);
