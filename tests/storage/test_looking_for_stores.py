"""Which stores a question in a folder is for: the nearest at or above it, and those below, within a bound."""

import pytest

from holdfast.storage.state_folder import STATE_NAME, stores_around


def make_store(folder):
    state = folder / STATE_NAME
    state.mkdir(parents=True)
    (state / "ledger.db").touch()
    return state


@pytest.mark.spec("CLI-2")
def test_the_nearest_above_comes_first_then_those_below_by_path(tmp_path):
    root = make_store(tmp_path)
    b, a = make_store(tmp_path / "work" / "b"), make_store(tmp_path / "work" / "a" / "deep" / "er" / "still")

    assert stores_around(tmp_path / "work") == ((root, a, b), False)


@pytest.mark.spec("CLI-2")
def test_only_the_nearest_above_counts(tmp_path):
    make_store(tmp_path)
    near = make_store(tmp_path / "a")

    assert stores_around(tmp_path / "a") == ((near,), False)


def test_where_nothing_is_kept_nothing_is_found(tmp_path):
    (tmp_path / "docs").mkdir()

    assert stores_around(tmp_path) == ((), False)


@pytest.mark.parametrize("name", [".hidden", "node_modules", "__pycache__"])
def test_folders_that_are_hidden_or_filled_by_programs_are_passed_over(tmp_path, name):
    make_store(tmp_path / name / "m")

    assert stores_around(tmp_path).stores == ()


def test_a_symlink_is_not_followed(tmp_path):
    make_store(tmp_path / "elsewhere" / "m")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path / "elsewhere")

    assert stores_around(tmp_path / "here").stores == ()


def test_the_pages_of_a_mirror_are_not_walked(tmp_path):
    own = make_store(tmp_path / "m")
    (tmp_path / "m" / "_manifest.json").touch()
    for number in range(50):
        (tmp_path / "m" / f"page{number}").mkdir()

    assert stores_around(tmp_path, most=10) == ((own,), False)


@pytest.mark.spec("CLI-2")
def test_a_look_that_met_its_bound_says_so_and_keeps_what_it_found(tmp_path):
    near = make_store(tmp_path / "a")
    for number in range(30):
        (tmp_path / "many" / f"f{number}").mkdir(parents=True)
    make_store(tmp_path / "many" / "f29" / "x")

    found = stores_around(tmp_path, most=20)

    assert found.met_bound
    assert found.stores == (near,)
    assert not stores_around(tmp_path, most=200).met_bound
