"""Messages by whatever `apprise` reaches, which enters here alone. It opens its own connections."""

from __future__ import annotations

import logging
import warnings

from holdfast.core.base.late_modules import naming_extras
from holdfast.core.events.messages import Message, subject_of_message, text_of_message

with naming_extras():
    import apprise


def send_by_apprise(address: str, message: Message) -> str:
    """Send a message; empty once it was taken, else what went wrong."""
    logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it would log addresses, which hold secrets
    door = apprise.Apprise()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what its services import
        if not door.add(address):
            return "apprise does not know such an address"
        taken = door.notify(title=subject_of_message(message), body=text_of_message(message))
    return "" if taken else "apprise could not deliver it"
