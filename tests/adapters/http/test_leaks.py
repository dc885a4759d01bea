"""A thousand requests leave nothing behind. The long version is `make torture`."""

from faults.door import run
from faults.leaks import soak


def test_no_connection_descriptor_or_task_is_left_and_memory_is_flat():
    before, early, after, connections = run(soak(1_000))
    assert after.descriptors <= before.descriptors
    assert after.tasks <= before.tasks
    assert after.kilobytes - early.kilobytes < 4_096
    assert connections <= 8 * 4, "connections are kept and reused"
