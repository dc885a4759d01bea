-- What the rows of a batch refer to is looked up once a statement, not once a row: a reference that the server
-- checks by itself costs a question and a lock for each row, and with five of them an item cost more than all
-- else that is written of a page. What they name is never taken out, but by a purge, which writes alone and
-- looks at all of them when it ends (`adapters/postgres/references.py` has the same list).
CREATE FUNCTION require_named() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_missing BOOLEAN;
BEGIN
    IF current_setting('holdfast.named_rows', true) = 'at the end' THEN
        RETURN NULL;
    END IF;
    FOR place IN 0 .. TG_NARGS - 3 BY 3 LOOP
        EXECUTE format(
            'SELECT EXISTS (SELECT 1 FROM written w WHERE w.%1$I IS NOT NULL'
            ' AND NOT EXISTS (SELECT 1 FROM %2$I t WHERE t.%3$I = w.%1$I))',
            TG_ARGV[place], TG_ARGV[place + 1], TG_ARGV[place + 2]) INTO is_missing;
        IF is_missing THEN
            RAISE EXCEPTION 'a row of % names a row of % that is not there', TG_TABLE_NAME, TG_ARGV[place + 1]
                USING ERRCODE = 'foreign_key_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

ALTER TABLE capture
    DROP CONSTRAINT capture_run_seq_fkey, DROP CONSTRAINT capture_url_id_fkey, DROP CONSTRAINT capture_file_id_fkey;
CREATE TRIGGER capture_names_what_is_there AFTER INSERT ON capture REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named(
        'run_seq', 'run', 'run_seq', 'url_id', 'url', 'url_id', 'file_id', 'archive_file', 'file_id');

ALTER TABLE item
    DROP CONSTRAINT item_run_seq_fkey, DROP CONSTRAINT item_recipe_id_fkey, DROP CONSTRAINT item_url_id_fkey,
    DROP CONSTRAINT item_capture_seq_fkey;
CREATE TRIGGER item_names_what_is_there AFTER INSERT ON item REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named(
        'run_seq', 'run', 'run_seq', 'recipe_id', 'recipe', 'recipe_id', 'url_id', 'url', 'url_id',
        'capture_seq', 'capture', 'capture_seq');

ALTER TABLE observation
    DROP CONSTRAINT observation_capture_seq_fkey, DROP CONSTRAINT observation_recipe_id_fkey,
    DROP CONSTRAINT observation_run_seq_fkey, DROP CONSTRAINT observation_url_id_fkey,
    DROP CONSTRAINT observation_item_seq_fkey, DROP CONSTRAINT observation_links_of_fkey;
CREATE TRIGGER observation_names_what_is_there AFTER INSERT ON observation REFERENCING NEW TABLE AS written
    EXECUTE FUNCTION require_named(
        'capture_seq', 'capture', 'capture_seq', 'recipe_id', 'recipe', 'recipe_id', 'run_seq', 'run', 'run_seq',
        'url_id', 'url', 'url_id', 'item_seq', 'item', 'item_seq', 'links_of', 'observation', 'observation_id');
