-- How many there are, kept while rows are written: to count a million of them takes longer than a person, or a
-- page of `serve`, waits. `db check` compares what is kept with a recount. Of nothing there is no row, so equal rows
-- have equal counts. Once a statement, not once a row.
-- Nobody waits for long: a run, and a mirror, is written by one process at a time. These triggers come after those
-- that look at references, in the order of their names.
CREATE TABLE entry_count (
    run_seq BIGINT NOT NULL REFERENCES run DEFERRABLE,
    state   TEXT COLLATE "C" NOT NULL,
    entries BIGINT NOT NULL,
    PRIMARY KEY (run_seq, state)
);
INSERT INTO entry_count SELECT run_seq, state, count(*) FROM frontier GROUP BY run_seq, state;

CREATE FUNCTION count_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO entry_count SELECT run_seq, state, count(*) FROM written GROUP BY run_seq, state ORDER BY 1, 2
        ON CONFLICT (run_seq, state) DO UPDATE SET entries = entry_count.entries + excluded.entries;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO entry_count
        SELECT run_seq, state, sum(step) FROM (
            SELECT run_seq, state, -1 AS step FROM before UNION ALL SELECT run_seq, state, 1 FROM written) AS steps
        GROUP BY run_seq, state HAVING sum(step) <> 0 ORDER BY 1, 2
        ON CONFLICT (run_seq, state) DO UPDATE SET entries = entry_count.entries + excluded.entries;
        DELETE FROM entry_count WHERE entries = 0 AND run_seq IN (SELECT run_seq FROM before);
    ELSE
        UPDATE entry_count c SET entries = c.entries - b.entries
        FROM (SELECT run_seq, state, count(*) AS entries FROM before GROUP BY run_seq, state) AS b
        WHERE c.run_seq = b.run_seq AND c.state = b.state;
        DELETE FROM entry_count WHERE entries = 0 AND run_seq IN (SELECT run_seq FROM before);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER frontier_total_is_kept AFTER INSERT ON frontier
    REFERENCING NEW TABLE AS written EXECUTE FUNCTION count_entries();
CREATE TRIGGER frontier_total_is_kept_anew AFTER UPDATE ON frontier
    REFERENCING OLD TABLE AS before NEW TABLE AS written EXECUTE FUNCTION count_entries();
CREATE TRIGGER frontier_total_is_less AFTER DELETE ON frontier
    REFERENCING OLD TABLE AS before EXECUTE FUNCTION count_entries();

CREATE TABLE page_count (
    label_id BIGINT PRIMARY KEY REFERENCES label DEFERRABLE,
    pages    BIGINT NOT NULL,
    gone     BIGINT NOT NULL,
    size     BIGINT NOT NULL
);
INSERT INTO page_count SELECT label_id, count(*), count(gone_at), sum(size) FROM page GROUP BY label_id;

CREATE FUNCTION count_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO page_count SELECT label_id, count(*), count(gone_at), sum(size) FROM written GROUP BY label_id ORDER BY 1
        ON CONFLICT (label_id) DO UPDATE SET pages = page_count.pages + excluded.pages,
            gone = page_count.gone + excluded.gone, size = page_count.size + excluded.size;
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE page_count c SET gone = c.gone + s.gone, size = c.size + s.size
        FROM (SELECT label_id, sum(gone) AS gone, sum(size) AS size FROM (
            SELECT label_id, -(gone_at IS NOT NULL)::int AS gone, -size AS size FROM before
            UNION ALL SELECT label_id, (gone_at IS NOT NULL)::int, size FROM written) AS steps
            GROUP BY label_id HAVING sum(gone) <> 0 OR sum(size) <> 0) AS s
        WHERE c.label_id = s.label_id;
    ELSE
        UPDATE page_count c SET pages = c.pages - b.pages, gone = c.gone - b.gone, size = c.size - b.size
        FROM (SELECT label_id, count(*) AS pages, count(gone_at) AS gone, sum(size) AS size
            FROM before GROUP BY label_id) AS b
        WHERE c.label_id = b.label_id;
        DELETE FROM page_count WHERE pages = 0 AND label_id IN (SELECT label_id FROM before);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER page_total_is_kept AFTER INSERT ON page
    REFERENCING NEW TABLE AS written EXECUTE FUNCTION count_pages();
CREATE TRIGGER page_total_is_kept_anew AFTER UPDATE ON page
    REFERENCING OLD TABLE AS before NEW TABLE AS written EXECUTE FUNCTION count_pages();
CREATE TRIGGER page_total_is_less AFTER DELETE ON page
    REFERENCING OLD TABLE AS before EXECUTE FUNCTION count_pages();

-- How many items a run brought, and how many of them of a URL that had been seen before. Who writes a batch
-- adds to it; a run without a row is counted when somebody asks, until the next run ends.
CREATE TABLE brought_count (
    run_seq BIGINT PRIMARY KEY REFERENCES run DEFERRABLE,
    items   BIGINT NOT NULL,
    changed BIGINT NOT NULL
);
INSERT INTO brought_count
SELECT i.run_seq, count(*), count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM capture c JOIN observation o ON o.recipe_id = i.recipe_id AND o.url_id = i.url_id
    AND o.fetched_at < c.fetched_at WHERE c.capture_seq = i.capture_seq))
FROM item i GROUP BY i.run_seq;
