/**
 * The reference client of the live gateway, for browsers and Node: connects, resumes exactly where it was, detects gaps, keeps the server's
 * time, and executes each command once however often the connection is lost. Close codes decide the next step; stream positions decide
 * which dispatches were missed.
 */

import type { GatewayClientOptions, GatewayToken, ReplayOptions } from "./client-options.ts"
import { Dialer, type Link, type Transport } from "./connection/dialer.ts"
import { Emitter } from "./connection/emitter.ts"
import { HeartbeatTimer } from "./connection/heartbeat.ts"
import { CommandUnanswered, PendingCommands } from "./connection/pending-commands.ts"
import { endOf, type Next, Retries } from "./connection/retries.ts"
import { ServerClock } from "./connection/server-clock.ts"
import { StreamPositions } from "./connection/stream-positions.ts"
import { CONTRACT, OP, RELEASE } from "./contract/op.ts"
import type { ErrorFrame, HeartbeatAck, Hello, Ready, Reconnect } from "./contract/types.ts"
import { applyDispatch, applyReply, type EventState, stateOf } from "./state/event-state.ts"
import type {
  CommandData,
  CommandName,
  CommandReply,
  ConnectionStatus,
  Dispatch,
  DispatchData,
  DispatchName,
  ServerObject,
} from "./wire.ts"

/** Events in addition to every dispatch by its name. */
interface ClientEvents {
  readonly status: ConnectionStatus
  /** Every applied dispatch, in order, each once. */
  readonly dispatch: Dispatch
  /** State, once after each frame that changed it. */
  readonly state: EventState
  /** Every connection that became ready, resumed or not. */
  readonly connected: Ready
  /** The next attempts use another transport: none of the last ones brought a hello, or a stream was lost and a WebSocket may work now. */
  readonly transport: Transport
  /** A failed connection attempt. `retryInMs` is the wait before the next one; null when there is none. */
  readonly error: { readonly cause: unknown; readonly retryInMs: number | null }
  /**
   * The client has stopped for good: the code of the last close, or 0 if the token was refused. `cause` is what `connect` rejects with;
   * absent after `close()`.
   */
  readonly closed: { readonly code: number; readonly reason: string; readonly cause?: unknown }
}

type DispatchEvents = { readonly [T in DispatchName]: DispatchData<T> }

/** Close code for a client whose contract differs from the server's. */
const OTHER_CONTRACT = 4309
const DEFAULT_COMMAND_TIMEOUT_MS = 30_000
/** Minimum remaining validity of a token for connecting. */
const TOKEN_MARGIN_MS = 5000
const CLOCK_SAMPLES_AT_START = 3
const CLOCK_SAMPLE_EVERY_MS = 200
/** Time after which an attempt without a hello is given up: some links neither open nor close. */
const HELLO_TIMEOUT_MS = 10_000
const NO_HELLO = "no hello"
/** Close code reported by the platform for a connection lost without a close frame (RFC 6455, section 7.1.5). */
const LOST_WITHOUT_A_WORD = 1006
/** Shorter deadline for the answer to a heartbeat after a sign of a changed network. */
const LOOK_WITHIN_MS = 3000
/** Close code of a client that leaves: presence ends at once. */
const LEFT = 1000
/** Number of acks with heads ahead of ours after which dispatches count as lost. */
const LAGGING_ACKS = 2

/** The server takes whole milliseconds from 0 on, while players report fractions, and a clock may be put back. */
const placeOf = ({ from, speed, since }: { from: number; speed: number; since?: number }) => ({
  from: Math.max(0, Math.round(since === undefined ? from : from + (Date.now() - since) * speed)),
  speed,
})

export class GatewayClient {
  readonly clock = new ServerClock()
  readonly #options: GatewayClientOptions
  readonly #events = new Emitter<ClientEvents & DispatchEvents>()
  readonly #pending = new PendingCommands(() => this.#pump())
  readonly #retries: Retries
  readonly #dialer: Dialer
  /** The current attempt has begun and brought no hello yet. */
  #isDialing = false
  #positions = new StreamPositions()
  #state: EventState | undefined
  /** State last passed to listeners. */
  #told: EventState | undefined
  #status: ConnectionStatus = "idle"
  #socket: Link | undefined
  /** The place advances at its speed from the time `since`, also without a connection: the next connection begins there. */
  #replay: { readonly from: number; readonly speed: number; readonly since?: number } | undefined
  /** Last token, while it may open another connection. */
  #grant: GatewayToken | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  readonly #heartbeat = new HeartbeatTimer(
    () => this.#sendHeartbeat(),
    () => this.#giveUp("silent"),
  )
  #helloDeadline: ReturnType<typeof setTimeout> | undefined
  #renewal: ReturnType<typeof setTimeout> | undefined
  /** Number of the current attempt: the results of earlier ones are ignored. */
  #try = 0
  #laggingAcks = 0
  #syncing = false
  #nextId = 0
  readonly #idPrefix = Math.random().toString(36).slice(2, 10)

  constructor(options: GatewayClientOptions) {
    this.#options = options
    this.#retries = new Retries(options.backoff)
    this.#dialer = new Dialer(options.transport, options.WebSocket)
    if (options.replay !== undefined) this.#goTo(options.replay)
  }

  get status(): ConnectionStatus {
    return this.#status
  }

  /** The transport of the current connection, or of the next attempt. */
  get transport(): Transport {
    return this.#dialer.current
  }

  /** Current state of the event; `undefined` until the first `ready`. */
  get state(): EventState | undefined {
    return this.#state
  }

  /** Adds a listener; returns a function that removes it. */
  get on(): Emitter<ClientEvents & DispatchEvents>["on"] {
    return this.#events.on
  }

  /**
   * Resolves at the first `ready`. Rejects when the client stops: with the `RestProblem` that refused the token, or with
   * `ConnectionClosed`. Each earlier failed attempt is an `error` event. A client that waits in the lobby has the status `lobby` until a
   * host admits it.
   */
  connect(): Promise<EventState> {
    return new Promise((resolve, reject) => {
      if (this.#status === "ready" && this.#state !== undefined) return resolve(this.#state)
      const stopReady = this.on("connected", () => {
        stopReady()
        stopClosed()
        if (this.#state !== undefined) resolve(this.#state)
      })
      const stopClosed = this.on("closed", ({ code, reason, cause = endOf(code, reason) }) => {
        stopReady()
        stopClosed()
        reject(cause)
      })
      if (this.#status === "idle" || this.#status === "closed") {
        this.#heartbeat.watch((sign) => this.#look(sign))
        this.#open()
      }
      return undefined
    })
  }

  /** Replays from another place, or at another speed, also after the end of a replay. Resolves at the state of that place. */
  replay(place: ReplayOptions): Promise<EventState> {
    this.#goTo(place)
    clearTimeout(this.#retry)
    this.#drop()
    if (this.#status !== "idle" && this.#status !== "closed") this.#open()
    return this.connect()
  }

  #goTo(place: ReplayOptions): void {
    this.#replay = { speed: 1, ...place }
    this.clock.restart(this.#replay.speed)
  }

  /**
   * Closes the connection, and does not connect again. The server treats that as a loss, as when a page is reloaded: the command `leave`
   * ends what the participant holds.
   */
  close(): void {
    this.#finish(LEFT, "left")
  }

  /**
   * Sends a command and resolves with its reply. Rejects with `CommandRefused` when the server refuses it and with `CommandUnanswered` when
   * no reply arrived in time. `rev` is the revision of the entity that the caller saw.
   */
  command<T extends CommandName>(
    t: T,
    d: CommandData<T>,
    options: { readonly rev?: number; readonly id?: string } = {},
  ): Promise<CommandReply<T>> {
    if (this.#status === "closed") return Promise.reject(new CommandUnanswered("the client has stopped: connect again"))
    const id = options.id ?? `${this.#idPrefix}-${this.#nextId++}`
    const rev = options.rev === undefined ? {} : { rev: options.rev }
    const frame = JSON.stringify({ op: OP.command, id, t, d, ...rev })
    const reply = this.#pending.add(t, id, frame, this.#options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS)
    this.#pump()
    return reply as Promise<CommandReply<T>>
  }

  async #token(): Promise<GatewayToken> {
    const kept = this.#grant
    // The clock of a replay tells a time of the past.
    const now = this.#replay === undefined ? this.clock.now() : Date.now()
    if (kept !== undefined && Date.parse(kept.expiresAt) - TOKEN_MARGIN_MS > now) return kept
    this.#grant = await this.#options.token()
    return this.#grant
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status) return
    this.#status = status
    this.#events.emit("status", status)
  }

  #open(): void {
    const number = ++this.#try
    this.#setStatus("connecting")
    clearTimeout(this.#helloDeadline)
    this.#helloDeadline = setTimeout(() => this.#giveUp(NO_HELLO), this.#options.helloTimeoutMs ?? HELLO_TIMEOUT_MS)
    Promise.all([this.#token(), this.#dialer.prepare()])
      .then(([grant, open]) => {
        if (number === this.#try && this.#status === "connecting")
          this.#dial(grant, open(grant.url, this.#identity(grant)))
      })
      .catch((cause: unknown) => {
        if (number === this.#try && this.#status === "connecting") this.#failed(cause)
      })
  }

  /** Handles a missing connection whose reason is not a close of the server. */
  #failed(cause: unknown): void {
    this.#drop()
    this.#goOn(this.#retries.failed(cause), 0, String(cause))
  }

  /** Checks the connection at a sign that it may be dead, or that another attempt may succeed now. */
  #look(sign: string): void {
    if (this.#status === "ready" || this.#status === "lobby") this.#heartbeat.beat(LOOK_WITHIN_MS)
    else if (!this.#retries.mustWait && (this.#status === "waiting" || sign === "online")) {
      clearTimeout(this.#retry)
      this.#drop()
      this.#open()
    }
  }

  #dial(grant: GatewayToken, socket: Link): void {
    this.#socket = socket
    this.#isDialing = true
    const current =
      <A>(listener: (value: A) => void) =>
      (value: A) => {
        if (this.#socket === socket) listener(value)
      }
    socket.addEventListener(
      "message",
      current(({ data }) => this.#receive(String(data), grant)),
    )
    socket.addEventListener(
      "close",
      current(({ code, reason }) => this.#lost(code, reason)),
    )
    // An error is always followed by a close, which decides the next step.
    socket.addEventListener("error", () => {})
  }

  #pump(): void {
    if (this.#status === "ready") this.#pending.pump((frame) => this.#send(frame))
  }

  #send(text: string): void {
    const OPEN = 1
    if (this.#socket?.readyState === OPEN) this.#socket.send(text)
  }

  #receive(text: string, grant: GatewayToken): void {
    this.#heartbeat.heard()
    const frame = JSON.parse(text) as ServerObject | ReadonlyArray<ServerObject>
    // A busy event packs many dispatches into a frame: listeners render the state once for all of them.
    for (const object of Array.isArray(frame) ? frame : [frame as ServerObject]) this.#handle(object, grant)
    if (this.#state === undefined || this.#state === this.#told) return
    this.#told = this.#state
    this.#events.emit("state", this.#state)
  }

  #handle(object: ServerObject, grant: GatewayToken): void {
    switch (object.op) {
      case OP.hello:
        this.#greet(object.d as Hello["d"], grant)
        break
      case OP.dispatch:
        this.#take(object)
        break
      case OP.reply:
        this.#settle(object)
        break
      case OP.heartbeatAck:
        this.#acknowledge(object.d as HeartbeatAck["d"])
        break
      case OP.reconnect:
        this.#retries.ask((object.d as Reconnect["d"]).afterMs)
        break
      case OP.error:
        this.#renewLater(object.d as ErrorFrame["d"])
        break
      default:
    }
  }

  #identity({ token }: GatewayToken) {
    const resume = this.#state === undefined ? {} : { resume: this.#positions.resume }
    const begin = this.#replay === undefined ? resume : { replay: placeOf(this.#replay) }
    const client = { name: this.#options.name ?? "gathercue-client", version: RELEASE, contract: CONTRACT }
    const mute = this.#options.mute === undefined ? {} : { mute: this.#options.mute }
    return { token, client, ...mute, ...begin }
  }

  #greet(hello: Hello["d"], grant: GatewayToken): void {
    this.#isDialing = false
    this.#dialer.greeted()
    if ((hello.contract ?? CONTRACT) !== CONTRACT) {
      this.#lost(OTHER_CONTRACT, `client ${RELEASE}, server ${hello.release}`)
      return
    }
    // A stream was opened with it.
    if (hello.session === undefined) this.#send(JSON.stringify({ op: OP.identify, d: this.#identity(grant) }))
    clearTimeout(this.#helloDeadline)
    this.#heartbeat.start(hello.heartbeatMs)
  }

  /** Gives up a dead link that nothing closed; later events of this socket are ignored. */
  #giveUp(reason: string): void {
    // The current network may differ from that of the dead link, so the first attempt does not wait.
    if (this.#status !== "connecting") this.#retries.ask(0)
    this.#lost(LOST_WITHOUT_A_WORD, reason)
  }

  #sendHeartbeat(): void {
    this.#send(JSON.stringify({ op: OP.heartbeat, d: { t0: Date.now() } }))
  }

  #acknowledge({ t0, t1, t2, heads }: HeartbeatAck["d"]): void {
    this.clock.add(t0, t1, t2, Date.now())
    if (this.clock.samples < CLOCK_SAMPLES_AT_START) this.#heartbeat.beatAfter(CLOCK_SAMPLE_EVERY_MS)
    this.#laggingAcks = this.#positions.behind(heads) ? this.#laggingAcks + 1 : 0
    if (this.#laggingAcks >= LAGGING_ACKS) this.#sync()
  }

  #settle(object: ServerObject): void {
    const answered = this.#pending.settle(object as Parameters<PendingCommands["settle"]>[0])
    if (answered !== undefined && this.#state !== undefined) this.#state = applyReply(this.#state, answered)
    this.#pump()
  }

  #take({ t, d, v = 0, ts = 0, st, s }: ServerObject): void {
    const dispatch = { t, d, v, ts, st } as Dispatch
    if (dispatch.t === "ready") this.#begin(dispatch.d)
    if (!this.#isNext(st, s)) return
    if (dispatch.t === "subscribed") this.#positions.follow(dispatch.d.cursors, dispatch.d.dropped)
    if (this.#state !== undefined && dispatch.t !== "ready") this.#state = applyDispatch(this.#state, dispatch)
    if (dispatch.t === "tokenExpiring") this.#renew()
    if (dispatch.t === "lobby.status" && dispatch.d.state === "waiting") this.#setStatus("lobby")
    this.#events.emit("dispatch", dispatch)
    this.#events.emit(dispatch.t, dispatch.d)
  }

  /** Whether an ordered dispatch is the next of its stream. After a gap, dispatches wait for the server's replay. */
  #isNext(st: string | undefined, s: number | undefined): boolean {
    if (st === undefined || s === undefined) return true
    const place = this.#positions.place(st, s)
    if (place === "gap") this.#sync()
    return place === "next"
  }

  #begin(ready: Ready): void {
    if (ready.resumed) {
      const { me, media = this.#state?.media ?? null, encoder = null } = ready
      if (this.#state !== undefined) this.#state = { ...this.#state, me, media, encoder }
    } else {
      this.#positions = new StreamPositions(ready.epoch, ready.cursors)
      // A replay that goes back must not keep later captions.
      this.#state = stateOf(ready, this.#replay === undefined ? this.#state : undefined)
      const now = Date.now()
      if (this.#replay !== undefined) {
        this.#replay = { ...placeOf(this.#replay), since: now }
        // Countdowns of a replay are right from the start.
        this.clock.add(now, ready.serverTime, ready.serverTime, now)
      }
    }
    this.#syncing = false
    this.#laggingAcks = 0
    if (this.#status === "ready") return
    this.#retries.reset()
    this.#setStatus("ready")
    this.#pump()
    this.#heartbeat.beat()
    this.#events.emit("connected", ready)
  }

  /** Requests the missed dispatches; the server replays them or sends a snapshot. */
  #sync(): void {
    if (this.#syncing) return
    this.#syncing = true
    this.#laggingAcks = 0
    const { epoch, cursors } = this.#positions.resume
    this.command("sync", { epoch, cursors }).then(
      () => {
        this.#syncing = false
      },
      () => {
        this.#syncing = false
      },
    )
  }

  #renew(): void {
    this.#grant = undefined
    this.#token().then(
      ({ token }) => this.#send(JSON.stringify({ op: OP.token, d: { token } })),
      // The session ends; the following close makes the client fetch a new token.
      () => {},
    )
  }

  /** The server could not check a new token for now. No other frame without an id is sent again. */
  #renewLater({ retryAfterMs }: ErrorFrame["d"]): void {
    if (retryAfterMs === undefined) return
    clearTimeout(this.#renewal)
    this.#renewal = setTimeout(() => this.#renew(), retryAfterMs)
  }

  #lost(code: number, reason: string): void {
    const isOther = this.#isDialing ? this.#dialer.failed(reason === NO_HELLO) : this.#dialer.lost()
    this.#drop()
    if (isOther) this.#events.emit("transport", this.transport)
    const next = this.#retries.closed(code, reason)
    if (next.needsToken) this.#grant = undefined
    this.#goOn(next, code, reason)
  }

  /** Abandons the current attempt or connection. */
  #drop(): void {
    this.#try++
    this.#isDialing = false
    clearTimeout(this.#helloDeadline)
    clearTimeout(this.#renewal)
    this.#heartbeat.stop()
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    this.#pending.unsend()
  }

  /** Continues without a connection: another attempt, or the end. */
  #goOn({ cause, retryInMs }: Next, code: number, reason: string): void {
    if (retryInMs === null) {
      this.#finish(code, reason, cause)
      return
    }
    const isFailedTry = this.#status === "connecting"
    this.#retry = setTimeout(() => this.#open(), retryInMs)
    this.#setStatus("waiting")
    if (isFailedTry) this.#events.emit("error", { cause, retryInMs })
  }

  #finish(code: number, reason: string, cause?: unknown): void {
    if (this.#status === "closed") return
    const isFailedTry = this.#status === "connecting" && cause !== undefined
    clearTimeout(this.#retry)
    this.#heartbeat.end()
    this.#socket?.close(LEFT)
    this.#drop()
    this.#setStatus("closed")
    this.#pending.abandon(`the connection has ended: ${code} ${reason}`)
    if (isFailedTry) this.#events.emit("error", { cause, retryInMs: null })
    this.#events.emit("closed", { code, reason, ...(cause === undefined ? {} : { cause }) })
  }
}
