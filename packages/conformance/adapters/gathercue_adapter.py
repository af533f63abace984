"""The adapter of the Python client: does what the lines of its input say, and tells what the client does."""

import asyncio
import json
import random
import sys
import time
from typing import Any

import gathercue
from gathercue import CommandRefused, ConnectionClosed, GatewayClient, GathercueError, TokenRefused
from gathercue.contract import RELEASE

# Waits are half of the longest.
random.random = lambda: 0.5


def tell(about: str, entry: object = None) -> None:
    print(json.dumps({"tell": about, "entry": entry}), flush=True)


def kind_of(cause: BaseException) -> list[Any]:
    if isinstance(cause, ConnectionClosed):
        return ["closed", cause.code]
    return ["token", cause.status] if isinstance(cause, TokenRefused) else ["other", repr(cause)]


def failed(cause: Exception, wait: "float | None") -> None:
    tell("status", ["failed", *kind_of(cause), None if wait is None else round(wait * 1000)])


def client_of(url: str, options: dict[str, Any]) -> GatewayClient:
    return GatewayClient(
        lambda: gathercue.gateway_token(url, "e"),
        first_wait=options["firstMs"] / 1000,
        longest_wait=options["longestMs"] / 1000,
        command_timeout=options.get("commandTimeoutMs", 30_000) / 1000,
        hello_timeout=options.get("helloTimeoutMs", 10_000) / 1000,
        mute=options.get("mute", []),
        on_status=lambda status: tell("status", status),
        on_failure=failed,
    )


async def follow(client: GatewayClient) -> None:
    dispatches = client.dispatches()
    connecting = asyncio.create_task(client.connect())
    try:
        async for dispatch in dispatches:
            d = {"resumed": dispatch.d["resumed"]} if dispatch.t == "ready" else dispatch.d
            tell("dispatches", [dispatch.t, d])
        tell("status", ["ended"])
    except GathercueError as cause:
        tell("status", ["ended", *kind_of(cause)])
    tell("ended")
    await asyncio.gather(connecting, return_exceptions=True)


async def command(client: GatewayClient, action: dict[str, Any]) -> None:
    try:
        reply = await client.command(action["t"], action["d"], rev=action.get("rev"), id=action.get("id"))
        outcome = ["accepted", reply.d, reply.dup]
    except CommandRefused as refusal:
        after = None if refusal.retry_after is None else round(refusal.retry_after * 1000)
        outcome = ["refused", refusal.code, refusal.detail, after]
    except gathercue.CommandUnanswered:
        outcome = ["unanswered"]
    tell("replies", [action["label"], outcome])


async def main() -> None:
    # A busy machine is no fault.
    asyncio.get_running_loop().slow_callback_duration = 3600
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks: list[asyncio.Task[None]] = []
    client: Any = None
    async for line in lines:
        asked = json.loads(line)
        if asked["cmd"] == "start":
            print(json.dumps({"started": {"name": "gathercue", "version": RELEASE}}), flush=True)
        elif asked["cmd"] == "connect":
            client = client_of(asked["url"], asked["options"])
            tasks = [asyncio.create_task(follow(client))]
        elif asked["cmd"] == "command":
            tasks.append(asyncio.create_task(command(client, asked)))
        elif asked["cmd"] == "close":
            tasks.append(asyncio.create_task(client.close()))
        elif asked["cmd"] == "stall":
            time.sleep(asked["ms"] / 1000)  # noqa: ASYNC251 (nothing else shall run)
        elif asked["cmd"] == "finish":
            await asyncio.gather(*tasks)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            tell("error", repr(left)) if left else tell("finished")


asyncio.run(main())
