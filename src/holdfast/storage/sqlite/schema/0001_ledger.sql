-- What is known. Times are microseconds since 1970 in UTC; hashes are 32 raw bytes.
-- Rows of run, recipe, capture, item, edge, observation, link and event are written once (LIN-1).

CREATE TABLE host (
    host_id INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE
) STRICT;

-- A URL in the form its policy gives it; every policy's URLs meet on web_key (ID-12).
CREATE TABLE url (
    url_id  INTEGER PRIMARY KEY,
    url_key BLOB NOT NULL UNIQUE CHECK (length(url_key) = 32),
    web_key BLOB NOT NULL CHECK (length(web_key) = 32),
    host_id INTEGER NOT NULL REFERENCES host,
    url     TEXT NOT NULL
) STRICT;
CREATE INDEX url_by_web_key ON url (web_key);

-- One version string, one digest of identity settings (VER-2).
CREATE TABLE recipe (
    recipe_id       INTEGER PRIMARY KEY,
    version         TEXT NOT NULL UNIQUE,
    identity_digest TEXT NOT NULL
) STRICT;

CREATE TABLE label (
    label_id INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE run (
    run_seq         INTEGER PRIMARY KEY,
    run_id          TEXT NOT NULL UNIQUE,
    job             TEXT NOT NULL CHECK (job IN ('mirror', 'track', 'reprocess')),
    recipe_id       INTEGER NOT NULL REFERENCES recipe,
    label_id        INTEGER NOT NULL REFERENCES label,
    started_at      INTEGER NOT NULL,
    reprocessing_of TEXT REFERENCES run (run_id)
) STRICT;

CREATE TABLE run_progress (
    run_seq    INTEGER PRIMARY KEY REFERENCES run,
    status     TEXT NOT NULL CHECK (status IN ('running', 'finished', 'stopped', 'failed', 'interrupted')),
    updated_at INTEGER NOT NULL,
    ended_at   INTEGER,
    seal       TEXT,
    summary    TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- How far each WARC file is committed; what lies beyond was never acknowledged.
CREATE TABLE archive_file (
    file_id       INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    committed_end INTEGER NOT NULL
) STRICT;

CREATE TABLE capture (
    capture_seq    INTEGER PRIMARY KEY,
    capture_id     BLOB NOT NULL UNIQUE CHECK (length(capture_id) = 32),
    run_seq        INTEGER NOT NULL REFERENCES run,
    url_id         INTEGER NOT NULL REFERENCES url,
    requested_url  TEXT NOT NULL,
    final_url      TEXT NOT NULL,
    status         INTEGER NOT NULL,
    fetched_at     INTEGER NOT NULL,
    content_type   TEXT NOT NULL,
    etag           TEXT,
    last_modified  TEXT,
    payload_sha256 BLOB,
    file_id        INTEGER REFERENCES archive_file,
    file_offset    INTEGER,
    file_length    INTEGER,
    CHECK ((file_id IS NULL) = (file_offset IS NULL) AND (file_id IS NULL) = (file_length IS NULL))
) STRICT;
CREATE INDEX capture_by_url ON capture (url_id, fetched_at);
CREATE INDEX capture_by_run ON capture (run_seq);
CREATE INDEX capture_by_payload ON capture (payload_sha256) WHERE file_id IS NOT NULL;

CREATE TABLE item (
    item_seq       INTEGER PRIMARY KEY,
    item_id        BLOB NOT NULL UNIQUE CHECK (length(item_id) = 32),
    run_seq        INTEGER NOT NULL REFERENCES run,
    recipe_id      INTEGER NOT NULL REFERENCES recipe,
    url_id         INTEGER NOT NULL REFERENCES url,
    capture_seq    INTEGER NOT NULL REFERENCES capture,
    content_sha256 BLOB NOT NULL CHECK (length(content_sha256) = 32),
    created_at     INTEGER NOT NULL,
    title          TEXT NOT NULL
) STRICT;
CREATE INDEX item_by_url ON item (recipe_id, url_id, created_at, item_id);
CREATE INDEX item_by_content ON item (recipe_id, content_sha256, created_at, item_id);

CREATE TABLE edge (
    source_seq INTEGER NOT NULL REFERENCES item,
    kind       TEXT NOT NULL CHECK (kind IN ('supersedes', 'reprocessed_from')),
    target_seq INTEGER NOT NULL REFERENCES item,
    metadata   TEXT NOT NULL CHECK (json_valid(metadata)),
    PRIMARY KEY (source_seq, kind, target_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_by_target ON edge (target_seq);

-- Which item a capture showed under a recipe. A URL's current item is that of its last observation (LIN-5).
-- The links seen are this observation's own, or, where links_of is set, the same as that earlier one's.
CREATE TABLE observation (
    observation_id INTEGER PRIMARY KEY,
    capture_seq    INTEGER NOT NULL REFERENCES capture,
    recipe_id      INTEGER NOT NULL REFERENCES recipe,
    run_seq        INTEGER NOT NULL REFERENCES run,
    url_id         INTEGER NOT NULL REFERENCES url,
    item_seq       INTEGER NOT NULL REFERENCES item,
    fetched_at     INTEGER NOT NULL,
    links_digest   BLOB NOT NULL,
    links_of       INTEGER REFERENCES observation (observation_id),
    UNIQUE (capture_seq, recipe_id)
) STRICT;
CREATE INDEX observation_by_url ON observation (recipe_id, url_id, fetched_at, observation_id);
CREATE INDEX observation_by_run ON observation (run_seq);

-- href is absent where it is the canonical URL itself. Thirty rows a page: what they refer to is checked by
-- `db check`, not on every insert.
CREATE TABLE link (
    observation_id INTEGER NOT NULL,
    ord            INTEGER NOT NULL,
    url_id         INTEGER NOT NULL,
    href           TEXT,
    text           TEXT NOT NULL,
    kind           TEXT NOT NULL,
    nofollow       INTEGER NOT NULL,
    PRIMARY KEY (observation_id, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_by_url ON link (url_id);

-- The checkout: what the mirror's folder holds, one row a file.
CREATE TABLE page (
    page_id          INTEGER PRIMARY KEY,
    label_id         INTEGER NOT NULL REFERENCES label,
    url_id           INTEGER NOT NULL REFERENCES url,
    path             TEXT NOT NULL,
    title            TEXT NOT NULL,
    item_seq         INTEGER NOT NULL REFERENCES item,
    links_of         INTEGER NOT NULL REFERENCES observation (observation_id),
    file_sha256      TEXT NOT NULL,
    size             INTEGER NOT NULL,
    depth            INTEGER NOT NULL,
    markdown_version TEXT NOT NULL,
    warnings         TEXT NOT NULL,
    fetch_url        TEXT NOT NULL,
    status           INTEGER NOT NULL,
    fetched_at       INTEGER NOT NULL,
    content_type     TEXT NOT NULL,
    etag             TEXT,
    last_modified    TEXT,
    gone_at          INTEGER,
    UNIQUE (label_id, url_id),
    UNIQUE (label_id, path)
) STRICT;
CREATE INDEX page_by_links ON page (links_of);

CREATE TABLE alias (
    label_id  INTEGER NOT NULL REFERENCES label,
    url_id    INTEGER NOT NULL REFERENCES url,
    target_id INTEGER NOT NULL REFERENCES url (url_id),
    reason    TEXT NOT NULL,
    detail    TEXT NOT NULL,
    PRIMARY KEY (label_id, url_id)
) STRICT, WITHOUT ROWID;

-- fetch_url is absent where it is the canonical URL itself.
CREATE TABLE frontier (
    entry_id  INTEGER PRIMARY KEY,
    run_seq   INTEGER NOT NULL REFERENCES run,
    url_id    INTEGER NOT NULL REFERENCES url,
    state     TEXT NOT NULL,
    depth     INTEGER NOT NULL,
    source    INTEGER NOT NULL,
    position  INTEGER NOT NULL,
    fetch_url TEXT,
    listed    INTEGER NOT NULL,
    lastmod   INTEGER,
    parent    BLOB,
    detail    TEXT NOT NULL,
    attempts  INTEGER NOT NULL,
    UNIQUE (run_seq, url_id)
) STRICT;
CREATE INDEX frontier_in_order ON frontier (run_seq, state, depth, source, position, entry_id);

CREATE TABLE alternate (
    alternate_id INTEGER PRIMARY KEY,
    run_seq      INTEGER NOT NULL REFERENCES run,
    url_id       INTEGER NOT NULL REFERENCES url,
    fetch_url    TEXT NOT NULL,
    UNIQUE (run_seq, url_id, fetch_url)
) STRICT;

CREATE TABLE document (
    document_id INTEGER PRIMARY KEY,
    path        TEXT NOT NULL UNIQUE,
    bid         TEXT NOT NULL,
    digest      TEXT NOT NULL,
    size        INTEGER NOT NULL,
    mtime_ns    INTEGER NOT NULL,
    read_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE citation (
    document_id  INTEGER NOT NULL REFERENCES document,
    ord          INTEGER NOT NULL,
    url_id       INTEGER NOT NULL REFERENCES url,
    host_id      INTEGER NOT NULL REFERENCES host,
    fetch_url    TEXT NOT NULL,
    fragment     TEXT NOT NULL,
    raw          TEXT NOT NULL,
    text         TEXT NOT NULL,
    kind         TEXT NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    line         INTEGER NOT NULL,
    col          INTEGER NOT NULL,
    utf16_col    INTEGER NOT NULL,
    ignored      INTEGER NOT NULL,
    finding      TEXT,
    PRIMARY KEY (document_id, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX citation_by_url ON citation (url_id);
CREATE INDEX citation_by_host ON citation (host_id);

CREATE TABLE cited_place (
    place_id       INTEGER PRIMARY KEY,
    web_key        BLOB NOT NULL UNIQUE CHECK (length(web_key) = 32),
    url_id         INTEGER NOT NULL REFERENCES url,
    url_bid        TEXT NOT NULL,
    state          TEXT NOT NULL,
    fetch_url      TEXT NOT NULL,
    checked_at     INTEGER,
    status         INTEGER,
    final_url      TEXT,
    bid            TEXT,
    content_sha256 BLOB,
    fetched_at     INTEGER,
    etag           TEXT,
    last_modified  TEXT,
    failures       INTEGER NOT NULL,
    failing_since  INTEGER,
    evidence       TEXT NOT NULL CHECK (json_valid(evidence))
) STRICT;
CREATE INDEX cited_place_by_state ON cited_place (state);

CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    url_id   INTEGER NOT NULL REFERENCES url,
    old      TEXT,
    new      TEXT,
    detail   TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_time ON event (at);

-- While this holds a row, rows of the immutable tables may be deleted, never changed: `forget` puts one in
-- and takes it out inside its own transaction (STA-4).
CREATE TABLE forgetting (
    permit INTEGER PRIMARY KEY CHECK (permit = 1)
) STRICT;

-- The guards of LIN-1. An insert that would replace a row is a change too, and deletes without a trigger
-- unless the connection asks for it, as ours do; that links have no such guard saves a look-up for each.

CREATE TRIGGER recipe_is_never_changed BEFORE UPDATE ON recipe
BEGIN SELECT RAISE(ABORT, 'a row of recipe is immutable'); END;

CREATE TRIGGER recipe_is_never_deleted BEFORE DELETE ON recipe
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of recipe is immutable'); END;

CREATE TRIGGER recipe_is_never_replaced BEFORE INSERT ON recipe
WHEN EXISTS (SELECT 1 FROM recipe WHERE recipe_id = NEW.recipe_id OR version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'a row of recipe is immutable'); END;

CREATE TRIGGER run_is_never_changed BEFORE UPDATE ON run
BEGIN SELECT RAISE(ABORT, 'a row of run is immutable'); END;

CREATE TRIGGER run_is_never_deleted BEFORE DELETE ON run
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of run is immutable'); END;

CREATE TRIGGER run_is_never_replaced BEFORE INSERT ON run
WHEN EXISTS (SELECT 1 FROM run WHERE run_seq = NEW.run_seq OR run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'a row of run is immutable'); END;

CREATE TRIGGER capture_is_never_changed BEFORE UPDATE ON capture
BEGIN SELECT RAISE(ABORT, 'a row of capture is immutable'); END;

CREATE TRIGGER capture_is_never_deleted BEFORE DELETE ON capture
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of capture is immutable'); END;

CREATE TRIGGER capture_is_never_replaced BEFORE INSERT ON capture
WHEN EXISTS (SELECT 1 FROM capture WHERE capture_seq = NEW.capture_seq OR capture_id = NEW.capture_id)
BEGIN SELECT RAISE(ABORT, 'a row of capture is immutable'); END;

CREATE TRIGGER item_is_never_changed BEFORE UPDATE ON item
BEGIN SELECT RAISE(ABORT, 'a row of item is immutable'); END;

CREATE TRIGGER item_is_never_deleted BEFORE DELETE ON item
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of item is immutable'); END;

CREATE TRIGGER item_is_never_replaced BEFORE INSERT ON item
WHEN EXISTS (SELECT 1 FROM item WHERE item_seq = NEW.item_seq OR item_id = NEW.item_id)
BEGIN SELECT RAISE(ABORT, 'a row of item is immutable'); END;

CREATE TRIGGER observation_is_never_changed BEFORE UPDATE ON observation
BEGIN SELECT RAISE(ABORT, 'a row of observation is immutable'); END;

CREATE TRIGGER observation_is_never_deleted BEFORE DELETE ON observation
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of observation is immutable'); END;

CREATE TRIGGER observation_is_never_replaced BEFORE INSERT ON observation
WHEN EXISTS (SELECT 1 FROM observation WHERE observation_id = NEW.observation_id OR (capture_seq = NEW.capture_seq AND recipe_id = NEW.recipe_id))
BEGIN SELECT RAISE(ABORT, 'a row of observation is immutable'); END;

CREATE TRIGGER edge_is_never_changed BEFORE UPDATE ON edge
BEGIN SELECT RAISE(ABORT, 'a row of edge is immutable'); END;

CREATE TRIGGER edge_is_never_deleted BEFORE DELETE ON edge
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of edge is immutable'); END;

CREATE TRIGGER edge_is_never_replaced BEFORE INSERT ON edge
WHEN EXISTS (SELECT 1 FROM edge WHERE source_seq = NEW.source_seq AND kind = NEW.kind AND target_seq = NEW.target_seq)
BEGIN SELECT RAISE(ABORT, 'a row of edge is immutable'); END;

CREATE TRIGGER link_is_never_changed BEFORE UPDATE ON link
BEGIN SELECT RAISE(ABORT, 'a row of link is immutable'); END;

CREATE TRIGGER link_is_never_deleted BEFORE DELETE ON link
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of link is immutable'); END;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'a row of event is immutable'); END;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN SELECT RAISE(ABORT, 'a row of event is immutable'); END;

CREATE TRIGGER event_is_never_replaced BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE event_id = NEW.event_id)
BEGIN SELECT RAISE(ABORT, 'a row of event is immutable'); END;
