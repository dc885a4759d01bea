-- What is asked for in the order of URLs is found in that order: an alias and a cited place have the text of their
-- URL beside them, and a cited place says whether anything cites it still. The database keeps both by itself;
-- `db check` compares them with what they are made of. Rows of a copy bring both: what they are made of may come
-- after them.
ALTER TABLE alias ADD COLUMN url TEXT NOT NULL DEFAULT '';
UPDATE alias SET url = (SELECT u.url FROM url u WHERE u.url_id = alias.url_id);
CREATE INDEX alias_in_order ON alias (label_id, url);

CREATE TRIGGER alias_has_its_url AFTER INSERT ON alias WHEN NEW.url = ''
BEGIN
    UPDATE alias SET url = (SELECT u.url FROM url u WHERE u.url_id = NEW.url_id)
    WHERE label_id = NEW.label_id AND url_id = NEW.url_id;
END;

ALTER TABLE cited_place ADD COLUMN url TEXT NOT NULL DEFAULT '';
ALTER TABLE cited_place ADD COLUMN is_cited INTEGER NOT NULL DEFAULT 0;
UPDATE cited_place SET url = (SELECT u.url FROM url u WHERE u.url_id = cited_place.url_id), is_cited = EXISTS (
    SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = cited_place.web_key);
DROP INDEX cited_place_by_state;
CREATE INDEX cited_place_by_state ON cited_place (state, url);
CREATE INDEX cited_place_by_url ON cited_place (url);
CREATE INDEX cited_place_by_failure ON cited_place (failing_since, url, state) WHERE failing_since IS NOT NULL;
CREATE INDEX cited_place_by_look ON cited_place (checked_at, url, state) WHERE checked_at IS NOT NULL;
CREATE INDEX cited_place_counted ON cited_place (state) WHERE is_cited = 1;

CREATE TRIGGER cited_place_has_its_url AFTER INSERT ON cited_place WHEN NEW.url = ''
BEGIN
    UPDATE cited_place SET url = (SELECT u.url FROM url u WHERE u.url_id = NEW.url_id), is_cited = EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = NEW.web_key)
    WHERE place_id = NEW.place_id;
END;

CREATE TRIGGER cited_place_has_another_url AFTER UPDATE OF url_id, web_key ON cited_place
WHEN OLD.url_id <> NEW.url_id OR OLD.web_key <> NEW.web_key
BEGIN
    UPDATE cited_place SET url = (SELECT u.url FROM url u WHERE u.url_id = NEW.url_id), is_cited = EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = NEW.web_key)
    WHERE place_id = NEW.place_id;
END;

CREATE TRIGGER citation_is_made AFTER INSERT ON citation
BEGIN
    UPDATE cited_place SET is_cited = 1
    WHERE web_key = (SELECT u.web_key FROM url u WHERE u.url_id = NEW.url_id) AND is_cited = 0;
END;

CREATE TRIGGER citation_is_gone AFTER DELETE ON citation
BEGIN
    UPDATE cited_place SET is_cited = 0
    WHERE web_key = (SELECT u.web_key FROM url u WHERE u.url_id = OLD.url_id) AND is_cited = 1 AND NOT EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = cited_place.web_key);
END;

CREATE TRIGGER url_has_another_key AFTER UPDATE OF web_key ON url WHEN OLD.web_key <> NEW.web_key
BEGIN
    UPDATE cited_place SET is_cited = EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = cited_place.web_key)
    WHERE web_key IN (OLD.web_key, NEW.web_key);
END;
