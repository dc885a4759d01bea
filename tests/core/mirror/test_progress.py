import pytest

from holdfast.core.mirror.checkpoint import Progress

pytestmark = pytest.mark.spec("MIR-9")


def test_the_rate_is_made_of_what_this_start_did():
    progress = Progress(processed=150, total=200, fresh=50, elapsed=25.0)
    assert progress.rate == 2.0
    assert progress.eta == 25.0
    assert progress.line == "[150/200]"


def test_the_time_left_is_unknown_at_first_and_nothing_at_the_end():
    assert Progress(processed=0, total=9, fresh=0, elapsed=1.0).eta is None
    assert Progress(processed=9, total=9, fresh=0, elapsed=0.0).eta == 0.0
