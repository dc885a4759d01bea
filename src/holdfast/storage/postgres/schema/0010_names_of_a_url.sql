-- What a URL was merged with can be asked from both ends (MIR-8).
CREATE INDEX alias_by_url ON alias (url_id);
CREATE INDEX alias_by_target ON alias (target_id);
