"""The step after a failed attempt or a lost connection: another attempt after a wait, or the end."""

import math
import random
from typing import Any, Literal, NamedTuple

from .errors import ConnectionClosed

LEFT = 1000
LOST = 1006
"""A connection lost without a close frame (RFC 6455, section 7.1.5)."""

Advice = Literal["resume", "back_off", "new_token", "stop"]
RANGES: dict[int, Advice] = {41: "back_off", 42: "new_token", 43: "stop"}
TEMPORARY = (408, 425, 429)
"""Statuses of refusals that may be temporary: Request Timeout, Too Early, Too Many Requests."""


def advice_for(code: int) -> Advice:
    """The server's instruction: the range of a close code. Codes outside the ranges count as a lost link."""
    return "stop" if code == LEFT else RANGES.get(code // 100, "resume")


def status_of(cause: object) -> int | None:
    """The HTTP status of a refusal: of this package, of `urllib` and `aiohttp`, or of `httpx` and `requests`."""
    response = getattr(cause, "response", None)
    status = getattr(cause, "status", getattr(response, "status_code", None))
    return status if isinstance(status, int) else None


def is_final(cause: object) -> bool:
    """Whether the same request would be refused again."""
    status = status_of(cause)
    return status is not None and 400 <= status < 500 and status not in TEMPORARY


def asked_wait(cause: object) -> float | None:
    """Seconds that the server asked for."""
    headers = getattr(cause, "headers", None) or getattr(getattr(cause, "response", None), "headers", None) or {}
    seconds: Any = getattr(cause, "retry_after", None)
    if seconds is None:
        seconds = headers.get("Retry-After")
    try:
        wait = float(seconds)
    except (TypeError, ValueError):
        return None
    return max(0.0, wait) if math.isfinite(wait) else None


class Backoff:
    """Immediate but scattered the first time, then full jitter up to the longest wait (AWS's "full jitter")."""

    def __init__(self, first: float, longest: float) -> None:
        self._first = first
        self._longest = longest
        self._failures = 0

    def next(self, slow: bool) -> float:
        """Seconds before the next attempt. `slow` skips the quick first one, because the server reported an overload."""
        doublings = min(64, max(int(slow), self._failures))
        self._failures += 1
        return random.random() * min(self._longest, self._first * 2.0**doublings)

    def reset(self) -> None:
        self._failures = 0


class Step(NamedTuple):
    cause: Exception
    wait: float | None
    """Seconds before the next attempt; None when the client stops."""
    code: int = 0
    reason: str = ""
    needs_token: bool = False


class Retries:
    def __init__(self, first: float, longest: float) -> None:
        self._backoff = Backoff(first, longest)
        self._asked: float | None = None

    def ask(self, seconds: float | None) -> None:
        """Sets the wait after the next loss."""
        self._asked = seconds

    def failed(self, cause: Exception) -> Step:
        """Called when an attempt failed before there was a connection."""
        if is_final(cause):
            return Step(cause, None, 0, str(cause))
        return Step(cause, self._wait(True, asked_wait(cause)), 0, str(cause))

    def closed(self, code: int, reason: str) -> Step:
        advice = advice_for(code)
        cause = ConnectionClosed(code, reason)
        if advice == "stop":
            return Step(cause, None, code, reason)
        return Step(cause, self._wait(advice == "back_off", self._asked), code, reason, advice == "new_token")

    def reset(self) -> None:
        """Called when the connection was established: the next loss counts as a first one again."""
        self._backoff.reset()

    def _wait(self, slow: bool, asked: float | None) -> float:
        self._asked = None
        return self._backoff.next(slow) if asked is None else asked
