"""How many examples a property is tried with that wants many.

A quarter of them in every run, which draws the same ones each time; all of them where new ones are drawn
(`make fuzz`).
"""

import os


def examples(most):
    return most if os.environ.get("HOLDFAST_EXAMPLES") == "random" else most // 4
