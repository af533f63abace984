/**
 * One event with its local connections. Admits them, keeps their streams whole, and lets them go when the event says so.
 * Invariant: a connection gets `ready` with its cursors, then whatever was published after them, and is subscribed in the
 * same turn, so that nothing is lost or doubled between the three.
 */
import { Effect, Fiber } from "effect"
import type { NotFound, Unavailable } from "../model/errors.ts"
import { EventRole, isStaff } from "../model/roles.ts"
import { Budgets } from "./budget.ts"
import type { Connection, Identity } from "./connection.ts"
import { FanOut } from "./fan-out.ts"
import { Follower, STREAMS, type StreamName } from "./follower.ts"
import { Participants } from "./participants.ts"
import { PresenceReports } from "./presence-reports.ts"
import { CLOSE, type CloseCode } from "./protocol/close-codes.ts"
import type { ReadyReason } from "./protocol/dispatches.ts"
import type { Resume } from "./protocol/frames.ts"
import { type Cursors, cursorsOf, readyResumed, readyWithSnapshot, standingOf, streamsOf } from "./ready.ts"
import { sendAll } from "./send-all.ts"
import { closeGradually } from "./send-off.ts"
import type { Surroundings } from "./surroundings.ts"

/** A connection that is to be told where it stands: from what it held, or with a snapshot for the given reason. */
interface Bring {
  readonly connection: Connection
  readonly resume: Resume | undefined
  readonly reason: ReadyReason
}

/** How long an event that needs no watching is left alone before it is asked again to stay in memory. */
const RESIDE_PAUSE = "15 seconds"

export class Channel {
  readonly eventId: string
  readonly participants: Participants
  readonly budgets: Budgets
  readonly #around: Surroundings
  readonly #presence: PresenceReports
  readonly #follower: Follower
  readonly #fanOut: FanOut
  #residence: Fiber.Fiber<void> | undefined
  readonly #onDead: () => void
  /** `ended`: everyone is being sent away. `dead`: it could not be opened. */
  #state: "opening" | "open" | "ended" | "dead" = "opening"
  #waiting: Bring[] = []
  /** Since when nobody is here; `undefined` while somebody is. */
  #emptySince: number | undefined = Date.now()
  /** The version up to which everything has been published. */
  #shown = 0
  #stopSendOff: (() => void) | undefined

  constructor(around: Surroundings, eventId: string, onDead: () => void) {
    const { options } = around
    this.#around = around
    this.eventId = eventId
    this.#onDead = onDead
    this.participants = new Participants(options.connectionsPerParticipant)
    this.budgets = new Budgets(options.commands, options.staffFactor)
    this.#presence = new PresenceReports(around, eventId)
    this.#fanOut = new FanOut({
      publish: around.publish,
      topic: (stream) => this.#topic(stream),
      ephemeralTopic: (stream) => `${this.#topic(stream)}~`,
      tickMs: () => options.tickMs(this.participants.size),
      inspect: () => this.inspect(),
      flushed: () => {
        this.#shown = this.#follower.version
      },
    })
    this.#follower = new Follower(around, eventId, {
      opened: () => this.#opened(),
      failed: (failure) => this.#failed(failure),
      published: (stream, frame) => this.#fanOut.ordered(stream, frame),
      ephemeral: (stream, key, frame) => this.#fanOut.ephemeral(stream, key, frame),
      narrowed: () => this.#narrow(),
      removed: (participantId) => this.#closeAll(this.participants.connectionsOf(participantId), CLOSE.removed),
      ended: () => this.#end(),
      restarted: (reason) => this.#restart(reason),
      refreshed: () => this.#serveWaiting(),
      settled: () => this.#fanOut.schedule(Date.now()),
      actorWoke: () => {
        for (const identity of this.participants.identities()) this.#presence.joined(identity)
      },
    })
  }

  /** Begins to follow the event; who enters waits until it has been read. */
  start(): void {
    this.#follower.start()
  }

  /** The active phase's traits, for local permission checks. */
  get phase() {
    return this.#follower.phase
  }

  get epoch(): string {
    return this.#follower.history
  }

  /** The version up to which connections have been told everything. */
  get version(): number {
    return this.#hasPending() ? this.#shown : this.#follower.version
  }

  get hasEnded(): boolean {
    return this.#state === "ended"
  }

  /** Admits an identified connection now, or when the event has been read. */
  enter(connection: Connection, resume: Resume | undefined): void {
    connection.state = "waiting"
    this.#emptySince = undefined
    this.#bring({ connection, resume, reason: "new" })
  }

  /** Is a replay from these cursors exact? */
  canReplay(connection: Connection, resume: Resume): boolean {
    return this.#whyNot(connection, resume) === undefined
  }

  /** Brings an open connection up from its cursors: by a replay, or else a snapshot. */
  sync(connection: Connection, resume: Resume): void {
    this.#bring({ connection, resume, reason: "gap" })
  }

  /** A new token: another role may hear other streams. */
  renew(connection: Connection, identity: Identity): void {
    const before = connection.identity
    connection.identity = identity
    if (before.role === identity.role && before.name === identity.name) return
    // Joining again with another role or name is how the others learn of it.
    this.#presence.joined(identity)
    if (before.role === identity.role) return
    connection.socket.unsubscribe(this.#roleTopic(before.role))
    connection.socket.subscribe(this.#roleTopic(identity.role))
    if (isStaff(before.role) !== isStaff(identity.role)) {
      for (const stream of STREAMS) this.#deafen(connection, stream)
      this.#bring({ connection, resume: undefined, reason: "roleChanged" })
    } else {
      const d = { ...standingOf(identity.role, this.phase), reason: "token" }
      connection.send(JSON.stringify({ op: 0, t: "me.updated", d }))
    }
  }

  /** A connection of this event closed, admitted or not. */
  forget(connection: Connection): void {
    if (connection.state === "waiting") {
      this.#waiting = this.#waiting.filter((request) => request.connection !== connection)
    } else if (this.participants.leave(connection)) this.#presence.left(connection.identity.participantId)
    if (this.participants.size + this.#waiting.length === 0) this.#emptySince = Date.now()
  }

  /** Highest published `s` of each stream the connection hears. */
  heads(connection: Connection): Cursors {
    return Object.fromEntries(streamsOf(connection.identity.role).map((stream) => [stream, this.#published(stream)]))
  }

  /** Closes who takes too little; spares who is slow what may be lost. */
  inspect(): void {
    const { orderedLimitBytes, ephemeralLimitBytes } = this.#around.options
    for (const connection of this.participants.connections()) {
      const buffered = connection.socket.buffered()
      if (buffered > orderedLimitBytes) connection.close(CLOSE.slowConsumer)
      else if (buffered > ephemeralLimitBytes && connection.hearsEphemeral) this.#tuneEphemeral(connection, false)
    }
  }

  /** The connection's buffer got smaller. */
  drained(connection: Connection): void {
    if (connection.state !== "open" || connection.hearsEphemeral) return
    if (connection.socket.buffered() <= this.#around.options.ephemeralLimitBytes) this.#tuneEphemeral(connection, true)
  }

  /** Housekeeping; true when nobody has needed the channel for long enough and it may be stopped. */
  sweep(now: number): boolean {
    this.#follower.trim(now)
    this.budgets.sweep(now)
    this.inspect()
    const { lingerMs } = this.#around.options
    return this.#emptySince !== undefined && now - this.#emptySince >= lingerMs && this.#presence.isIdle
  }

  /** From now on nobody's leaving is told: the node is going away, not the people. */
  hush(): void {
    this.#presence.stop()
  }

  stop(): void {
    this.hush()
    this.#follower.stop()
    this.#fanOut.stop()
    this.#stopSendOff?.()
    if (this.#residence !== undefined) this.#around.fork(Fiber.interrupt(this.#residence))
  }

  #opened(): void {
    this.#state = "open"
    this.#shown = this.#follower.version
    const { fork, live } = this.#around
    // Ends early only when the event moves; then it is asked for again, wherever it is.
    this.#residence = fork(Effect.forever(Effect.andThen(live.reside(this.eventId), Effect.sleep(RESIDE_PAUSE))))
    this.#serveWaiting()
  }

  #failed(failure: NotFound | Unavailable): void {
    const why = failure._tag === "NotFound" ? CLOSE.notFound : CLOSE.overloaded
    const waiting = this.#waiting
    this.#waiting = []
    if (this.#state === "opening") {
      this.#state = "dead"
      this.#onDead()
    }
    for (const { connection } of waiting) connection.close(why)
  }

  #serveWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const request of waiting) this.#bring(request)
  }

  #bring(request: Bring): void {
    const { connection, resume } = request
    if (connection.state === "closed") return
    if (this.#state === "opening") {
      this.#wait(request)
      return
    }
    const refused = this.#refusal(connection.identity)
    if (refused !== undefined) {
      connection.close(refused)
      return
    }
    const reason = resume === undefined ? request.reason : this.#whyNot(connection, resume)
    if (resume !== undefined && reason === undefined) {
      this.#settle(connection, cursorsOf(connection, resume.cursors))
      return
    }
    const { standing } = this.#follower
    if (standing === undefined || !this.#isUsable(standing.at, standing.snapshot.version, connection)) {
      this.#wait(request)
      this.#follower.refresh()
      return
    }
    const { snapshot } = standing
    const ready = readyWithSnapshot(connection, snapshot, this.phase, reason ?? request.reason)
    this.#settle(connection, cursorsOf(connection, snapshot.heads), ready)
  }

  #wait(request: Bring): void {
    if (this.#waiting.length >= this.#around.options.identifiesPending) request.connection.close(CLOSE.overloaded)
    else this.#waiting.push(request)
  }

  #refusal({ role, participantId }: Identity): CloseCode | undefined {
    if (this.#state === "dead") return CLOSE.overloaded
    if (this.#state === "ended" || this.#follower.status === "ended") return CLOSE.eventEnded
    if (this.#follower.removed.has(participantId)) return CLOSE.removed
    return this.#follower.status === "draft" && !isStaff(role) ? CLOSE.eventNotOpen : undefined
  }

  /** Why what the client held cannot be continued; `undefined` when a replay is exact. */
  #whyNot({ identity }: Connection, { epoch, cursors }: Resume): ReadyReason | undefined {
    if (epoch !== this.#follower.history) return "epoch"
    const streams = streamsOf(identity.role)
    if (STREAMS.some((stream) => streams.includes(stream) !== stream in cursors)) return "roleChanged"
    return streams.every((stream) => this.#follower.ring(stream).covers(cursors[stream] ?? -1)) ? undefined : "gap"
  }

  #isUsable(at: number, version: number, { identity }: Connection): boolean {
    if (version !== this.#follower.version && Date.now() - at > this.#around.options.snapshotMs) return false
    const heads = this.#follower.standing?.snapshot.heads ?? {}
    return streamsOf(identity.role).every((stream) => this.#follower.ring(stream).covers(heads[stream] ?? 0))
  }

  /** Says `ready` at the cursors and what was published after them, and subscribes; all in one turn. */
  #settle(connection: Connection, cursors: Cursors, ready?: string): void {
    const streams = streamsOf(connection.identity.role)
    if (streams.some((stream) => (cursors[stream] ?? 0) > this.#published(stream))) this.#fanOut.flush(Date.now())
    const place = { epoch: this.#follower.history, v: this.version, cursors }
    const missed = streams.flatMap((stream) =>
      this.#follower.ring(stream).between(cursors[stream] ?? 0, this.#published(stream)),
    )
    const frames =
      ready === undefined
        ? [
            readyResumed(connection, place, this.phase),
            ...missed,
            JSON.stringify({ op: 0, t: "caughtUp", d: { v: place.v } }),
          ]
        : [ready, ...missed]
    const isNew = connection.state === "waiting"
    if (isNew) this.#admit(connection)
    if (!sendAll(connection, frames, this.#around.options.orderedLimitBytes)) return
    for (const stream of streams) connection.socket.subscribe(this.#topic(stream))
    if (!connection.hearsEphemeral) this.#tuneEphemeral(connection, true)
    if (!isNew) return
    connection.socket.subscribe(this.#roleTopic(connection.identity.role))
    this.#around.telemetry.metrics.resumes.add(1, ready === undefined ? "replay" : "snapshot")
  }

  #admit(connection: Connection): void {
    const { isFirst, surplus } = this.participants.enter(connection)
    connection.state = "open"
    this.#emptySince = undefined
    if (isFirst) this.#presence.joined(connection.identity)
    surplus?.close(CLOSE.replaced)
  }

  #restart(reason: "epoch" | "gap"): void {
    this.#fanOut.reset()
    this.#shown = this.#follower.version
    for (const connection of this.participants.connections()) this.#bring({ connection, resume: undefined, reason })
    this.#serveWaiting()
  }

  /** Each stored role hears how it reads in the phase that is active now. */
  #narrow(): void {
    for (const role of EventRole.literals) {
      const d = { ...standingOf(role, this.phase), reason: "phase" }
      this.#fanOut.after(this.#roleTopic(role), JSON.stringify({ op: 0, t: "me.updated", d }))
    }
  }

  #end(): void {
    if (this.#state === "ended") return
    this.#fanOut.flush(Date.now())
    this.#state = "ended"
    this.#serveWaiting()
    const connections = [...this.participants.connections()]
    this.#around.telemetry.log.debug({ eventId: this.eventId, connections: connections.length }, "event ended")
    this.#stopSendOff = closeGradually(connections, CLOSE.eventEnded, this.#around.options.endSpreadMs)
  }

  #closeAll(connections: ReadonlyArray<Connection>, why: CloseCode): void {
    for (const connection of connections) connection.close(why)
  }

  #hasPending(): boolean {
    return STREAMS.some((stream) => this.#fanOut.pending(stream) > 0)
  }

  /** Highest `s` that subscribers have been sent. */
  #published(stream: StreamName): number {
    return this.#follower.ring(stream).head - this.#fanOut.pending(stream)
  }

  #tuneEphemeral(connection: Connection, on: boolean): void {
    connection.hearsEphemeral = on
    for (const stream of streamsOf(connection.identity.role)) {
      if (on) connection.socket.subscribe(`${this.#topic(stream)}~`)
      else connection.socket.unsubscribe(`${this.#topic(stream)}~`)
    }
  }

  #deafen(connection: Connection, stream: StreamName): void {
    connection.hearsEphemeral = false
    connection.socket.unsubscribe(this.#topic(stream))
    connection.socket.unsubscribe(`${this.#topic(stream)}~`)
  }

  #topic(stream: StreamName): string {
    return `${this.eventId}/${stream}`
  }

  #roleTopic(role: EventRole): string {
    return `${this.eventId}/role/${role}`
  }
}
