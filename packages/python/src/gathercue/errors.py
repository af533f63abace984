"""What the client raises."""

from collections.abc import Mapping
from typing import Any


class GathercueError(Exception):
    """Every error of this package."""


class CommandRefused(GathercueError):
    """The server refused the command; nothing was done. `code` is the reason (`rate_limited`, `conflict`, `forbidden`, …)."""

    def __init__(self, refusal: Mapping[str, Any]) -> None:
        super().__init__(f"{refusal['code']}: {refusal['message']}")
        self.code: str = refusal["code"]
        self.detail: str = refusal["message"]
        after = refusal.get("retryAfterMs")
        self.retry_after: float | None = None if after is None else after / 1000
        """Seconds until the command may be sent again, when the server states them."""
        self.refusal = refusal


class CommandUnanswered(GathercueError):
    """No reply arrived in time, or the client has stopped: whether the command was executed is unknown."""


class TooManyCommands(GathercueError):
    """`max_commands` commands wait for their reply; this one was not sent."""


class ConnectionClosed(GathercueError):
    """The connection ended with this close code. It is 1006 for a connection that was lost without one."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the connection has ended: {code} {reason}".rstrip())
        self.code = code
        self.reason = reason


class DispatchesLost(GathercueError):
    """The reader of the dispatches was so slow that `max_dispatches` of them waited. Those were still given out; later ones were not kept."""


class TokenRefused(GathercueError):
    """The server gave no gateway token. `code` is that of the problem (`sign_in_required`, `not_found`, …)."""

    def __init__(self, status: int, code: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
