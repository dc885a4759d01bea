-- Which version of `web` makes the keys that tables are joined by (ID-12, ID-13), and, while keys are being made
-- anew, what for.
CREATE TABLE join_key (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    version  TEXT NOT NULL,
    goal     TEXT
);
INSERT INTO join_key (only_row, version) VALUES (1, 'web@1');

-- Keys that were made anew, each with the one it shall replace. They hold once every URL has one.
CREATE TABLE next_key (
    url_id  BIGINT PRIMARY KEY REFERENCES url,
    old_key BYTEA NOT NULL,
    web_key BYTEA NOT NULL CHECK (length(web_key) = 32)
);
