"""PostgreSQL, through `psycopg`: what `adapters/sql` needs of a database, on a server.

address      where a ledger is, and what of it may be shown
texts        values that PostgreSQL has no words for: NUL in a text, globs
connection   one connection, its transactions and locks; foreign errors end here
migrations   the schema's numbered steps, in `schema/`
places       URLs and hosts, each written once, in transactions of their own
ledger       how a ledger is opened, made, and brought up to date
check        what can be wrong with one
"""
