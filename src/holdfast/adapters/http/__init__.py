"""The one package that asks the web: aiohttp behind the `Fetcher` port.

fetcher       the port: puts the parts together
fetching      one fetch: hops, slowdowns, outcome; does what `core` decides
context       what all fetches share
robots_cache  the robots.txt of each origin, asked once
pools         guarded and open connections
host_turns    turns per host, in real time
exchange      one request and its response, under ceilings
failures      aiohttp's errors as outcomes
trail         where a fetch has been, and what it waited for
guard         the address guard, in the resolver and on the connected peer
"""
