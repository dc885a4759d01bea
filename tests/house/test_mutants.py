"""The mutants that `make mutants` makes: small faults, and none where no test should look."""

import ast

from proofs.mutation.cases import ROOMS, ROOT, all_cases, mutated_code, sample
from proofs.mutation.judges import judges_of
from proofs.mutation.mutants import mutants_of
from proofs.mutation.reach import Reach, TestRun

SOURCE = '''
"""Words."""
__all__ = ["f"]

@dataclass(slots=True)
class C:
    def f(self, limit: int = 3) -> bool:
        """More words."""
        if self.ready and limit < 7:
            self.sync()
        if not self.ready:
            raise ValueError("not 5")
        return [x for x in self if x]
'''


def test_each_mutant_is_one_small_fault():
    names = [mutant.name for mutant in mutants_of(ast.parse(SOURCE))]
    assert sorted(names) == sorted(
        [
            "C.f: 3 → 4",
            "C.f: self.ready and limit < 7 → self.ready or limit < 7",
            "C.f: limit < 7 → limit <= 7",
            "C.f: 7 → 8",
            "C.f: self.sync() → pass",
            "C.f: not self.ready → self.ready",
            "C.f: raise ValueError('not 5') → pass",
            "C.f: if x → (nothing)",
        ]
    )


def test_a_mutant_changes_its_own_place_alone():
    original = ast.unparse(ast.parse(SOURCE)).splitlines()
    for number in range(len(mutants_of(ast.parse(SOURCE)))):
        tree = ast.parse(SOURCE)
        mutants_of(tree)[number].apply()
        changed = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
        assert sum(a != b for a, b in zip(original, changed, strict=True)) == 1


SOURCES = ROOT / "src/holdfast"
TRAPS = "holdfast.core.url.traps"


def test_every_room_that_is_judged_has_mutants():
    assert all_cases([]).keys() == ROOMS.keys()
    assert [
        folder for folders in ROOMS.values() for folder in folders if not (SOURCES / folder).is_dir()
    ] == []


def test_a_sample_is_the_same_for_the_same_seed():
    cases = all_cases([TRAPS])
    assert [case.key for case in sample(cases, 5, 1)] == [case.key for case in sample(cases, 5, 1)]
    assert [case.key for case in sample(cases, 5, 1)] != [case.key for case in sample(cases, 5, 2)]


def test_a_sample_is_nearly_the_same_when_there_is_one_mutant_less():
    first, *others = all_cases([TRAPS])["core"]
    before, after = ({case.key for case in sample({"core": c}, 20, 1)} for c in ([first, *others], others))
    assert len(before - after) <= 1


def test_a_mutant_is_judged_by_the_tests_that_run_its_line_the_near_and_quick_first(tmp_path):
    case = next(case for case in all_cases([TRAPS])["core"] if len(case.function) > 2)
    line, beside = case.mutant.line, next(line for line in case.function if line != case.mutant.line)
    files = ("tests/jobs/test_far.py", "tests/core/url/test_traps.py")
    reach, source = Reach(tmp_path / "reach", files), "src/holdfast/core/url/traps.py"
    for test, seconds, ran in [
        ("tests/jobs/test_far.py::test_quick", 0.1, line),
        ("tests/core/url/test_traps.py::test_slow", 2.0, line),
        ("tests/core/url/test_traps.py::test_quick", 1.0, line),
        ("tests/core/url/test_traps.py::test_of_another_line", 0.1, beside),
        ("tests/jobs/test_far.py::test_endless", 60.0, line),
        ("tests/core/test_of_another_run.py::test_quick", 0.1, line),
    ]:
        reach.write(TestRun(test, seconds, {source: frozenset((ran,))}))
    near = [f"tests/core/url/test_traps.py::{name}" for name in ("test_quick", "test_slow")]
    assert judges_of(case, reach, seconds=8) == [*near, "tests/jobs/test_far.py::test_quick"]
    assert judges_of(case, Reach(tmp_path / "reach", files), seconds=1) == near[:1]


def test_the_code_of_a_mutant_is_another_in_its_function_alone():
    case = next(case for case in all_cases([TRAPS])["core"] if case.mutant.where == "_depth_trap")
    whole = compile(case.file.read_bytes(), str(case.file), "exec")
    pairs = zip(whole.co_consts, mutated_code(case).co_consts, strict=True)
    assert [code.co_name for code, other in pairs if code != other] == ["_depth_trap"]
