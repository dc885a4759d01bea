"""Steps of a workflow or an action, run as a forge's runner runs them; and a page to link to."""

from __future__ import annotations

import re

from helpers.faults.server import response

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def run_step(repo, step, values):
    """A step as a runner runs it: expressions filled in, `bash -e`."""
    env = {
        name: _EXPRESSION.sub(lambda m: values.get(m[1], ""), text)
        for name, text in step.get("env", {}).items()
    }
    return repo.run("bash", "-e", "-c", _EXPRESSION.sub(lambda m: values[m[1]], step["run"]), **env)


def page(text):
    """The answers of a page that is alive."""
    return (response(f"<title>{text}</title><p>{text}".encode(), "200 OK", "Content-Type: text/html"),)
