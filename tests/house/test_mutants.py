"""The mutants that `make mutants` makes: small faults, and none where no test should look."""

import ast

from mutation.mutants import mutants_of
from mutation.nearest import TESTS, nearest_tests

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


def test_the_nearest_tests_are_those_that_import_the_module():
    assert nearest_tests("holdfast.core.traps")[0] == TESTS / "core/test_traps.py"
    assert TESTS / "adapters/test_warc_archive.py" in nearest_tests("holdfast.adapters.warc.recovery")
