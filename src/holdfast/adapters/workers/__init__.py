"""Worker processes: pure functions run elsewhere, under limits that are the last resort against a page.

`pool` keeps the calls that wait and hands them to workers; `process` is one worker, seen from here, and
`worker` the same from inside, which imports nothing that it does not need; `distillery` is the `Distiller`
port on top of a pool.
"""
