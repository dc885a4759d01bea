-- What is asked for in the order of URLs is found in that order: an alias and a cited place have the text of their
-- URL beside them, and a cited place says whether anything cites it still. The database keeps both by itself;
-- `db check` compares them with what they are made of. Rows of a copy bring both: what they are made of may come
-- after them.
ALTER TABLE alias ADD COLUMN url TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE alias SET url = (SELECT u.url FROM url u WHERE u.url_id = alias.url_id);
CREATE INDEX alias_in_order ON alias (label_id, url);

CREATE FUNCTION set_alias_url() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.url := coalesce((SELECT u.url FROM url u WHERE u.url_id = NEW.url_id), '');
    RETURN NEW;
END $$;
CREATE TRIGGER alias_has_its_url BEFORE INSERT ON alias FOR EACH ROW WHEN (NEW.url = '')
    EXECUTE FUNCTION set_alias_url();

ALTER TABLE cited_place ADD COLUMN url TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cited_place ADD COLUMN is_cited BIGINT NOT NULL DEFAULT 0 CHECK (is_cited IN (0, 1));
UPDATE cited_place SET url = (SELECT u.url FROM url u WHERE u.url_id = cited_place.url_id), is_cited = EXISTS (
    SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = cited_place.web_key)::int;
DROP INDEX cited_place_by_state;
CREATE INDEX cited_place_by_state ON cited_place (state, url);
CREATE INDEX cited_place_by_url ON cited_place (url);
CREATE INDEX cited_place_by_failure ON cited_place (failing_since, url, state) WHERE failing_since IS NOT NULL;
CREATE INDEX cited_place_by_look ON cited_place (checked_at, url, state) WHERE checked_at IS NOT NULL;
CREATE INDEX cited_place_counted ON cited_place (state) WHERE is_cited = 1;
DROP INDEX citation_by_host;
CREATE INDEX citation_by_host ON citation (host_id, document_id, ord);

CREATE FUNCTION set_place_url() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.url := coalesce((SELECT u.url FROM url u WHERE u.url_id = NEW.url_id), '');
    NEW.is_cited := EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = NEW.web_key)::int;
    RETURN NEW;
END $$;
CREATE TRIGGER cited_place_has_its_url BEFORE INSERT ON cited_place FOR EACH ROW WHEN (NEW.url = '')
    EXECUTE FUNCTION set_place_url();
CREATE TRIGGER cited_place_has_another_url BEFORE UPDATE ON cited_place FOR EACH ROW
    WHEN (OLD.url_id <> NEW.url_id OR OLD.web_key <> NEW.web_key) EXECUTE FUNCTION set_place_url();

-- Places are taken in one order, so that no two writers wait for each other.
CREATE FUNCTION mark_cited(keys BYTEA[]) RETURNS void LANGUAGE sql AS $$
    UPDATE cited_place p SET is_cited = 1 - p.is_cited WHERE p.place_id IN (
        SELECT k.place_id FROM cited_place k WHERE k.web_key = ANY (keys) AND k.is_cited <> EXISTS (
            SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = k.web_key)::int
        ORDER BY k.web_key FOR UPDATE)
$$;
CREATE FUNCTION mark_cited_by_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_cited(ARRAY(SELECT DISTINCT u.web_key FROM moved w JOIN url u ON u.url_id = w.url_id));
    RETURN NULL;
END $$;
CREATE TRIGGER citation_is_made AFTER INSERT ON citation
    REFERENCING NEW TABLE AS moved EXECUTE FUNCTION mark_cited_by_document();
CREATE TRIGGER citation_is_gone AFTER DELETE ON citation
    REFERENCING OLD TABLE AS moved EXECUTE FUNCTION mark_cited_by_document();
CREATE FUNCTION mark_cited_by_url() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_cited(ARRAY(SELECT w.web_key FROM before w UNION SELECT w.web_key FROM written w));
    RETURN NULL;
END $$;
CREATE TRIGGER url_has_another_key AFTER UPDATE ON url
    REFERENCING OLD TABLE AS before NEW TABLE AS written EXECUTE FUNCTION mark_cited_by_url();

-- The host of a URL is looked up once a statement too (`0013_references_of_a_statement.sql`): it was half the cost of a
-- new URL. A URL never moves to another host.
ALTER TABLE url DROP CONSTRAINT url_host_id_fkey;
CREATE TRIGGER url_names_what_is_there AFTER INSERT ON url REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named('host_id', 'host', 'host_id');
