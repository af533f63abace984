"""
The Python client in a vector: connects to the address of the first argument with the options of the second, does what the lines
of its input say, and prints each thing that the client tells as a line of JSON.
"""

import asyncio
import json
import random
import sys
import time
from typing import Any

import gathercue
from gathercue import CommandRefused, ConnectionClosed, GathercueError, TokenRefused

# Waits are half of the longest.
random.random = lambda: 0.5


def tell(about: str, entry: object) -> None:
    print(json.dumps([about, entry]), flush=True)


def kind_of(cause: BaseException) -> list[Any]:
    if isinstance(cause, ConnectionClosed):
        return ["closed", cause.code]
    return ["token", cause.status] if isinstance(cause, TokenRefused) else ["other", repr(cause)]


def failed(cause: Exception, wait: "float | None") -> None:
    tell("status", ["failed", *kind_of(cause), None if wait is None else round(wait * 1000)])


async def command(client: gathercue.GatewayClient, action: dict[str, Any]) -> None:
    try:
        reply = await client.command(action["t"], action["d"], rev=action.get("rev"), id=action.get("id"))
        outcome = ["accepted", reply.d, reply.dup]
    except CommandRefused as refusal:
        after = None if refusal.retry_after is None else round(refusal.retry_after * 1000)
        outcome = ["refused", refusal.code, refusal.detail, after]
    except gathercue.CommandUnanswered:
        outcome = ["unanswered"]
    tell("replies", [action["label"], outcome])


async def obey(client: gathercue.GatewayClient) -> None:
    """Does what the lines say, until there are no more."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    commands = []
    async for line in lines:
        action = json.loads(line)
        if action is None:
            await client.close()
        elif isinstance(action, int):
            time.sleep(action / 1000)  # noqa: ASYNC251 (nothing else shall run)
        else:
            commands.append(asyncio.create_task(command(client, action)))
    await asyncio.gather(*commands)


async def main(base_url: str, options: dict[str, Any]) -> None:
    # A busy machine is no fault.
    asyncio.get_running_loop().slow_callback_duration = 3600
    client = gathercue.GatewayClient(
        lambda: gathercue.gateway_token(base_url, "e"),
        first_wait=options["firstMs"] / 1000,
        longest_wait=options["longestMs"] / 1000,
        command_timeout=options.get("commandTimeoutMs", 30_000) / 1000,
        hello_timeout=options.get("helloTimeoutMs", 10_000) / 1000,
        mute=options.get("mute", []),
        on_status=lambda status: tell("status", status),
        on_failure=failed,
    )
    dispatches = client.dispatches()
    connecting = asyncio.create_task(client.connect())
    obeying = asyncio.create_task(obey(client))
    try:
        async for dispatch in dispatches:
            d = {"resumed": dispatch.d["resumed"]} if dispatch.t == "ready" else dispatch.d
            tell("dispatches", [dispatch.t, d])
        tell("status", ["ended"])
    except GathercueError as cause:
        tell("status", ["ended", *kind_of(cause)])
    tell("ended", None)
    await asyncio.gather(connecting, return_exceptions=True)
    await obeying
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, left


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
