"""The ledger in SQLite, through `apsw`.

    connection   one file, its pragmas, its transactions; foreign errors end here
    migrations   the schema's numbered steps, in `schema/`
    rows         values to columns and back
    places       URLs and hosts, each written once
    runs, frontier, writing, history, checkout, citations   the tables, by who asks for them
    ledger       the port, put together

SQL is written so that PostgreSQL can follow: no rowid tricks, `ON CONFLICT`, `RETURNING`, times as
integers (microseconds since 1970, UTC), hashes as 32 raw bytes, JSON as text.
"""
