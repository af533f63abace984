"""
The server's time, estimated from heartbeats as NTP does: offset = ((t1−t0)+(t2−t3))/2, taken from the sample with the shortest
round trip of the last eight (RFC 5905 §8 and §10).
"""

import time
from collections import deque
from collections.abc import Mapping
from datetime import datetime
from typing import Any

KEPT = 8


def local_ms() -> int:
    return time.time_ns() // 1_000_000


def seconds_of(timestamp: str) -> float:
    """The Unix time of an RFC 3339 timestamp."""
    return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()


class ServerClock:
    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=KEPT)

    def add(self, t0: float, t1: float, t2: float, t3: float) -> None:
        """`t0` and `t3` are the client's clock at sending and receipt, `t1` and `t2` the server's, in milliseconds."""
        self._samples.append((t3 - t0 - (t2 - t1), (t1 - t0 + (t2 - t3)) / 2))

    @property
    def samples(self) -> int:
        return len(self._samples)

    @property
    def offset(self) -> float:
        """Server time minus client time in seconds; 0 until the first sample."""
        return min(self._samples)[1] / 1000 if self._samples else 0.0

    def now(self) -> float:
        """Unix time of the server in seconds."""
        return time.time() + self.offset

    def remaining(self, timer: Mapping[str, Any]) -> float:
        """Remaining seconds of a timer, by the server's clock; a paused one keeps its remainder."""
        if timer["state"] == "paused":
            return float(timer.get("remainingMs") or 0) / 1000
        return max(0.0, seconds_of(timer["endsAt"]) - self.now()) if timer["state"] == "running" else 0.0
