-- Since when a mirror's page was not there: found gone from the site, taken out of the folder, forgotten. It was
-- there again with the next observation of it. So `export --since` can say what is gone, whatever became of
-- the page's row.
CREATE TABLE absence (
    label_id INTEGER NOT NULL REFERENCES label,
    left_at  INTEGER NOT NULL,
    url_id   INTEGER NOT NULL REFERENCES url,
    PRIMARY KEY (label_id, left_at, url_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX absence_of_url ON absence (url_id, label_id);

INSERT INTO absence SELECT label_id, gone_at, url_id FROM page WHERE gone_at IS NOT NULL;
UPDATE chapter SET is_current = 0 WHERE name LIKE 'mirror %';
