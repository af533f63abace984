/** Channels by event, and all connections of this process: opening them, sweeping for deadlines, draining. */

import { Semaphore } from "effect"
import { every } from "../../clock/timers.ts"
import type { ForgottenRole } from "../../identity/grant-changes.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { ReplayPlace, Resume } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import type { Connection, ConnectionOwner } from "../connection/connection.ts"
import { ConnectionRegistry } from "../connection/connection-registry.ts"
import { dueEvent } from "../connection/deadlines.ts"
import type { ConnectionLeft, ReadyNeed } from "../connection/step.ts"
import { GrantWatch } from "../grants/grant-watch.ts"
import { heldBy } from "../grants/grounds.ts"
import { VersionAudit } from "../recovery/version-audit.ts"
import { REPLAY_READS, Replay } from "../replay/replay.ts"
import type { GatewayServices } from "../services.ts"
import { Channel } from "./channel.ts"
import { ParticipantMemories } from "./participant-memory.ts"

const DRAIN_STEP_MS = 25

/** Close codes after which the participant has no right to be at the event. Removals are handled by the live event itself. */
const ENDS_RIGHTS: ReadonlySet<number> = new Set([CLOSE.revoked.code, CLOSE.tokenExpired.code])

export class Hub implements ConnectionOwner {
  readonly #services: GatewayServices
  readonly #channels = new Map<string, Channel>()
  readonly #connections = new Set<Connection>()
  readonly #replays = new Map<Connection, Replay>()
  readonly #replayers: ConnectionRegistry
  readonly #replayReads = Semaphore.makeUnsafe(REPLAY_READS)
  readonly grantWatch: GrantWatch
  readonly memories: ParticipantMemories
  readonly #audit: VersionAudit
  readonly #silence: () => void
  #isDraining = false

  constructor(services: GatewayServices) {
    this.#services = services
    this.#replayers = new ConnectionRegistry(services.options.connectionsPerParticipant)
    this.memories = new ParticipantMemories(services)
    this.grantWatch = new GrantWatch(
      services,
      {
        connections: () => this.#connections,
        roleRead: (connection, access, stored) => {
          if (!connection.life.isReplay)
            this.#channels.get(connection.eventId)?.rights.roleRead(connection, access, stored)
        },
      },
      services.timers.now(),
    )
    this.#audit = new VersionAudit(services, () => [...this.#channels.values()])
    this.#silence = services.live.onForgotten(() => {
      for (const channel of this.#channels.values()) channel.reportEveryone()
    })
  }

  /** True when no new connection is accepted. */
  get isFull(): boolean {
    return this.#isDraining || this.#connections.size >= this.#services.options.maxConnections
  }

  get size(): number {
    return this.#connections.size
  }

  /** Connections whose token was accepted and that wait for their `ready`. */
  get waiting(): number {
    let waiting = 0
    for (const { state } of this.#connections) if (state === "waiting") waiting++
    return waiting
  }

  /** Number of people in browser-to-browser calls. */
  get callPeers(): number {
    return [...this.#channels.values()].reduce((sum, { rights }) => sum + rights.mesh.peers, 0)
  }

  /**
   * Resolves when the connections reflect all grant changes so far. Until this node knows that a live event has forgotten a given role,
   * that role hides the stored one.
   */
  async settled(forgotten: ReadonlyArray<ForgottenRole>): Promise<void> {
    await Promise.all(forgotten.map((role) => this.#forgotten(role)))
    await this.grantWatch.settled()
  }

  async #forgotten({ eventId, userId, version }: ForgottenRole): Promise<void> {
    const reached = this.#channels.get(eventId)?.reached(version)
    if (reached === undefined) return
    await reached
    this.grantWatch.changed({ eventId, userId })
  }

  add(connection: Connection): void {
    this.#connections.add(connection)
    this.#services.telemetry.metrics.sockets.add(1)
  }

  /** The event's channel, if it is open. */
  find(eventId: string): Channel | undefined {
    return this.#channels.get(eventId)
  }

  enter(connection: Connection, resume: Resume | undefined): void {
    const known = this.#channels.get(connection.eventId)
    const channel = known === undefined || known.isDead ? this.#open(connection.eventId) : known
    channel.enter(connection, resume)
  }

  /** Lets an identified connection replay its event. A participant may have as many replays on a node as connections to an event. */
  replay(connection: Connection, place: ReplayPlace): void {
    this.#replayers.enter(connection)?.close(CLOSE.replaced)
    const replay = new Replay(this.#services, this.#replayReads, connection, place)
    this.#replays.set(connection, replay)
    replay.start()
  }

  /** The connection's replay, if it is one. */
  replayOf(connection: Connection): Replay | undefined {
    return this.#replays.get(connection)
  }

  makeReady(connection: Connection, need: ReadyNeed): void {
    this.#channels.get(connection.eventId)?.sync.makeReady({ connection, ...need })
  }

  personal(connection: Connection, text: string): string {
    return this.#services.links.personal(text, heldBy(connection))
  }

  left(connection: Connection, departure: ConnectionLeft): void {
    if (!this.#connections.delete(connection)) return
    const { metrics } = this.#services.telemetry
    metrics.sockets.add(-1)
    if (departure.why !== undefined) metrics.disconnects.add(1, String(departure.why.code))
    const replay = this.#replays.get(connection)
    replay?.stop()
    this.#replays.delete(connection)
    this.#replayers.leave(connection)
    if (replay === undefined) this.#channels.get(connection.eventId)?.forget(connection, departure)
    if (departure.why !== undefined && ENDS_RIGHTS.has(departure.why.code)) this.#expel(connection)
  }

  /**
   * Expels the participant from the media server, which does not know that their right to be here has ended. Another tab may have a right
   * of its own.
   */
  #expel({ eventId, identity: { participantId } }: Connection): void {
    if (this.#channels.get(eventId)?.attendance.participants.has(participantId) === true) return
    this.#services.roomGuard?.expel(eventId, participantId)
  }

  sweep(now: number): void {
    for (const connection of this.#connections) {
      const due = dueEvent(connection, now, this.#services.options)
      if (due !== undefined) connection.apply(due)
    }
    this.grantWatch.sweep(now)
    this.#services.absent.sweep(now)
    this.memories.sweep(now)
    for (const channel of this.#channels.values()) {
      if (channel.sweep(now)) this.#release(channel)
    }
  }

  /**
   * Asks every client to reconnect elsewhere after an individual delay, and closes each connection after its delay, the last after
   * `withinMs`. No participant is reported as left. `moved`: other nodes serve the events from now on; `drain`: this server comes back.
   */
  drain(withinMs: number, reason: "drain" | "moved"): Promise<void> {
    this.#isDraining = true
    const startedAt = this.#services.timers.now()
    const closesAt = new Map<Connection, number>()
    for (const channel of this.#channels.values()) channel.attendance.presence.stop()
    for (const connection of this.#connections) {
      const afterMs = Math.floor(Math.random() * withinMs)
      closesAt.set(connection, startedAt + afterMs)
      connection.send(JSON.stringify({ op: OP.reconnect, d: { reason, afterMs } }))
    }
    return new Promise((resolve) => {
      const step = (): void => {
        const now = this.#services.timers.now()
        const isOver = now - startedAt >= withinMs
        for (const connection of this.#connections) {
          if (isOver || (closesAt.get(connection) ?? 0) <= now) connection.close(CLOSE[reason])
        }
        if (this.#connections.size > 0) return
        stop()
        resolve()
      }
      const stop = every(this.#services.timers, DRAIN_STEP_MS, step)
      step()
    })
  }

  stop(): void {
    this.#isDraining = true
    this.#audit.stop()
    this.#silence()
    for (const channel of this.#channels.values()) channel.stop()
    this.#channels.clear()
    for (const connection of this.#connections) connection.close(CLOSE.drain)
  }

  #open(eventId: string): Channel {
    this.#channels.get(eventId)?.stop()
    const channel = new Channel(this.#services, eventId, this.memories.of(eventId))
    this.#channels.set(eventId, channel)
    channel.start()
    return channel
  }

  #release(channel: Channel): void {
    channel.stop()
    this.#channels.delete(channel.eventId)
  }
}
