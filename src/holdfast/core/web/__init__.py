"""What servers say: captures, outcomes, robots rules, sitemaps, bodies and their encodings, pace and
retries.
"""
