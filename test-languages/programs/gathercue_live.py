"""
A first live event from Python: a host acts over REST, a participant is connected by the client through a relay that cuts every
connection in the middle. Prints what the participant saw.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen
from uuid import uuid4

from gathercue import CommandRefused, ConnectionClosed, Dispatches, GatewayClient, GatewayToken, Status, gateway_token

URL, KEY = sys.argv[1:]


def rest(method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    headers = {"x-api-key": KEY, "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{URL}/v1{path}", data, headers, method=method)) as response:
        text = response.read()
        return json.loads(text) if text else None


async def host(event_id: str, t: str, d: Mapping[str, Any]) -> None:
    await asyncio.to_thread(rest, "POST", f"/events/{event_id}/commands", {"t": t, "d": d})


class Relay:
    """Hands bytes on to the server. After `cut` no connection lives, and none is accepted until `mend`."""

    def __init__(self) -> None:
        self._writers: set[asyncio.StreamWriter] = set()
        self._is_cut = False

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self.cut()
        self._server.close()
        await self._server.wait_closed()

    def cut(self) -> None:
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        self._is_cut = False

    def through(self, token: GatewayToken) -> GatewayToken:
        address = urlsplit(token["url"])
        return {**token, "url": urlunsplit(address._replace(netloc=f"127.0.0.1:{self.port}"))}

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        target = urlsplit(URL)
        far_reader, far_writer = await asyncio.open_connection(target.hostname, target.port)
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
        self._writers.discard(writer)


async def seen(dispatches: Dispatches, name: str, key: str, last: str) -> list[str]:
    """The announcements, messages or phases up to one of them."""
    found: list[str] = []
    async for dispatch in dispatches:
        if dispatch.t == name:
            value = dispatch.d
            for part in key.split("."):
                value = value[part]
            found.append(str(value))
            if found[-1] == last:
                break
    return found


async def main() -> None:
    asyncio.get_running_loop().slow_callback_duration = 3600
    phases = [{"modality": modality, "featureSet": ["chat"]} for modality in ("meeting", "broadcast", "meeting")]
    kept = {"visibility": "private", "history": "kept"}
    event = rest("POST", "/events", {"type": "webinar", "title": "First", "phases": phases, **kept})
    rest("POST", f"/events/{event['id']}/publish")
    rest("POST", f"/events/{event['id']}/start")
    user = rest("POST", "/users", {"externalSub": str(uuid4()), "name": "Ada"})
    rest("POST", f"/events/{event['id']}/memberships", {"userId": user["id"], "role": "participant"})
    session = rest("POST", f"/users/{user['id']}/session")["sessionToken"]

    statuses: list[Status] = []
    async with Relay() as relay:

        async def token() -> GatewayToken:
            return relay.through(await gateway_token(URL, event["id"], session))

        client = GatewayClient(token, name="live", first_wait=0.2, longest_wait=1.0, on_status=statuses.append)
        async with client:
            assert client.ready is not None and client.ready["event"]["title"] == "First"
            told, chats, starts, all_of_them = (client.dispatches() for _ in range(4))
            sent = await client.command("chat.send", {"to": "event", "text": "before"})
            await host(event["id"], "announce", {"text": "one"})
            await host(event["id"], "phase.next", {})
            relay.cut()
            # What is done meanwhile arrives after the resume; what is sent meanwhile is sent then, once.
            await host(event["id"], "announce", {"text": "two"})
            await host(event["id"], "phase.next", {})
            meanwhile = asyncio.create_task(client.command("chat.send", {"to": "event", "text": "meanwhile"}))
            await host(event["id"], "announce", {"text": "three"})
            relay.mend()
            reply = await meanwhile
            await host(event["id"], "announce", {"text": "last"})
            refusal = ""
            try:
                await client.command("phase.next")
            except CommandRefused as refused:
                refusal = refused.code
            announcements = await seen(told, "announcement", "text", "last")
            await client.command("chat.send", {"to": "event", "text": "after"})
            texts = await seen(chats, "chat.message", "message.text", "after")
            modalities = await seen(starts, "phase.started", "phase.modality", "meeting")
            resumed = [dispatch.d["resumed"] async for dispatch in upto(all_of_them) if dispatch.t == "ready"]
            same = reply.d["message"]["text"] == "meanwhile" and sent.d["message"]["text"] == "before"
            assert abs(client.clock.offset) < 3600
    rest("POST", f"/events/{event['id']}/end")
    replayed = await replay(event["id"], session)
    print(json.dumps([announcements, texts, modalities, resumed, refusal, same, statuses, replayed]))


async def replay(event_id: str, session: str) -> Any:
    """The announcements of the whole event, played again at the highest speed, and the code that ends it."""
    announcements: list[str] = []
    client = GatewayClient(lambda: gateway_token(URL, event_id, session, replay=True), replay=(0, 16))
    async with client:
        assert client.ready is not None and client.ready["phases"][0]["status"] == "pending"
        try:
            async for dispatch in client.dispatches():
                if dispatch.t == "announcement":
                    announcements.append(dispatch.d["text"])
        except ConnectionClosed as closed:
            return [announcements, closed.code]


async def upto(dispatches: Dispatches) -> Any:
    """The dispatches until the resume is complete."""
    async for dispatch in dispatches:
        yield dispatch
        if dispatch.t == "caughtUp":
            return


asyncio.run(main())
