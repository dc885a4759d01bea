-- What goes over a whole run or a whole archive finds its rows in order, and begins at once, however many there
-- are: the captures that a run observed, the items that it brought, the records of a file.
DROP INDEX observation_by_run;
CREATE INDEX observation_by_run ON observation (run_seq, capture_seq);
CREATE INDEX item_by_run ON item (run_seq, capture_seq);
CREATE INDEX capture_by_file ON capture (file_id, file_offset) WHERE file_id IS NOT NULL;

-- What pages and entries of the frontier refer to is looked up once a statement too, now that a batch writes all
-- of them by one: their keys cost more than the rows (`0013_references_of_a_statement.sql`). A row that is changed
-- is looked at only where it names another row than before.
CREATE FUNCTION require_named_by_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_there BOOLEAN;
BEGIN
    IF current_setting('holdfast.named_rows', true) = 'at the end' THEN
        RETURN NULL;
    END IF;
    FOR place IN 0 .. TG_NARGS - 3 BY 3 LOOP
        EXECUTE format(
            'SELECT EXISTS (SELECT 1 FROM %2$I t WHERE t.%3$I = ($1).%1$I)',
            TG_ARGV[place], TG_ARGV[place + 1], TG_ARGV[place + 2]) INTO is_there USING NEW;
        IF NOT is_there THEN
            RAISE EXCEPTION 'a row of % names a row of % that is not there', TG_TABLE_NAME, TG_ARGV[place + 1]
                USING ERRCODE = 'foreign_key_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

ALTER TABLE page
    DROP CONSTRAINT page_label_id_fkey, DROP CONSTRAINT page_url_id_fkey, DROP CONSTRAINT page_item_seq_fkey,
    DROP CONSTRAINT page_links_of_fkey;
CREATE TRIGGER page_names_what_is_there AFTER INSERT ON page REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named(
        'label_id', 'label', 'label_id', 'url_id', 'url', 'url_id', 'item_seq', 'item', 'item_seq',
        'links_of', 'observation', 'observation_id');
CREATE TRIGGER page_still_names_what_is_there AFTER UPDATE ON page FOR EACH ROW
    WHEN ((OLD.label_id, OLD.url_id, OLD.item_seq, OLD.links_of)
        IS DISTINCT FROM (NEW.label_id, NEW.url_id, NEW.item_seq, NEW.links_of))
    EXECUTE FUNCTION require_named_by_row(
        'label_id', 'label', 'label_id', 'url_id', 'url', 'url_id', 'item_seq', 'item', 'item_seq',
        'links_of', 'observation', 'observation_id');

ALTER TABLE frontier DROP CONSTRAINT frontier_run_seq_fkey, DROP CONSTRAINT frontier_url_id_fkey;
CREATE TRIGGER frontier_names_what_is_there AFTER INSERT ON frontier REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named('run_seq', 'run', 'run_seq', 'url_id', 'url', 'url_id');
CREATE TRIGGER frontier_still_names_what_is_there AFTER UPDATE ON frontier FOR EACH ROW
    WHEN ((OLD.run_seq, OLD.url_id) IS DISTINCT FROM (NEW.run_seq, NEW.url_id))
    EXECUTE FUNCTION require_named_by_row('run_seq', 'run', 'run_seq', 'url_id', 'url', 'url_id');
