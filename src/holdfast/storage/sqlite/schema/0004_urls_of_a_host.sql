-- Which URLs are on a host, without reading all of them.
CREATE INDEX url_by_host ON url (host_id);
