"""
Heartbeats of a connection, and the deadline by which the server must send anything. A link whose network has changed neither
works nor closes: only silence shows it.
"""

import asyncio
from collections.abc import Callable

ANSWER_WITHIN = 5.0
"""The server answers a heartbeat at once; the rest is the round trip over a slow network."""
STOOD_STILL = 1.0
"""A deadline noticed this late was suspended with the process or the machine, and says nothing about the link."""


def cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Heartbeat:
    def __init__(self, send: Callable[[], None], silent: Callable[[], None]) -> None:
        """`silent` is called when the server sent nothing before the deadline."""
        self._send = send
        self._silent = silent
        self._interval: asyncio.TimerHandle | None = None
        self._next: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def start(self, every: float) -> None:
        def again() -> None:
            self._interval = asyncio.get_running_loop().call_later(every, again)
            self.beat()

        self.stop()
        self._interval = asyncio.get_running_loop().call_later(every, again)

    def beat(self) -> None:
        """Sends a heartbeat. An earlier deadline stays."""
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(ANSWER_WITHIN, self._due)
        self._send()

    def beat_after(self, seconds: float) -> None:
        """Schedules one more heartbeat."""
        cancel(self._next)
        self._next = asyncio.get_running_loop().call_later(seconds, self.beat)

    def heard(self) -> None:
        """Called when anything arrives from the server."""
        cancel(self._deadline)
        self._deadline = None

    def stop(self) -> None:
        cancel(self._interval)
        cancel(self._next)
        self.heard()

    def _due(self) -> None:
        deadline, self._deadline = self._deadline, None
        if deadline is not None and asyncio.get_running_loop().time() > deadline.when() + STOOD_STILL:
            self.beat()
        else:
            self._silent()
