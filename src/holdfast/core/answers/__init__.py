"""What the ledger answers, as frozen values: one for each question (`holdfast.questions`), one JSON for each
(`holdfast.formats.schemas`). Commands, the library and servers show these values and read nothing else.
"""
