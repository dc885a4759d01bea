"""aiohttp's errors as outcomes: the one place where its exceptions are known.

The order matters: aiohttp's tree has several roots, and a narrow error must be met before its parents.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator

import aiohttp
from aiohttp import http_exceptions as wire

from holdfast.adapters.http.guard import AddressRefusedError
from holdfast.core.capture import Denial, Denied, Failed, Failure, TimedOut

__all__ = ["CAUGHT", "outcome_of"]

CAUGHT = (
    aiohttp.ClientError,
    wire.HttpProcessingError,
    OSError,
    TimeoutError,
    ssl.SSLError,
    ValueError,
)
"""What a request can raise. ValueError is yarl's, for a host it does not take, and `exchange`'s own."""

_TLS = (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError)
_RESET = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError)


def outcome_of(error: BaseException, phase: str) -> Denied | Failed | TimedOut:
    """What an error means; `phase` is `headers` or `body`."""
    refused = _address_refused(error)
    if refused is not None:
        return Denied(Denial.ADDRESS, str(refused))
    if isinstance(error, TimeoutError):
        return _timed_out(error, phase)
    failure = _failure(error)
    return Failed(failure, _words(error), transient=failure in _TRANSIENT)


_TRANSIENT = frozenset((Failure.RESET, Failure.CONNECT, Failure.SHORT_BODY, Failure.DNS))


def _timed_out(error: TimeoutError, phase: str) -> TimedOut:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return TimedOut("connect", "no connection in time")
        case aiohttp.ServerTimeoutError():
            return TimedOut(phase, f"the server fell silent in the {phase}")
        case _:
            return TimedOut("total", f"not done in time; it was in the {phase}")


def _failure(error: BaseException) -> Failure:
    cause = error.__cause__
    match error:
        case aiohttp.ClientConnectorDNSError():
            return Failure.DNS
        case _ if isinstance(error, _TLS):
            return Failure.TLS
        case aiohttp.ClientConnectorError() | aiohttp.ClientHttpProxyError():
            return Failure.CONNECT
        case aiohttp.ClientPayloadError():
            return _payload_failure(error, cause)
        case wire.HttpProcessingError() | aiohttp.ClientResponseError():
            return Failure.HEADERS_TOO_LARGE if _is_header_bomb(error) else Failure.PROTOCOL
        case _ if isinstance(error, _RESET):
            return Failure.RESET
        case _:
            return Failure.PROTOCOL


def _payload_failure(error: aiohttp.ClientPayloadError, cause: BaseException | None) -> Failure:
    if isinstance(cause, wire.ContentLengthError) or "Not enough data" in str(error):
        return Failure.SHORT_BODY
    return Failure.RESET if isinstance(cause, OSError) else Failure.PROTOCOL


def _is_header_bomb(error: BaseException) -> bool:
    return any(isinstance(e, wire.LineTooLong) or "Too many headers" in str(e) for e in _causes(error))


def _address_refused(error: BaseException) -> AddressRefusedError | None:
    return next((e for e in _causes(error) if isinstance(e, AddressRefusedError)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _words(error: BaseException) -> str:
    """What happened, on one line, without a peer's bytes in full."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            words = str(getattr(error.certificate_error, "verify_message", "") or error.certificate_error)
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno or 0  # a resolver's errors have numbers of their own, below zero
            words = os.strerror(number) if number > 0 else error.os_error.strerror or str(error.os_error)
        case wire.HttpProcessingError() | aiohttp.ClientResponseError():
            words = error.message
        case _:
            words = str(error) or type(error).__name__
    words = " ".join(words.split())
    return words if len(words) <= 200 else words[:200] + "…"
