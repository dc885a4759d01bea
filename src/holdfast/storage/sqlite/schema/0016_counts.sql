-- How many there are, kept while rows are written: to count a million of them takes longer than a person, or a
-- page of `serve`, waits. `db check` compares what is kept with a recount. Of nothing there is no row, so equal rows
-- have equal counts.
CREATE TABLE entry_count (
    run_seq INTEGER NOT NULL REFERENCES run,
    state   TEXT NOT NULL,
    entries INTEGER NOT NULL,
    PRIMARY KEY (run_seq, state)
) STRICT, WITHOUT ROWID;
INSERT INTO entry_count SELECT run_seq, state, count(*) FROM frontier GROUP BY run_seq, state;

CREATE TRIGGER frontier_total_is_kept AFTER INSERT ON frontier
BEGIN
    INSERT INTO entry_count VALUES (NEW.run_seq, NEW.state, 1)
    ON CONFLICT (run_seq, state) DO UPDATE SET entries = entries + 1;
END;

CREATE TRIGGER frontier_total_is_kept_anew AFTER UPDATE OF run_seq, state ON frontier
WHEN OLD.state <> NEW.state OR OLD.run_seq <> NEW.run_seq
BEGIN
    UPDATE entry_count SET entries = entries - 1 WHERE run_seq = OLD.run_seq AND state = OLD.state;
    DELETE FROM entry_count WHERE run_seq = OLD.run_seq AND state = OLD.state AND entries = 0;
    INSERT INTO entry_count VALUES (NEW.run_seq, NEW.state, 1)
    ON CONFLICT (run_seq, state) DO UPDATE SET entries = entries + 1;
END;

CREATE TRIGGER frontier_total_is_less AFTER DELETE ON frontier
BEGIN
    UPDATE entry_count SET entries = entries - 1 WHERE run_seq = OLD.run_seq AND state = OLD.state;
    DELETE FROM entry_count WHERE run_seq = OLD.run_seq AND state = OLD.state AND entries = 0;
END;

CREATE TABLE page_count (
    label_id INTEGER PRIMARY KEY REFERENCES label,
    pages    INTEGER NOT NULL,
    gone     INTEGER NOT NULL,
    size     INTEGER NOT NULL
) STRICT;
INSERT INTO page_count SELECT label_id, count(*), count(gone_at), sum(size) FROM page GROUP BY label_id;

CREATE TRIGGER page_total_is_kept AFTER INSERT ON page
BEGIN
    INSERT INTO page_count VALUES (NEW.label_id, 1, NEW.gone_at IS NOT NULL, NEW.size)
    ON CONFLICT (label_id) DO UPDATE
    SET pages = pages + 1, gone = gone + excluded.gone, size = size + excluded.size;
END;

CREATE TRIGGER page_total_is_kept_anew AFTER UPDATE OF size, gone_at ON page
WHEN OLD.size <> NEW.size OR (OLD.gone_at IS NULL) <> (NEW.gone_at IS NULL)
BEGIN
    UPDATE page_count SET size = size - OLD.size + NEW.size,
        gone = gone - (OLD.gone_at IS NOT NULL) + (NEW.gone_at IS NOT NULL)
    WHERE label_id = NEW.label_id;
END;

CREATE TRIGGER page_total_is_less AFTER DELETE ON page
BEGIN
    UPDATE page_count SET pages = pages - 1, gone = gone - (OLD.gone_at IS NOT NULL), size = size - OLD.size
    WHERE label_id = OLD.label_id;
    DELETE FROM page_count WHERE label_id = OLD.label_id AND pages = 0;
END;

-- How many items a run brought, and how many of them of a URL that had been seen before. Who writes a batch
-- adds to it; a run without a row is counted when somebody asks, until the next run ends.
CREATE TABLE brought_count (
    run_seq INTEGER PRIMARY KEY REFERENCES run,
    items   INTEGER NOT NULL,
    changed INTEGER NOT NULL
) STRICT;
INSERT INTO brought_count
SELECT i.run_seq, count(*), count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM capture c JOIN observation o ON o.recipe_id = i.recipe_id AND o.url_id = i.url_id
    AND o.fetched_at < c.fetched_at WHERE c.capture_seq = i.capture_seq))
FROM item i GROUP BY i.run_seq;
