"""The mirror job: a site as Markdown, complete, exact, resumable. It orders steps; `core.crawl` decides.

job        the steps in their order
tools      what it works with
sources    which URLs an order names, and the scope they span
opening    a new run or an old one: checkpoint, manifest, ledger; `adopting` a folder whose ledger is lost
discovery  sources to frontier entries: robots, sitemaps, feeds, files
crawl      the loop: a window of fetches, results taken in frontier order, effects handed to the scribe
obtain     how an entry's response is had; `alternate` a page's own Markdown
harvest    a capture to all that the crawl needs of it; pure, runs in worker processes
knowledge  what is known of other URLs while one is decided
effects    one result to what follows from it: asks, decides, puts it together
group      what follows once a group of effects is in archive and ledger
pulse      where a crawl stands, told
updating   what an update knows of each entry from before, and what became of it
assets     the images of the pages
closing    manifest, index, seal, summary
"""
