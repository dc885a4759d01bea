"""The mirror job: a site as Markdown, complete, exact, resumable.

order      what was asked for, as one value, and its digest
opening    a new run or an old one: checkpoint, manifest, ledger
discovery  sources to frontier entries: robots, sitemaps, feeds, files
harvest    a capture to all that the crawl needs of it; pure, runs in worker processes
crawl      the loop: a window of fetches, results taken in frontier order
effects    one result to what follows from it: files, findings, new entries
group      many effects made durable at once, in the order of the design
closing    manifest, index, seal, summary
job        the steps in their order
"""
