"""
Commands that wait for their reply. They outlive a lost connection and are sent again under the same id after it. The number of
commands in flight is bounded; the others wait here instead of being refused by the server.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import CommandRefused, CommandUnanswered
from .heartbeat import cancel

ON_THE_WIRE = 16
"""Half of the server's limit of unanswered commands per connection."""
RETRY_AFTER_MS = 1000
"""Wait after a temporary refusal without a time."""


@dataclass(frozen=True)
class Reply:
    """Answer of an accepted command. `v` is the live event's version, `dup` whether the id had been executed before."""

    id: str
    d: Mapping[str, Any]
    v: int
    dup: bool


@dataclass
class _Pending:
    frame: str
    future: "asyncio.Future[Reply]"
    timer: asyncio.TimerHandle
    rest: asyncio.TimerHandle | None = None
    """Set while a temporarily refused command waits before it is sent again."""
    is_sent: bool = False
    """Whether it was sent over the current connection."""
    sends: int = 0
    """From the second time on, only the server knows whether an earlier one was executed."""


class PendingCommands:
    def __init__(self, due: Callable[[], None]) -> None:
        """`due` is called when a command may be sent."""
        self._due = due
        self._pending: dict[str, _Pending] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, id: str, frame: str, timeout: float) -> "asyncio.Future[Reply]":
        """Registers a command. The future has its reply, whichever connection delivers it; who cancels it gives the command up."""
        if id in self._pending:
            raise ValueError(f"the command {id} waits for its reply already")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        unanswered = CommandUnanswered(f"no reply within {timeout:g} s")
        self._pending[id] = _Pending(frame, future, loop.call_later(timeout, _fail, future, unanswered))
        future.add_done_callback(lambda _: self._forget(id))
        return future

    def settle(self, reply: Mapping[str, Any]) -> None:
        pending = self._pending.get(reply.get("id", ""))
        if pending is None or pending.future.done() or self._asks_again(pending, reply):
            return
        if reply["ok"]:
            pending.future.set_result(Reply(reply["id"], reply["d"], reply["v"], reply.get("dup", False)))
        else:
            pending.future.set_exception(CommandRefused(reply["e"]))

    def pump(self, send: Callable[[str], None]) -> None:
        """Sends the commands that may be sent now, in the order of the calls."""
        room = ON_THE_WIRE - sum(pending.is_sent for pending in self._pending.values())
        waiting = [one for one in self._pending.values() if not (one.is_sent or one.rest or one.future.done())]
        for pending in waiting[: max(0, room)]:
            pending.is_sent = True
            pending.sends += 1
            send(pending.frame)

    def unsend(self) -> None:
        """Called after a lost connection: its unanswered commands must be sent again."""
        for pending in self._pending.values():
            pending.is_sent = False

    def abandon(self, why: str) -> None:
        for pending in self._pending.values():
            _fail(pending.future, CommandUnanswered(why))

    def _asks_again(self, pending: _Pending, reply: Mapping[str, Any]) -> bool:
        """A temporary refusal does not cover earlier sends: a command sent over a lost connection may have been executed."""
        if reply["ok"] or pending.sends < 2 or reply["e"].get("temporary") is not True:
            return False

        def rested() -> None:
            pending.rest = None
            self._due()

        pending.is_sent = False
        after = reply["e"].get("retryAfterMs", RETRY_AFTER_MS) / 1000
        pending.rest = asyncio.get_running_loop().call_later(after, rested)
        return True

    def _forget(self, id: str) -> None:
        pending = self._pending.pop(id)
        pending.timer.cancel()
        cancel(pending.rest)
        self._due()


def _fail(future: "asyncio.Future[Reply]", cause: Exception) -> None:
    if not future.done():
        future.set_exception(cause)
