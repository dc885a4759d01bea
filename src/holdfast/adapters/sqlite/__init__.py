"""The ledger in SQLite, through `apsw`.

    connection   one file, its pragmas, its transactions; foreign errors end here
    migrations   the schema's numbered steps, in `schema/`
    rows         values to columns and back
    places       URLs and hosts, each written once
    session      what the parts share: the connection, transactions, numbers of runs and URLs
    runs, frontier, pages, history, archived, citations, forgetting   the parts of the port
    writing      a batch of findings as one transaction; lookups, checkout are its own
    ledger       the port, put together
    check        what can be wrong with a file

SQL is written so that PostgreSQL can follow: no rowid tricks, `ON CONFLICT`, `RETURNING`, times as
integers (microseconds since 1970, UTC), hashes as 32 raw bytes, JSON as text.
"""
