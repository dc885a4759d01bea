"""Where workers and pure work run: on this machine, or where the user's Dask runs. Two verbs each.

run_workers   that many workers, until they end; a lost one is started again
map           a pure function over arguments, in any order, results in theirs
"""
