"""Where state lives, and that it has one writer."""

import os
import signal
import subprocess
import sys
import time

import pytest

from holdfast.core.base.errors import LockedError, UsageError
from holdfast.storage.state_folder import find_root, find_state, lock, mirror_state

pytestmark = pytest.mark.spec("STA-1")

HOLD = """
import sys, time
from pathlib import Path
from holdfast.storage.state_folder import lock
with lock(Path(sys.argv[1]), "mirror"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_root_is_the_settings_file_then_version_control_then_the_folder_itself(tmp_path):
    deep = tmp_path / "repo" / "docs" / "deep"
    deep.mkdir(parents=True)
    assert find_root(deep) == deep

    (tmp_path / "repo" / ".git").mkdir()
    assert find_root(deep) == tmp_path / "repo"

    (tmp_path / "repo" / "docs" / "holdfast.toml").touch()
    assert find_root(deep) == tmp_path / "repo" / "docs"


def test_a_mirror_keeps_its_own_state_unless_a_settings_file_stands_above(tmp_path):
    assert mirror_state(tmp_path / "site") == tmp_path / "site" / ".holdfast"

    (tmp_path / "holdfast.toml").touch()
    assert mirror_state(tmp_path / "site") == tmp_path / ".holdfast"


def test_queries_search_upward_and_say_so_when_there_is_nothing(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"no \.holdfast folder"):
        find_state(tmp_path / "a" / "b")

    (tmp_path / "a" / ".holdfast").mkdir()
    (tmp_path / "a" / ".holdfast" / "ledger.db").touch()
    assert find_state(tmp_path / "a" / "b") == tmp_path / "a" / ".holdfast"


def test_a_second_writer_is_told_who_holds_the_folder(tmp_path):
    with (
        lock(tmp_path / ".holdfast", "mirror"),
        pytest.raises(LockedError) as caught,
        lock(tmp_path / ".holdfast", "track"),
    ):
        pass
    assert f"process {os.getpid()} (holdfast mirror)" in caught.value.message


def test_a_lock_whose_holder_was_killed_is_free(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LockedError, match=f"process {holder.pid}"), lock(tmp_path, "check"):
        pass

    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(timeout=10)
    holder.stdout.close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with lock(tmp_path, "check"):
            return
    pytest.fail("the lock of a dead process was not taken over")
