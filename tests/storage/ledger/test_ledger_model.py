"""What is done to a ledger in any order, as Hypothesis thinks of it: both databases answer alike, step by
step, and are left sound. What the answers should be the contracts say, and of the lineage
`core/plain_lineage.py`.
"""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from helpers.ledger_cases import OTHER_RECIPE, RECIPE, at, memory_ledger, run
from helpers.ledger_strategies import PLACES, RUNS, batches, entries, moments, places
from holdfast.core.base.errors import LedgerError
from holdfast.core.lineage.ledger_values import EntryState
from holdfast.core.lineage.lineage import RunStatus, RunTally
from holdfast.storage.postgres.postgres_ledger import check_database, open_postgres
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger


def after_the_first(history, run_id):
    """What a run brought after the first page it brought."""
    first = next(history.brought_by(run_id), None)
    return list(history.brought_by(run_id, first.capture.capture_id)) if first else []


class TwoLedgers(RuleBasedStateMachine):
    """Everything is done to both, and both must answer alike."""

    def __init__(self, opened):
        super().__init__()
        self.opened = opened

    @initialize()
    def begin(self):
        self.stored, self.check = self.opened()
        self.memory = memory_ledger()
        for number, (run_id, recipe) in enumerate(RUNS.items()):
            begun = run(run_id, recipe, seconds=number)
            self.both(lambda ledger, begun=begun: ledger.runs.begin_run(begun))

    def both(self, ask):
        answers = []
        for ledger in (self.memory, self.stored):
            try:
                answers.append(ask(ledger))
            except LedgerError as error:
                answers.append(f"refused: {error}")
        assert answers[0] == answers[1]
        return answers[0]

    @rule(data=st.data(), run_id=st.sampled_from(sorted(RUNS)), now=moments)
    def commit(self, data, run_id, now):
        batch = data.draw(batches(run_id))
        self.both(lambda ledger: ledger.commit(run_id, batch, at(now)))

    @rule(data=st.data(), run_id=st.sampled_from(sorted(RUNS)))
    def add(self, data, run_id):
        made = data.draw(st.lists(entries(), max_size=4))
        self.both(lambda ledger: ledger.frontier.add_entries(run_id, made))

    @rule(run_id=st.sampled_from(sorted(RUNS)), limit=st.integers(1, 3))
    def take(self, run_id, limit):
        self.both(lambda ledger: ledger.frontier.take_entries(run_id, limit))

    @rule(
        run_id=st.sampled_from(sorted(RUNS)),
        states=st.lists(st.sampled_from([EntryState.TAKEN, EntryState.PAGE, EntryState.READY]), unique=True),
        where=st.lists(places, max_size=2, unique=True),
    )
    def reopen(self, run_id, states, where):
        self.both(lambda ledger: ledger.frontier.reopen_entries(run_id, states, [w.key for w in where]))

    @rule(where=places, seconds=st.none() | moments)
    def mark_gone(self, where, seconds):
        since = None if seconds is None else at(seconds)
        self.both(lambda ledger: ledger.pages.mark_gone("docs", [where.key], since))

    @rule(where=places, seconds=moments)
    def drop(self, where, seconds):
        self.both(lambda ledger: ledger.pages.drop_pages("docs", [where.key], at(seconds)))

    @rule(
        run_id=st.sampled_from(sorted(RUNS)), status=st.sampled_from([RunStatus.STOPPED, RunStatus.RUNNING])
    )
    def update(self, run_id, status):
        self.both(lambda ledger: ledger.runs.update_run(run_id, status, at(9), RunTally.of({"pages": 1})))

    @rule(run_id=st.sampled_from(sorted(RUNS)))
    def end(self, run_id):
        self.both(lambda ledger: ledger.runs.end_run(run_id, at(9), RunTally.of({"b": 1, "a": 2})))

    @invariant()
    def they_answer_alike(self):
        if not hasattr(self, "stored"):
            return
        for ask in (
            lambda ledger: list(ledger.runs.latest_first()),
            lambda ledger: list(ledger.pages.by_path("docs")),
            lambda ledger: list(ledger.pages.by_path("docs", "b")),
            lambda ledger: list(ledger.pages.by_path("docs", only_gone=True)),
            lambda ledger: ledger.pages.count("docs"),
            lambda ledger: list(ledger.pages.left_between("docs", at(1), at(5))),
            lambda ledger: [ledger.pages.absences("docs", where.key) for where in PLACES],
            lambda ledger: list(ledger.pages.aliases("docs")),
            lambda ledger: list(ledger.pages.paths("docs")),
            lambda ledger: ledger.pages.pages_of("docs", [where.key for where in PLACES]),
            lambda ledger: ledger.archived.ends(),
            lambda ledger: ledger.archived.originals_of(["ab" * 32, "cd" * 32]),
        ):
            self.both(ask)
        self.both(lambda ledger: ledger.archived.last_of({where.key: where.url for where in PLACES}))
        for run_id in RUNS:
            self.both(lambda ledger, r=run_id: ledger.frontier.count_entries(r))
            self.both(lambda ledger, r=run_id: list(ledger.pages.pages_without("docs", r, [EntryState.PAGE])))
            self.both(lambda ledger, r=run_id: list(ledger.frontier.entries(r)))
            self.both(lambda ledger, r=run_id: list(ledger.history.of_run(r)))
            self.both(lambda ledger, r=run_id: list(ledger.history.brought_by(r)))
            self.both(lambda ledger, r=run_id: ledger.history.count_brought(r))
            self.both(lambda ledger, r=run_id: list(ledger.history.brought_by(r, backward=True)))
            self.both(lambda ledger, r=run_id: after_the_first(ledger.history, r))
        for where in PLACES:
            self.both(lambda ledger, w=where: list(ledger.history.of_url(w.web_key)))
            self.both(lambda ledger, w=where: ledger.history.current_item(RECIPE, w.key))
            self.both(lambda ledger, w=where: ledger.history.links_of(OTHER_RECIPE, w.key))
            self.both(lambda ledger, w=where: ledger.history.images_of(w.key))
            self.both(lambda ledger, w=where: list(ledger.pages.pages_linking_to(w.web_key)))
            self.both(lambda ledger, w=where: ledger.frontier.alternates("run-1", w.key))

    def teardown(self):
        if hasattr(self, "stored"):
            self.stored.close()
            assert list(self.check()) == []


def answers_alike(opened, examples):
    run_state_machine_as_test(
        lambda: TwoLedgers(opened),
        settings=settings(
            max_examples=examples,
            stateful_step_count=15,
            deadline=None,
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.spec("LIN-2", "LIN-3", "LIN-5", "LIN-7", "LIN-8")
def test_a_file_is_left_sound_by_whatever_is_done_to_it(tmp_path):
    names = count()

    def opened():
        path = tmp_path / f"{next(names)}.db"
        return open_ledger(path, at(0)), lambda: check_file(path)

    answers_alike(opened, 30)


@pytest.mark.spec("LIN-2", "LIN-3", "LIN-5", "LIN-7", "LIN-8", "CLU-1")
def test_postgresql_answers_as_sqlite_does(postgres_server):
    def opened():
        postgres_server.empty()
        address = postgres_server.address
        return open_postgres(address, at(0)), lambda: check_database(address)

    answers_alike(opened, 8)
