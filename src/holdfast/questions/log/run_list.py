"""`log --runs`: what was done, when, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

from holdfast.core.base.errors import NotKeptError, UsageError
from holdfast.core.base.json_shape import Shape, array, record
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import Job, RunRecord
from holdfast.core.targets.bound import EVERYTHING, Bound
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown
from holdfast.questions.log.page_log import history
from holdfast.questions.log.runs import RUN, as_interrupted, counts_in_words, run_lines
from holdfast.questions.log.timeline import RunsTaken
from holdfast.questions.rows.parameters import AFTER, FROM, ROWS, SINCE, TARGET, UNTIL
from holdfast.questions.rows.parts import part_after
from holdfast.questions.rows.question import Line, Note, Saying, question

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class RunList:
    """Runs, the latest first; one that nobody goes on with says `interrupted`. Of a part also after which run
    the next begins.
    """

    runs: tuple[RunRecord, ...]
    next: str | None = None


_ALL: Final = CommandTarget(TargetKind.NONE)


@question(listed="runs", switch_of="log")
def runs(  # noqa: PLR0913 - what can be asked for is its signature
    ledger: Ledger,
    policy: Policy,
    is_idle: Callable[[], bool],
    /,
    target: Annotated[CommandTarget, TARGET, "a mirror, documents, a page, a run, an item"] = _ALL,
    *,
    since: Annotated[Bound, SINCE, "only those that began then or later: a date, `7d`, a run"] = EVERYTHING,
    after: Annotated[Bound, AFTER, "only those that began after it"] = EVERYTHING,
    until: Annotated[Bound, UNTIL, "only those that began up to its end"] = EVERYTHING,
    limit: Annotated[int | None, ROWS, "at most so many"] = 50,
    from_: Annotated[str, FROM, "where they begin: `next` of the part before"] = "",
) -> RunList:
    """List the runs: what was done, when, and how it ended, the latest first.

    A mirror has its own runs, documents those that checked them, a page those that saw it. A run that says it
    is running while nobody writes was interrupted; starting the same job again resumes it. The seal is a
    digest over every URL and content that a finished run saw: runs over equal responses have equal seals.

    Example:
        for record in holdfast.runs("mirror").parts[0].value.runs:
            print(record.run.job, record.run.label, record.status)
    """
    found = _runs_meant(ledger, policy, target)
    begun = (each for each in RunsTaken(ledger, (since, after, until)).begun() if found(each))
    rows, following = part_after(begun, from_, limit, lambda record: record.run.run_id)
    return RunList(tuple(as_interrupted(each, is_idle=is_idle()) for each in rows), following)


def _runs_meant(ledger: Ledger, policy: Policy, target: CommandTarget) -> Callable[[RunRecord], bool]:
    """Which runs a target means."""
    kind, value = target.kind, target.value
    match kind:
        case TargetKind.NONE:
            return bool
        case TargetKind.MIRROR:
            return lambda each: each.run.label == value
        case TargetKind.DOCUMENTS if target.form is DocumentsForm.FOLDER:
            below = "" if value == "." else f"{value}/"
            return lambda each: each.run.job is Job.TRACK or f"{each.run.label}/".startswith(below)
        case TargetKind.DOCUMENTS:
            return lambda each: each.run.job is Job.TRACK
        case TargetKind.RUN:
            ids = {each.run.run_id for each in (ledger.runs.run(value),) if each is not None}
        case TargetKind.ITEM:
            ids = {item.run_id for item in ledger.history.items(value)}
        case TargetKind.PAGE | TargetKind.SECTION:
            known = history(ledger, policy, value.partition("#")[0])
            ids = {seen.capture.run_id for seen in known.observations}
        case _:
            raise UsageError("--runs is of a mirror, documents or a page", hint="holdfast log --runs")
    if not ids:
        raise NotKeptError(f"no run is known of {shown(value)}")
    return lambda each: each.run.run_id in ids


@runs.json
def _json() -> Shape:
    return record(runs=array(RUN))


@runs.words
def _words(found: RunList, say: Saying) -> Iterator[Line]:
    if found.runs:
        yield from run_lines(found.runs, say.paint)
    else:
        yield Note("there are no runs")


@runs.rows("run", "started", "job", "status", "label", "counts")
def _rows(found: RunList) -> Iterator[tuple[object, ...]]:
    for each in found.runs:
        run, counts = each.run, counts_in_words(each.tally.counts)
        yield run.run_id, run.started_at, run.job, each.status, run.label, counts
