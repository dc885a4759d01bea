-- Ledger and archive know each other (STA-7). The files of an archive name the store they are a part of; a
-- ledger names the stores whose files are its own: the one it was made with, and those that were brought in.
CREATE TABLE store (
    store_id TEXT PRIMARY KEY,
    is_own   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO store (store_id, is_own) VALUES (lower(hex(randomblob(16))), 1);

-- Archive files whose every record that is needed has been written elsewhere; they may be deleted.
CREATE TABLE spare_file (
    name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Captures whose record the archive cannot give back any more: noted once, and counted no more.
CREATE TABLE lost_capture (
    capture_seq INTEGER PRIMARY KEY REFERENCES capture,
    noted_at    INTEGER NOT NULL
) STRICT;

-- What a purge still has to take out of mirrors' folders: a file, or (without a path) every trace of a URL.
-- Rows go when the files are gone, so that a command that was killed can be finished.
CREATE TABLE removal (
    label_id INTEGER NOT NULL REFERENCES label,
    path     TEXT NOT NULL,
    url      TEXT NOT NULL,
    PRIMARY KEY (label_id, path, url)
) STRICT, WITHOUT ROWID;
