"""What tracking needs beside a web by script: both halves of the ledger in memory, and no one to tell."""

from holdfast.adapters.memory.citations import MemoryCitations
from holdfast.adapters.memory.ledger import MemoryLedger


class Both(MemoryLedger, MemoryCitations):
    """Both halves of the ledger, in memory."""

    def __init__(self):
        MemoryLedger.__init__(self)
        MemoryCitations.__init__(self)


class Silent:
    """A listener that says nothing."""

    def notice(self, event):
        pass
