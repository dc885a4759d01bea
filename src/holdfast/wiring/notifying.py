"""Wiring of notifications: the ways by which targets are reached, and the outbox of a state folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from holdfast import __version__, wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.command import hand_to_command
from holdfast.adapters.mail import MailBox, send_mail
from holdfast.adapters.webhook import Hook, post
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import HoldfastError, LockedError, UsageError
from holdfast.core.late_modules import MissingLibraryError
from holdfast.core.nearest import nearest
from holdfast.core.notify.message import Message, NoticeList
from holdfast.core.notify.notice import Deliveries, Delivery, NoticesDropped
from holdfast.core.notify.target import Channel, Target
from holdfast.core.settings import Settings
from holdfast.core.user_agent import user_agent
from holdfast.core.values import dataclass
from holdfast.formats.schemas.catalogue import schema_of
from holdfast.jobs.notifying import Notifier, trial_message
from holdfast.ports import Clock
from holdfast.questions.notices import notice_list
from holdfast.wiring.settings import setting_path
from holdfast.wiring.states import state_of
from holdfast.wiring.store import open_store, read_store

__all__ = ["drop_target", "list_notices", "send_notices", "tell_after_run", "try_targets"]


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
            services = wiring.services
        except MissingLibraryError as error:
            return f"apprise is not installed: {error.hint}"
        return services.send_by_apprise(self._secret(target, "apprise_env"), message)


def tell_after_run(state: Path, settings: Settings, environment: Mapping[str, str]) -> Deliveries | str:
    """Tell what a run found, and what waited; a text says why that has to wait. A run never fails for it."""
    if not settings.notify:
        return Deliveries()
    try:
        return send_notices(settings, environment, state)
    except LockedError:
        return "the state folder is in use; what happened is told after the next run"
    except HoldfastError as error:
        return error.message


def send_notices(
    settings: Settings, environment: Mapping[str, str], state: Path | None = None, *, at_once: bool = False
) -> Deliveries:
    """Gather what is owed, and deliver what is due."""
    with open_store(state or state_of(settings), "notify", settings) as store:
        clock = SystemClock()
        messenger = RoutedMessenger(settings, environment, clock)
        options = DistillOptions(max_bytes=settings.distill.max_page_bytes)
        notifier = Notifier(store.keeper, messenger, clock, options)
        return notifier.run(settings.notify, at_once=at_once)


def list_notices(settings: Settings) -> NoticeList:
    """Who is told, and what waits for them."""
    with read_store(settings) as store:
        return notice_list(store.ledger, settings.notify)


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
    with open_store(state_of(settings), "notify", settings) as store:
        return NoticesDropped(name, store.ledger.outbox.drop(name))


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
