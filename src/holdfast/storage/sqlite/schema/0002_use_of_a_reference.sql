-- Where a citation is used, when its URL stands elsewhere: a reference definition, a target (TRK-2, TRK-9).
ALTER TABLE citation ADD COLUMN used_start INTEGER;
ALTER TABLE citation ADD COLUMN used_line INTEGER;
ALTER TABLE citation ADD COLUMN used_col INTEGER;
ALTER TABLE citation ADD COLUMN used_utf16_col INTEGER;
