"""The one door to the web: aiohttp behind the `Fetcher` port.

fetcher   the port: puts the parts together
walk      one fetch: hops, slowdowns, outcome; does what `core` decides
door      what all fetches share
desk      the robots.txt of each origin, asked once
pools     guarded and open connections
gate      turns per host, in real time
exchange  one request and its response, under ceilings
trouble   aiohttp's errors as outcomes
guard     the address guard, in the resolver and on the connected peer
"""
