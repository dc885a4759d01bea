-- Which chapters of the ledger (a run, a mirror's files, …) the archive holds as they are, with the digest of
-- their rows: from the archive a lost ledger is made anew, by the digest an altered row is seen (STA-7, STA-8).
-- A chapter that is being written is not current; the writer brings it up to date when it ends.
CREATE TABLE chapter (
    name       TEXT PRIMARY KEY,
    digest     TEXT NOT NULL,
    is_current INTEGER NOT NULL CHECK (is_current IN (0, 1))
) STRICT, WITHOUT ROWID;
