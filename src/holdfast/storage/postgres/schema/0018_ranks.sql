-- The place of a capture among those of its URL, which no clock moves (LIN-10, `core/rank.py`): what this store wrote
-- itself is ranked by its own number, and its stamp is 0; what was brought from elsewhere stands behind that capture
-- (`rank`), by its `stamp`. An observation has the place of its capture.
-- What is here already: captures of runs of this store as they were written, imported ones by their stamps. Where
-- another store was joined, no row says which captures are its, so all keep the order of their stamps.
ALTER TABLE capture ADD COLUMN rank BIGINT NOT NULL DEFAULT 0;
ALTER TABLE capture ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN rank BIGINT NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;

ALTER TABLE capture DISABLE TRIGGER capture_is_never_changed;
ALTER TABLE observation DISABLE TRIGGER observation_is_never_changed;

UPDATE capture SET stamp = greatest(fetched_at, 1)
WHERE EXISTS (SELECT 1 FROM store WHERE is_own = 0) OR run_seq IN (
    SELECT run_seq FROM run JOIN label USING (label_id) WHERE name = 'imported');
UPDATE capture SET rank = capture_seq WHERE stamp = 0;
UPDATE capture SET rank = coalesce((
    SELECT max(k.rank) FROM url own JOIN url a ON a.web_key = own.web_key JOIN capture k ON k.url_id = a.url_id
    WHERE own.url_id = capture.url_id AND k.stamp = 0 AND k.rank < coalesce((
        SELECT min(l.rank) FROM url b JOIN capture l ON l.url_id = b.url_id
        WHERE b.web_key = own.web_key AND l.stamp = 0 AND l.fetched_at > capture.fetched_at), 4611686018427387904)), 0)
WHERE stamp <> 0;
UPDATE observation SET rank = c.rank, stamp = c.stamp FROM capture c WHERE c.capture_seq = observation.capture_seq;

ALTER TABLE capture ENABLE TRIGGER capture_is_never_changed;
ALTER TABLE observation ENABLE TRIGGER observation_is_never_changed;

DROP INDEX capture_by_url;
CREATE INDEX capture_by_url ON capture (url_id, rank, stamp);
DROP INDEX observation_by_url;
CREATE INDEX observation_by_url ON observation (recipe_id, url_id, rank, stamp, observation_id);

-- Runs stand in the order in which they were begun; one that was brought behind another, by its beginning.
ALTER TABLE run ADD COLUMN rank BIGINT;
ALTER TABLE run ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run DISABLE TRIGGER run_is_never_changed;
UPDATE run SET rank = 0, stamp = greatest(started_at, 1) WHERE EXISTS (SELECT 1 FROM store WHERE is_own = 0);
ALTER TABLE run ENABLE TRIGGER run_is_never_changed;

-- What a run brought is new or changed by what stands before it, and chapters tell of places that are not a number.
DELETE FROM brought_count;
INSERT INTO brought_count
SELECT i.run_seq, count(*), count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM capture c JOIN observation o ON o.recipe_id = i.recipe_id AND o.url_id = i.url_id
    AND (o.rank, o.stamp) < (c.rank, c.stamp) WHERE c.capture_seq = i.capture_seq))
FROM item i GROUP BY i.run_seq;
UPDATE chapter SET is_current = 0 WHERE name IN (
    SELECT 'run ' || r.run_id FROM run r WHERE r.rank IS NOT NULL OR EXISTS (
        SELECT 1 FROM observation o WHERE o.run_seq = r.run_seq AND o.stamp <> 0) OR EXISTS (
        SELECT 1 FROM capture c WHERE c.run_seq = r.run_seq AND c.stamp <> 0));
