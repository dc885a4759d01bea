"""SQLite, through `apsw`: what `adapters/sql` needs of a database, on one file.

connection   one file, its pragmas, its transactions; foreign errors end here
migrations   the schema's numbered steps, in `schema/`
places       URLs and hosts, each written once
ledger       how a file is opened, made, and brought up to date
check        what can be wrong with a file
"""
