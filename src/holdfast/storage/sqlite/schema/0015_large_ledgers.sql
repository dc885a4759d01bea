-- What goes over a whole run or a whole archive finds its rows in order, and begins at once, however many there
-- are: the captures that a run observed, the items that it brought, the records of a file.
DROP INDEX observation_by_run;
CREATE INDEX observation_by_run ON observation (run_seq, capture_seq);
CREATE INDEX item_by_run ON item (run_seq, capture_seq);
CREATE INDEX capture_by_file ON capture (file_id, file_offset) WHERE file_id IS NOT NULL;
