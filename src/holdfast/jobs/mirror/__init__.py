"""The mirror job: a site as Markdown, complete, exact, resumable. It orders steps; `core.crawl` decides.

job        the steps in their order
tools      what it works with
opening    a new run or an old one: checkpoint, manifest, ledger
discovery  sources to frontier entries: robots, sitemaps, feeds, files
crawl      the loop: a window of fetches, results taken in frontier order, effects handed to the scribe
obtain     how a page is asked for, where a response comes from; `alternate`: a page's own Markdown
knowledge  what is known of other URLs while one is decided
effects    one result to what follows from it; and what follows once a group of them is in archive and ledger
reporting  where a crawl stands, told
updating   what an update knows of each entry from before, and what became of it; a folder without its ledger
assets     the images of the pages
closing    pages that are one page, manifest, index, seal, summary

What a capture gives the crawl is `distill.harvest`'s, which is pure and runs in worker processes.
"""
