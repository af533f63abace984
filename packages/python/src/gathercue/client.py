"""
The client of the live gateway: connects, resumes exactly where it was, detects gaps, keeps the server's time, and executes each
command once however often the connection is lost. Close codes decide the next step; stream positions decide which dispatches
were missed.
"""

import asyncio
import itertools
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, cast

from .clock import ServerClock, local_ms, seconds_of
from .contract import CONTRACT, OP, RELEASE, CommandName, DispatchName, OptOut
from .dispatches import Dispatch, Dispatches, Readers
from .errors import CommandUnanswered, TooManyCommands
from .heartbeat import Heartbeat, cancel
from .link import NO_LINK, Link
from .pending import PendingCommands, Reply
from .retries import LEFT, LOST, Retries, Step, asked_wait
from .streams import Streams
from .tokens import GatewayToken

OTHER_CONTRACT = 4309
"""Close code for a client whose contract differs from the server's."""
TOKEN_MARGIN = 5.0
"""Minimum remaining validity of a token for connecting, in seconds."""
CLOCK_SAMPLES_AT_START = 3
CLOCK_SAMPLE_EVERY = 0.2
LAGGING_ACKS = 2
"""Number of acks with heads ahead of ours after which dispatches count as lost."""
Status = Literal["idle", "connecting", "lobby", "ready", "waiting", "closed"]
"""`lobby`: connected, and a host has to admit the participant. `waiting`: the next attempt follows after a wait."""

log = logging.getLogger("gathercue")


@dataclass(eq=False, repr=False)
class GatewayClient:
    """
    A participant's connection to a live event. `async with` connects and closes it; `async for` reads its dispatches. Times are
    in seconds.

    `token` is called before a connection when the last token has expired, and when the session is about to expire. What it raises
    with an HTTP status of 400 to 499, other than 408, 425 and 429, is final. After any other error the client retries.
    """

    token: Callable[[], Awaitable[GatewayToken]]
    _: KW_ONLY
    name: str = "gathercue-python"
    mute: Sequence[OptOut] = ()
    """Kinds of dispatches that the server must not send."""
    replay: tuple[int, float] | None = None
    """
    Replays an ended event, from so many milliseconds after its start and at this speed, 0 to 16. `token` must give tokens for replays.
    Commands are refused, and `clock` tells the replayed time, which is right at speed 1.
    """
    command_timeout: float = 30.0
    """Wait of a command for its reply, over any number of connections."""
    hello_timeout: float = 10.0
    """Time that an attempt may take, from the call for a token until the server's hello."""
    first_wait: float = 2.0
    """The first attempt after a loss follows after a random part of this, later ones after a random part of its doubles."""
    longest_wait: float = 30.0
    max_commands: int = 1000
    """Commands that wait for their reply; one more raises `TooManyCommands`."""
    max_dispatches: int = 10_000
    """Dispatches that wait for a reader; one more ends it with `DispatchesLost`."""
    on_status: Callable[[Status], None] | None = None
    on_failure: Callable[[Exception, float | None], None] | None = None
    """Called after a failed attempt with its cause and the wait before the next one, which is None when there is none."""

    def __post_init__(self) -> None:
        self.clock = ServerClock()
        self._status: Status = "idle"
        self._streams = Streams()
        self._pending = PendingCommands(self._pump)
        self._retries = Retries(self.first_wait, self.longest_wait)
        self._heartbeat = Heartbeat(self._send_heartbeat, lambda: self._give_up(LOST, "silent"))
        self._readers = Readers(self.max_dispatches)
        self._waiters: set[asyncio.Future[Mapping[str, Any]]] = set()
        self._grant: GatewayToken | None = None
        self._task: asyncio.Task[None] | None = None
        self._attempt: asyncio.Task[tuple[int, str]] | None = None
        self._given_up: tuple[int, str] | None = None
        self._replaying_since: float | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._link: Link | None = None
        self._renewal: asyncio.TimerHandle | None = None
        self._renewing: asyncio.Task[None] | None = None
        self._lagging_acks = 0
        self._is_syncing = False
        self._ids = map(f"{secrets.token_hex(4)}-{{}}".format, itertools.count())

    @property
    def status(self) -> Status:
        return self._status

    @property
    def ready(self) -> Mapping[str, Any] | None:
        """The last full `ready`: the event as it was then. Dispatches tell what has changed since."""
        return self._streams.ready

    @property
    def me(self) -> Mapping[str, Any]:
        """The participant: `role`, `roomId`, and `can`, the commands that are allowed now."""
        return self._streams.me

    async def connect(self) -> Mapping[str, Any]:
        """
        Returns the event at the first `ready`. Raises when the client stops: the refusal of the token, or `ConnectionClosed`. A
        client that waits in the lobby has the status `lobby` until a host admits it.
        """
        if self._status == "ready" and self.ready is not None:
            return self.ready
        waiter: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        if self._status in ("idle", "closed"):
            self._set_status("connecting")
            self._task = asyncio.create_task(self._run())
        try:
            return await waiter
        finally:
            self._waiters.discard(waiter)

    async def close(self) -> None:
        """
        Closes the connection, and does not connect again. The server treats that as a loss: the command `leave` ends what the
        participant holds.
        """
        self._finish(self._retries.closed(LEFT, "left"), by_caller=True)
        for task in (self._task, self._attempt):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})

    async def __aenter__(self) -> "GatewayClient":  # noqa: PYI034 (`Self` needs Python 3.11)
        try:
            await self.connect()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def dispatches(self) -> Dispatches:
        """Every dispatch from now on, also before `connect`. Each reader gets all of them."""
        return self._readers.another(is_over=self._status == "closed")

    def __aiter__(self) -> Dispatches:
        return self.dispatches()

    async def command(
        self, t: CommandName, d: Mapping[str, Any] | None = None, *, rev: int | None = None, id: str | None = None
    ) -> Reply:
        """
        Sends a command and returns its reply. Raises `CommandRefused` when the server refuses it and `CommandUnanswered` when no
        reply arrived in time. It is sent again under its id after a lost connection, and executed once. `rev` is the revision of
        the entity that the caller saw.
        """
        if self._status == "closed":
            raise CommandUnanswered("the client has stopped: connect again")
        if len(self._pending) >= self.max_commands:
            raise TooManyCommands(f"{self.max_commands} commands wait for their reply")
        return await self._ask(t, d or {}, next(self._ids) if id is None else id, rev)

    def _ask(self, t: str, d: Mapping[str, Any], id: str, rev: int | None = None) -> "asyncio.Future[Reply]":
        frame = {"op": OP["command"], "id": id, "t": t, "d": d, **({} if rev is None else {"rev": rev})}
        reply = self._pending.add(id, _text(frame), self.command_timeout)
        self._pump()
        return reply

    async def _token(self) -> GatewayToken:
        kept = self._grant
        if kept is not None and seconds_of(kept["expiresAt"]) - TOKEN_MARGIN > self._now():
            return kept
        self._grant = await self.token()
        return self._grant

    def _set_status(self, status: Status) -> None:
        if self._status == status:
            return
        self._status = status
        self._tell(self.on_status, status)

    def _tell(self, listener: Callable[..., None] | None, *values: object) -> None:
        """A listener that raises does not disturb the protocol's work."""
        try:
            if listener is not None:
                listener(*values)
        except Exception as error:  # noqa: BLE001
            context = {"message": "a listener of a GatewayClient raised", "exception": error}
            asyncio.get_running_loop().call_exception_handler(context)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._set_status("connecting")
            self._given_up = None
            self._attempt = asyncio.create_task(self._connection())
            self._deadline = loop.call_later(self.hello_timeout, self._give_up, LOST, "no hello")
            try:
                await asyncio.wait({self._attempt})
            finally:
                self._drop()
            step = self._step_after(self._attempt)
            if step.wait is None:
                self._finish(step)
                return
            if step.needs_token:
                self._grant = None
            is_failed = self._status == "connecting"
            self._set_status("waiting")
            if is_failed:
                self._tell(self.on_failure, step.cause, step.wait)
            await asyncio.sleep(step.wait)

    def _step_after(self, attempt: "asyncio.Task[tuple[int, str]]") -> Step:
        if self._given_up is not None:
            return self._retries.closed(*self._given_up)
        # An attempt that others cancelled counts as lost.
        cause = ConnectionAbortedError("cancelled") if attempt.cancelled() else attempt.exception()
        if cause is None:
            return self._retries.closed(*attempt.result())
        if self._status != "connecting":
            log.error("a connection has failed", exc_info=cause)
        return self._retries.failed(cast(Exception, cause))

    async def _connection(self) -> tuple[int, str]:
        """One connection from its token to its end. Returns how it closed; raises when there was no token."""
        grant = await self._token()
        try:
            link = self._link = await Link.open(grant["url"])
        except NO_LINK as cause:
            self._retries.ask(asked_wait(cause))
            return LOST, str(cause)
        try:
            while self._given_up is None and (text := await link.receive()) is not None:
                self._receive(text, grant)
        finally:
            await link.close(is_dead=self._given_up is not None and self._given_up[0] == LOST)
        return link.end

    def _give_up(self, code: int, reason: str) -> None:
        """Ends a connection that the server did not close; what still arrives over it is ignored."""
        if self._attempt is None or self._given_up is not None:
            return
        # The current network may differ from that of the dead link, so the first attempt does not wait.
        if code == LOST and self._status != "connecting":
            self._retries.ask(0)
        self._given_up = (code, reason)
        self._attempt.cancel()

    def _pump(self) -> None:
        if self._status == "ready":
            self._pending.pump(self._send)

    def _send(self, text: str) -> None:
        try:
            if self._link is not None:
                self._link.send(text)
        except asyncio.QueueFull:
            self._give_up(LOST, "stalled")

    def _receive(self, text: str, grant: GatewayToken) -> None:
        self._heartbeat.heard()
        frame = json.loads(text)
        for received in frame if isinstance(frame, list) else [frame]:
            if self._given_up is None:
                self._handle(received, grant)

    def _handle(self, frame: Mapping[str, Any], grant: GatewayToken) -> None:
        op, d = frame["op"], frame.get("d", {})
        if op == OP["dispatch"]:
            self._take(frame)
        elif op == OP["reply"]:
            self._pending.settle(frame)
            self._pump()
        elif op == OP["hello"]:
            self._greet(d, grant)
        elif op == OP["heartbeatAck"]:
            self._acknowledge(d)
        elif op == OP["reconnect"]:
            self._retries.ask(d["afterMs"] / 1000)
        elif op == OP["error"] and "retryAfterMs" in d:
            # The server temporarily could not check a new token: of the frames without an id only this one is sent again.
            cancel(self._renewal)
            self._renewal = asyncio.get_running_loop().call_later(d["retryAfterMs"] / 1000, self._renew)

    def _greet(self, hello: Mapping[str, Any], grant: GatewayToken) -> None:
        if hello.get("contract", CONTRACT) != CONTRACT:
            self._give_up(OTHER_CONTRACT, f"client {RELEASE}, server {hello.get('release')}")
            return
        client = {"name": self.name, "version": RELEASE, "contract": CONTRACT}
        identity: dict[str, Any] = {"token": grant["token"], "client": client}
        if self.mute:
            identity["mute"] = self.mute
        if self.replay is not None:
            identity["replay"] = self._place(*self.replay)
        elif self.ready is not None:
            identity["resume"] = self._streams.resume
        self._send(_text({"op": OP["identify"], "d": identity}))
        cancel(self._deadline)
        self._heartbeat.start(hello["heartbeatMs"] / 1000)

    def _now(self) -> float:
        """Unix seconds. The clock of a replay tells a time of the past."""
        return self.clock.now() if self.replay is None else local_ms() / 1000

    def _place(self, start: int, speed: float) -> Mapping[str, float]:
        """A replay goes on at its speed also without a connection."""
        since = local_ms() if self._replaying_since is None else self._replaying_since
        return {"from": round(start + (local_ms() - since) * speed), "speed": speed}

    def _send_heartbeat(self) -> None:
        self._send(_text({"op": OP["heartbeat"], "d": {"t0": local_ms()}}))

    def _acknowledge(self, ack: Mapping[str, Any]) -> None:
        self.clock.add(ack["t0"], ack["t1"], ack["t2"], local_ms())
        if self.clock.samples < CLOCK_SAMPLES_AT_START:
            self._heartbeat.beat_after(CLOCK_SAMPLE_EVERY)
        self._lagging_acks = self._lagging_acks + 1 if self._streams.behind(ack["heads"]) else 0
        if self._lagging_acks >= LAGGING_ACKS:
            self._sync()

    def _take(self, frame: Mapping[str, Any]) -> None:
        t, d, st, s = frame["t"], frame.get("d", {}), frame.get("st"), frame.get("s")
        if t == "ready":
            self._begin(d)
        if st is not None and s is not None:
            place = self._streams.place(st, s)
            if place == "gap":
                # The following dispatches wait for the server's replay.
                self._sync()
            if place != "next":
                return
        self._streams.follow(t, d)
        if t == "tokenExpiring":
            self._renew()
        elif t == "lobby.status" and d["state"] == "waiting":
            self._set_status("lobby")
        self._readers.put(Dispatch(cast(DispatchName, t), d, frame.get("v", 0), frame.get("ts", 0), st))

    def _begin(self, ready: Mapping[str, Any]) -> None:
        self._streams.begin(ready)
        if self._replaying_since is None:
            self._replaying_since = local_ms()
        self._is_syncing = False
        self._lagging_acks = 0
        if self._status == "ready":
            return
        self._retries.reset()
        self._set_status("ready")
        self._pump()
        self._heartbeat.beat()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(self.ready or ready)

    def _sync(self) -> None:
        """Requests the missed dispatches; the server replays them or sends a full `ready`."""
        if self._is_syncing:
            return
        self._is_syncing = True
        self._lagging_acks = 0

        def answered(reply: "asyncio.Future[Reply]") -> None:
            self._is_syncing = False
            if not reply.cancelled():
                reply.exception()

        self._ask("sync", self._streams.resume, next(self._ids)).add_done_callback(answered)

    def _renew(self) -> None:
        async def renew() -> None:
            self._grant = None
            try:
                token = (await self._token())["token"]
            except Exception:
                # The session ends; the following close makes the client fetch a new token.
                log.warning("a new token could not be fetched", exc_info=True)
            else:
                self._send(_text({"op": OP["token"], "d": {"token": token}}))

        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(renew())

    def _drop(self) -> None:
        """Abandons the current attempt or connection."""
        cancel(self._deadline)
        cancel(self._renewal)
        if self._renewing is not None:
            self._renewing.cancel()
        self._heartbeat.stop()
        self._link = None
        self._pending.unsend()

    def _finish(self, step: Step, by_caller: bool = False) -> None:
        if self._status == "closed":
            return
        is_failed = self._status == "connecting" and not by_caller
        self._drop()
        self._set_status("closed")
        self._pending.abandon(f"the connection has ended: {step.code} {step.reason}")
        if is_failed:
            self._tell(self.on_failure, step.cause, None)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(step.cause)
        self._readers.end(None if by_caller else step.cause)


def _text(frame: Mapping[str, Any]) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
