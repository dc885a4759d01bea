"""What tracking needs beside a web by script: no one to tell."""


class Silent:
    """A listener that says nothing."""

    def notice(self, event):
        pass
