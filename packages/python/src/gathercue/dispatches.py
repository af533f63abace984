"""What the server tells, and its readers."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from .contract import DispatchName
from .errors import DispatchesLost


@dataclass(frozen=True)
class Dispatch:
    """A dispatch of the gateway, with the names of the protocol."""

    t: DispatchName
    d: Mapping[str, Any]
    """The data, as the reference of dispatches describes it."""
    v: int
    """The live event's version."""
    ts: int
    """The server's time in milliseconds."""
    st: str | None
    """The stream of an ordered dispatch."""


class Dispatches(AsyncIterator[Dispatch]):
    """
    Every dispatch from the moment it was made, in order, each once. It ends when the client is closed, and raises the cause when
    the client stops for another reason. A reader that falls too far behind gets `DispatchesLost`.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: deque[Dispatch] = deque()
        self._news = asyncio.Event()
        self._is_over = False
        self._cause: Exception | None = None

    def put(self, dispatch: Dispatch) -> None:
        if self._is_over:
            return
        if len(self._kept) >= self._limit:
            self.end(DispatchesLost(f"{self._limit} dispatches wait for their reader"))
            return
        self._kept.append(dispatch)
        self._news.set()

    def end(self, cause: Exception | None) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._cause = cause
        self._news.set()

    async def __anext__(self) -> Dispatch:
        while not self._kept:
            if self._cause is not None:
                raise self._cause
            if self._is_over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._kept.popleft()


class Readers:
    """The readers of a client. One that its owner has dropped is forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._readers: WeakSet[Dispatches] = WeakSet()

    def another(self, is_over: bool) -> Dispatches:
        reader = Dispatches(self._limit)
        self._readers.add(reader)
        if is_over:
            reader.end(None)
        return reader

    def put(self, dispatch: Dispatch) -> None:
        for reader in list(self._readers):
            reader.put(dispatch)

    def end(self, cause: Exception | None) -> None:
        for reader in list(self._readers):
            reader.end(cause)
