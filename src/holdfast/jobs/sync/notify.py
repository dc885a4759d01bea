"""Tell what happened, once: from runs that are owed to notices, from those to whoever wants them (TRK-10).

    1  gather    the events of runs that a target is owed, but for those it was told, into a notice
    2  compose   a notice that is due: its events read anew from the ledger, with their differences
    3  deliver   to the target; that it took it is written down before the next one is tried

Nothing that a target does is an error of this job. When a day is over is decided by the machine's local
time. A target is reached by its channel: a command, a webhook, mail or Apprise.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.programs import hand_to_command
from holdfast.adapters.senders import Hook, MailBox, Messenger, post, send_mail
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ConsentError, HoldfastError, LockedError, UsageError, nearest
from holdfast.core.base.late_modules import MissingLibraryError
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence
from holdfast.core.events.messages import (
    Message,
    NoticeList,
    digest_is_due,
    may_want,
    needs_reading,
    wants,
    worst_first,
)
from holdfast.core.lineage.event_kind import (
    Deliveries,
    Delivery,
    EventKind,
    EventName,
    Notice,
    NoticesDropped,
    next_try,
    notice_id,
)
from holdfast.core.lineage.lineage import RunRecord
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.receivers import Channel, Target
from holdfast.core.settings.resolve import Settings
from holdfast.core.web.robots import user_agent
from holdfast.jobs.load_settings import setting_path
from holdfast.jobs.places import notice_once, state_of
from holdfast.jobs.session import Session, open_store, read_store
from holdfast.jobs.trust import require_own
from holdfast.questions.log.mirror_log import events_of_run, is_first_run, with_diff
from holdfast.questions.rows.table import schema_of

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


@dataclass(frozen=True, slots=True)
class Notifier:
    """Gathers and delivers."""

    session: Session
    messenger: Messenger
    options: DistillOptions

    def run(self, targets: Sequence[Target], *, at_once: bool = False) -> Deliveries:
        """Gather and deliver; `at_once` waits neither for the end of a day nor for the next try."""
        for target in targets:
            self._gather(target, at_once=at_once)
        return Deliveries(tuple(self._deliver({each.name: each for each in targets}, at_once=at_once)))

    def _gather(self, target: Target, *, at_once: bool) -> None:
        now = self.session.clock.now()

        def step(ledger: Ledger, archive: Archive) -> None:
            found = gathered(ledger, archive, target, now, self.options, at_once=at_once)
            if found is not None:
                ledger.outbox.gather(found.notice, found.events, target.name, found.runs)

        self.session.now(step)

    def _deliver(self, targets: Mapping[str, Target], *, at_once: bool) -> Iterator[Delivery]:
        waiting: set[str] = set()
        for notice in self.session.now(lambda ledger, _: ledger.outbox.unsent()):
            target = targets.get(notice.target)
            if target is None or target.name in waiting:
                continue
            if notice.next_try > self.session.clock.now() and not at_once:
                waiting.add(target.name)
                continue
            done = self._hand_over(target, notice)
            if done.trouble:
                waiting.add(target.name)
            yield done

    def _hand_over(self, target: Target, notice: Notice) -> Delivery:
        name, options = notice.notice_id, self.options
        message = self.session.now(lambda ledger, archive: compose(ledger, archive, notice, options))
        trouble = self.messenger.deliver(target, message) if message.events else ""
        now = self.session.clock.now()
        if not trouble:
            self.session.now(lambda ledger, _: ledger.outbox.acknowledge(name, now))
            return Delivery(target.name, name, len(message.events) + message.more)
        again = next_try(now, notice.attempts + 1)
        self.session.now(lambda ledger, _: ledger.outbox.failed(name, trouble, again))
        return Delivery(target.name, name, notice.events, trouble, again)


def trial_message(target: str, now: datetime) -> Message:
    """What `holdfast notify send --test` sends: a message without events that says so."""
    return Message(notice_id(target, [EventName("", now.isoformat())]), target, now, {}, (), is_test=True)


@dataclass(frozen=True, slots=True)
class RoutedMessenger:
    """The `Messenger` port: each target by its channel, with the secrets that the environment holds."""

    settings: Settings
    environment: Mapping[str, str]
    clock: Clock

    def deliver(self, target: Target, message: Message) -> str:
        """Hand a message over; what went wrong, in words."""
        missing = self._missing(target)
        if missing:
            return f"the environment variable {missing} is not set"
        ways: dict[Channel, Callable[[Target, Message], str]] = {
            Channel.COMMAND: self._by_command,
            Channel.WEBHOOK: self._by_webhook,
            Channel.MAIL: self._by_mail,
            Channel.APPRISE: self._by_apprise,
        }
        return ways[target.channel](target, message)

    def _missing(self, target: Target) -> str | None:
        named = [target.text(key) for key in target.options if key.endswith("_env")]
        return next((name for name in named if not self.environment.get(name)), None)

    def _secret(self, target: Target, key: str) -> str:
        return self.environment.get(target.text(key), "")

    @property
    def _ca_file(self) -> str | None:
        certificates = setting_path(self.settings, "ca_file")
        return str(certificates) if certificates else None

    def _by_command(self, target: Target, message: Message) -> str:
        given = json.dumps(schema_of("notification").encode(message), ensure_ascii=False).encode() + b"\n"
        return hand_to_command(target.text("command"), given, self.environment)

    def _by_webhook(self, target: Target, message: Message) -> str:
        hook = Hook(
            target.text("webhook") or self._secret(target, "webhook_env"),
            self._secret(target, "secret_env"),
            bool(target.options.get("allow_private")),
            self._ca_file,
            user_agent(__version__, self.settings.fetch.contact),
        )
        return post(hook, message, self.clock.now())

    def _by_mail(self, target: Target, message: Message) -> str:
        to = target.options["mail"]
        box = MailBox(
            target.text("smtp"),
            target.text("from"),
            (to,) if isinstance(to, str) else tuple(to),
            target.text("user"),
            self._secret(target, "password_env"),
            self._ca_file,
        )
        return send_mail(box, message, self.clock.now())

    def _by_apprise(self, target: Target, message: Message) -> str:
        try:
            from holdfast.adapters.apprise_door import send_by_apprise  # noqa: PLC0415 - an extra
        except MissingLibraryError as error:
            return f"apprise is not installed: {error.hint}"
        return send_by_apprise(self._secret(target, "apprise_env"), message)


def tell_after_run(state: Path, settings: Settings, environment: Mapping[str, str]) -> Deliveries | str:
    """Tell what a run found, and what waited; a text says why that has to wait. A run never fails for it."""
    if not settings.notify:
        return Deliveries()
    try:
        return send_notices(settings, environment, state)
    except LockedError:
        return "the store is in use; what happened is told after the next run"
    except ConsentError as error:  # the watcher would say it every minute
        notice_once(f"{error.message}; {error.hint}")
        return Deliveries()
    except HoldfastError as error:
        return error.message


def send_notices(
    settings: Settings, environment: Mapping[str, str], state: Path | None = None, *, at_once: bool = False
) -> Deliveries:
    """Gather what is owed, and deliver what is due."""
    with open_store(state or state_of(settings), "notify", settings) as session:
        if settings.notify and is_anything_owed(session.ledger):
            require_own(settings, (session.state, session.store_id), "notifications wait to be sent")
        messenger = RoutedMessenger(settings, environment, session.clock)
        options = DistillOptions(max_bytes=settings.distill.max_page_bytes)
        return Notifier(session, messenger, options).run(settings.notify, at_once=at_once)


def list_notices(settings: Settings) -> NoticeList:
    """Who is told, and what waits for them."""
    with read_store(settings) as session:
        return notice_list(session.ledger, settings.notify)


def try_targets(settings: Settings, environment: Mapping[str, str], names: Sequence[str]) -> Deliveries:
    """Send a trial to targets, or to all of them. Nothing is written down."""
    clock = SystemClock()
    messenger = RoutedMessenger(settings, environment, clock)
    done = []
    for target in _named(settings, names):
        message = trial_message(target.name, clock.now())
        done.append(Delivery(target.name, message.notice_id, 0, messenger.deliver(target, message)))
    return Deliveries(tuple(done))


def drop_target(settings: Settings, name: str) -> NoticesDropped:
    """Drop what a target is owed; how many notices there were."""
    with open_store(state_of(settings), "notify", settings) as session:
        return NoticesDropped(name, session.ledger.outbox.drop(name))


def _named(settings: Settings, names: Sequence[str]) -> list[Target]:
    known = {target.name: target for target in settings.notify}
    if not known:
        raise UsageError("no notification is set up", hint="add a [notify.NAME] to holdfast.toml")
    for name in names:
        if name not in known:
            guess = nearest(name, known)
            hint = f"did you mean {guess}?" if guess else f"there are: {', '.join(known)}"
            raise UsageError(f"holdfast.toml has no [notify.{name}]", hint=hint)
    return [known[name] for name in names] or list(known.values())


_LATEST = 20


@dataclass(frozen=True, slots=True)
class Gathered:
    """A notice with the names of its events, if there is anything to tell, and the runs that it settles."""

    notice: Notice | None
    events: tuple[EventName, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """What events are read from."""

    ledger: Ledger
    archive: Archive
    options: DistillOptions

    def of_run(self, run: RunRecord) -> Iterator[Occurrence]:
        """The events of a run; a mirror's first has no pages that are new: all of them are."""
        return events_of_run(self.ledger, run, new=not is_first_run(self.ledger, run))

    def whole(self, event: Occurrence) -> Occurrence:
        """An event with its difference, and its title where only the copy has one."""
        found = with_diff(self.ledger, self.archive, self.options, event)
        return found if found.title or found.page is None else replace(found, title=found.page.title)

    def wanted(self, target: Target, run: RunRecord) -> Iterator[Occurrence]:
        """The events of a run that a target wants to be told."""
        for event in self.of_run(run):
            if may_want(target.wanted, event):
                known = self.whole(event) if needs_reading(target.wanted, event) else event
                if wants(target.wanted, known):
                    yield event


def gathered(
    ledger: Ledger,
    archive: Archive,
    target: Target,
    now: datetime,
    options: DistillOptions,
    *,
    at_once: bool = False,
) -> Gathered | None:
    """What a target is owed, but for what it was told; None: it is owed nothing, or its day is not over."""
    runs = [run for name in ledger.outbox.owed(target.name) if (run := ledger.runs.run(name))]
    if not runs:
        return None
    oldest = min(run.run.started_at for run in runs)
    if not at_once and not digest_is_due(target, oldest, now.astimezone()):
        return None
    told, held = ledger.outbox.told(target.name), _Held(ledger, archive, options)
    names = tuple(
        EventName(run.run.run_id, event.event_id)
        for run in runs
        for event in held.wanted(target, run)
        if event.event_id not in told
    )
    notice = Notice(notice_id(target.name, names), target.name, now, len(names), now) if names else None
    return Gathered(notice, names, tuple(run.run.run_id for run in runs))


def compose(ledger: Ledger, archive: Archive, notice: Notice, options: DistillOptions) -> Message:
    """A notice as a message: its events read anew, the worst of them with their differences. What is
    forgotten by now, or not true any more, is left out.
    """
    counts: Counter[EventKind] = Counter()
    held = _Held(ledger, archive, options)

    def counted() -> Iterator[Occurrence]:
        for run_id, names in ledger.outbox.events_of(notice.notice_id).items():
            run = ledger.runs.run(run_id)
            for event in held.of_run(run) if run else ():
                if event.event_id in names:
                    counts[event.kind] += 1
                    yield event

    events = tuple(held.whole(event) for event in worst_first(counted()))
    return Message(notice.notice_id, notice.target, notice.made_at, dict(counts), events)


def notice_list(ledger: Ledger, targets: tuple[Target, ...]) -> NoticeList:
    """Who is told, what waits for them, and what was sent last."""
    outbox = ledger.outbox
    return NoticeList(targets, outbox.targets(), outbox.unsent(), outbox.sent(_LATEST))


def is_anything_owed(ledger: Ledger) -> bool:
    """Whether somebody waits to be told anything."""
    return bool(ledger.outbox.targets() or ledger.outbox.unsent())
