"""The ledger in a relational database: everything that SQLite and PostgreSQL have in common.

    database     what the tables need of a database; `adapters/sqlite` and `adapters/postgres` each are one
    rows         values to columns and back
    session      what the parts share: the connection, transactions, numbers of runs and URLs
    runs, frontier, pages, history, sections, archived, citations, forgetting   the parts of the port
    writing      a batch of findings as one transaction; lookups, checkout are its own
    ledger       the port, put together
    steps        the schema's numbered steps, and which of them a database has
    laws         what rows say of each other, and what may not be

One text of SQL for both. Values stand as `$1, $2, …`, numbered in the order in which they first appear: that
is PostgreSQL's own form, and SQLite takes them for names, which it numbers by the same rule. Times are
integers (microseconds since 1970, UTC), hashes 32 raw bytes, JSON is text. What the two cannot say alike
(schema, transactions, locks, bulk loads, patterns) is a method of `Database`, written twice.
"""
