-- A search index (SRC-1): rebuildable, beside the ledger. Times are microseconds since 1970 in UTC.
CREATE TABLE mark (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    rules      TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    purges     INTEGER NOT NULL,
    observed   INTEGER NOT NULL,
    changed_at INTEGER
) STRICT;

CREATE TABLE page (
    page_id     INTEGER PRIMARY KEY,
    web_key     BLOB NOT NULL,
    url_key     BLOB NOT NULL UNIQUE,
    url         TEXT NOT NULL,
    title       TEXT NOT NULL,
    language    TEXT,
    capture_id  BLOB NOT NULL,
    seen_at     INTEGER NOT NULL,
    is_mirrored INTEGER NOT NULL,
    gone_at     INTEGER,
    rank        INTEGER NOT NULL,
    stamp       INTEGER NOT NULL
) STRICT;
CREATE INDEX page_by_web_key ON page (web_key);

-- The texts of the sections that one version of a page brought, one after the other, compressed together.
CREATE TABLE passage (
    passage_id INTEGER PRIMARY KEY,
    page_id    INTEGER NOT NULL,
    text       BLOB NOT NULL
) STRICT;
CREATE INDEX passage_by_page ON passage (page_id);

-- A section as it was from `since` until `until`. What the passage has of it are the titles around it, a
-- mark, and its text; `digest` is the beginning of a hash of all that it says.
CREATE TABLE section (
    section_id INTEGER PRIMARY KEY,
    page_id    INTEGER NOT NULL,
    anchor     TEXT NOT NULL,
    title      TEXT NOT NULL,
    name       TEXT,
    kind       TEXT NOT NULL,
    digest     BLOB NOT NULL,
    since      INTEGER NOT NULL,
    until      INTEGER,
    passage_id INTEGER NOT NULL,
    first      INTEGER NOT NULL,
    length     INTEGER NOT NULL
) STRICT;
CREATE INDEX section_by_page ON section (page_id, until);

-- What a section can be asked for by exactly: the beginning of a hash of each name, as a number.
CREATE TABLE called (
    name       INTEGER NOT NULL,
    section_id INTEGER NOT NULL,
    PRIMARY KEY (name, section_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW section_words AS
SELECT s.section_id, s.name, s.title, cut(p.text, s.first, s.length, 0) AS above,
       cut(p.text, s.first, s.length, 1) AS text
FROM section s JOIN passage p ON p.passage_id = s.passage_id;

CREATE VIRTUAL TABLE words USING fts5 (
    name, title, above, text,
    content = 'section_words', content_rowid = 'section_id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- The same of names and titles alone: where a word stands everywhere, who looks for titles walks these few.
CREATE VIRTUAL TABLE titles USING fts5 (
    name, title, content = 'section', content_rowid = 'section_id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
INSERT INTO titles (titles, rank) VALUES ('secure-delete', 1);
INSERT INTO titles (titles, rank) VALUES ('rank', 'bm25(8.0, 6.0)');
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(8.0, 6.0, 2.0, 1.0)');
PRAGMA user_version = 5;
