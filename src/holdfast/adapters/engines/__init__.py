"""Where workers and pure work run: on this machine, or where the user's Dask runs. Two verbs.

run_workers   that many workers, until they end; a lost one is started again
submit        a pure function, called somewhere: `adapters/workers/spread.py` makes a map of it, and
              `adapters/workers/pool.py` is the same map on this machine
"""
