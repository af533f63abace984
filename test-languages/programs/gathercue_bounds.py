"""What the Python client keeps for others has bounds. The program has a server of its own, and prints what was kept."""

import asyncio
import json
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from gathercue import (
    CommandUnanswered,
    Dispatches,
    DispatchesLost,
    GatewayClient,
    GatewayToken,
    TooManyCommands,
)

HELLO = {"connectionId": "c", "heartbeatMs": 20_000}
READY = {"resumed": False, "epoch": "e", "cursors": {"event": 0}, "me": {"can": []}}
SENT = 12


async def talk(socket: ServerConnection) -> None:
    """Greets, sends the announcements in one frame, and answers nothing but heartbeats."""
    await socket.send(json.dumps({"op": 10, "d": HELLO}))
    async for text in socket:
        frame = json.loads(text)
        if frame["op"] == 1:
            ack = {"t0": frame["d"]["t0"], "t1": 0, "t2": 0, "heads": {}}
            await socket.send(json.dumps({"op": 11, "d": ack}))
        if frame["op"] == 2:
            announcements = [
                {"op": 0, "st": "event", "s": s, "t": "announcement", "d": {"n": s}} for s in range(1, SENT)
            ]
            await socket.send(json.dumps([{"op": 0, "t": "ready", "d": READY}, *announcements]))


async def numbers(dispatches: Dispatches) -> list[Any]:
    """The announcements that a reader gets, and how it ends."""
    found: list[Any] = []
    try:
        async for dispatch in dispatches:
            if dispatch.t == "announcement":
                found.append(dispatch.d["n"])
        found.append("ended")
    except DispatchesLost:
        found.append("lost")
    return found


async def outcome(client: GatewayClient) -> str:
    try:
        await client.command("hand.raise")
    except TooManyCommands:
        return "too many"
    except CommandUnanswered:
        return "unanswered"
    return "answered"


async def main() -> None:
    async with serve(talk, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]

        async def token() -> GatewayToken:
            return {"token": "t", "url": f"ws://127.0.0.1:{port}", "expiresAt": "2999-01-01T00:00:00Z"}

        small = GatewayClient(token, max_dispatches=5)
        slow = small.dispatches()
        # Nobody reads while the frame arrives: of `ready` and eleven announcements five dispatches are kept.
        async with small:
            ends = await numbers(slow)
        client = GatewayClient(token, max_dispatches=SENT, max_commands=2)
        quick = client.dispatches()
        async with client:
            waiting = [asyncio.create_task(outcome(client)) for _ in range(2)]
            await asyncio.sleep(0)
            third = await outcome(client)
            # A caller that is cancelled makes room.
            waiting[0].cancel()
            await asyncio.wait({waiting[0]})
            waiting.append(asyncio.create_task(outcome(client)))
            await asyncio.sleep(0)
        outcomes = [third, *(await asyncio.gather(*waiting[1:]))]
    print(
        json.dumps([ends, await numbers(quick), outcomes, waiting[0].cancelled(), await numbers(client.dispatches())])
    )


asyncio.run(main())
