-- What was forgotten at somebody's wish (STA-4): the address and when, and nothing of what it said.
CREATE TABLE tombstone (
    url_id       INTEGER PRIMARY KEY REFERENCES url,
    forgotten_at INTEGER NOT NULL
) STRICT;
