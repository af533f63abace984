"""One WebSocket of the gateway."""

import asyncio

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from .retries import LEFT, LOST

CLOSE_WITHIN = 2.0
"""Time in which the server has to answer a close."""
LARGEST_FRAME = 64 * 1024 * 1024
MOST_UNSENT = 64
"""Frames that wait for a stalled link. Commands in flight are fewer, and a heartbeat's deadline comes before many heartbeats."""
NO_LINK = (OSError, EOFError, WebSocketException)
"""What `Link.open` raises."""


class Link:
    """Frames are sent in their order by a task of its own."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._unsent: asyncio.Queue[str] = asyncio.Queue(MOST_UNSENT)
        self._writer = asyncio.create_task(self._write())

    @classmethod
    async def open(cls, url: str) -> "Link":
        # The client has an attempt's deadline and heartbeats of its own.
        own = connect(url, subprotocols=[Subprotocol("gc.v1")], open_timeout=None, ping_interval=None,
                      close_timeout=CLOSE_WITHIN, max_size=LARGEST_FRAME)  # fmt: skip
        return cls(await own)

    def send(self, text: str) -> None:
        """Raises `asyncio.QueueFull` when too many frames wait for a stalled link."""
        self._unsent.put_nowait(text)

    async def receive(self) -> str | None:
        """The next frame; None when the link is closed."""
        try:
            return await self._socket.recv(decode=True)
        except ConnectionClosed:
            return None

    @property
    def end(self) -> tuple[int, str]:
        """Code and reason of the close."""
        return self._socket.close_code or LOST, self._socket.close_reason or ""

    async def close(self, is_dead: bool) -> None:
        self._writer.cancel()
        if is_dead:
            self._socket.transport.abort()
        try:
            await self._socket.close(LEFT)
        finally:
            self._socket.transport.abort()

    async def _write(self) -> None:
        try:
            while True:
                await self._socket.send(await self._unsent.get())
        except ConnectionClosed:
            pass  # Whoever reads notices it too.
