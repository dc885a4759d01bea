-- Why a run failed, in the words of the error that ended it.
CREATE TABLE run_trouble (
    run_seq INTEGER PRIMARY KEY REFERENCES run,
    words   TEXT NOT NULL
) STRICT;

-- Whom a run's events are owed to; written with the run, before anything it finds (TRK-10).
CREATE TABLE owed (
    target  TEXT NOT NULL,
    run_seq INTEGER NOT NULL REFERENCES run,
    PRIMARY KEY (target, run_seq)
) STRICT, WITHOUT ROWID;

-- What a target is told, or was. A notice that was sent has `sent_at`.
CREATE TABLE notice (
    notice_seq INTEGER PRIMARY KEY,
    notice_id  TEXT NOT NULL UNIQUE,
    target     TEXT NOT NULL,
    made_at    INTEGER NOT NULL,
    events     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    next_try   INTEGER NOT NULL,
    trouble    TEXT NOT NULL,
    sent_at    INTEGER
) STRICT;
CREATE INDEX notice_unsent ON notice (notice_seq) WHERE sent_at IS NULL;
CREATE INDEX notice_sent ON notice (sent_at) WHERE sent_at IS NOT NULL;

-- The events of notices, by name, for as long as somebody could tell them again.
CREATE TABLE notice_event (
    target     TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    run_seq    INTEGER NOT NULL REFERENCES run,
    notice_seq INTEGER NOT NULL REFERENCES notice,
    PRIMARY KEY (target, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_event_by_notice ON notice_event (notice_seq);
