CREATE TABLE page (
    url_key        TEXT PRIMARY KEY,
    url            TEXT NOT NULL,
    title          TEXT NOT NULL,
    language       TEXT,
    fetched_at     TEXT NOT NULL,
    item_id        TEXT,
    content_sha256 TEXT NOT NULL
) STRICT;

CREATE TABLE record (
    id       TEXT PRIMARY KEY,
    page     TEXT NOT NULL REFERENCES page (url_key),
    ord      INTEGER NOT NULL,
    change   TEXT NOT NULL,
    anchor   TEXT NOT NULL,
    url      TEXT NOT NULL,
    title    TEXT NOT NULL,
    headings TEXT NOT NULL,
    name     TEXT,
    kind     TEXT NOT NULL,
    content  TEXT NOT NULL,
    text     TEXT NOT NULL,
    markdown TEXT NOT NULL,
    part     TEXT NOT NULL
) STRICT;
CREATE INDEX record_by_page ON record (page, ord);
CREATE INDEX record_by_change ON record (change);

CREATE VIEW records AS
SELECT r.id, r.title, p.title AS page_title, r.url, r.kind, r.name, r.change, p.fetched_at, r.text, r.markdown
FROM record r JOIN page p ON p.url_key = r.page ORDER BY r.ord;

CREATE VIEW changes AS SELECT id, change, title, url FROM record WHERE change <> 'same' ORDER BY ord;

CREATE VIEW pages AS
SELECT p.url_key, p.title, p.url, p.language, p.fetched_at, count(*) AS records
FROM page p JOIN record r ON r.page = p.url_key GROUP BY p.url_key ORDER BY min(r.ord);
