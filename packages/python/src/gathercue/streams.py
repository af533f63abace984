"""
The client's place in the event: its identity, and its position in each stream that it receives, which makes a resume exact and a
gap visible. Streams begin and end with the client's rooms; remaining dispatches of a room that it left are not for this client.
"""

from collections.abc import Mapping
from typing import Any, Literal

ROOM = "room:"


class Streams:
    def __init__(self) -> None:
        self.ready: Mapping[str, Any] | None = None
        """The last full `ready`."""
        self.me: Mapping[str, Any] = {}
        self._epoch = ""
        self._cursors: dict[str, int] = {}

    def begin(self, ready: Mapping[str, Any]) -> None:
        self.me = ready["me"]
        if not ready["resumed"]:
            self.ready = ready
            self._epoch = ready["epoch"]
            self._cursors = dict(ready["cursors"])

    def place(self, stream: str, s: int) -> Literal["next", "old", "gap"]:
        """`next` moves the cursor; `old` was seen before, or is of a foreign stream; `gap`: earlier dispatches are missing."""
        cursor = self._cursors.get(stream)
        if cursor is None or s <= cursor:
            return "old"
        if s > cursor + 1:
            return "gap"
        self._cursors[stream] = s
        return "next"

    def follow(self, t: str, d: Mapping[str, Any]) -> None:
        """Streams that begin or end, and a change of the participant's rights."""
        if t == "subscribed":
            for stream in d["dropped"]:
                self._cursors.pop(stream, None)
            self._cursors.update(d["cursors"])
            room = next((stream[len(ROOM) :] for stream in d["cursors"] if stream.startswith(ROOM)), None)
            self.me = {**self.me, "roomId": room}
        elif t == "me.updated":
            self.me = {**self.me, "role": d["role"], "can": d["can"], "chatTo": d["chatTo"]}

    def behind(self, heads: Mapping[str, int]) -> bool:
        """Whether the server's heads are ahead in any stream, including one that the client does not know."""
        return any(head > self._cursors.get(stream, 0) for stream, head in heads.items())

    @property
    def resume(self) -> dict[str, Any]:
        return {"epoch": self._epoch, "cursors": dict(self._cursors)}
