/** Channels by event, and every connection of this process: opening, sweeping for deadlines, draining. */

import { every } from "../../clock/timers.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import type { Resume } from "../../protocol/frames.ts"
import { OP } from "../../protocol/op.ts"
import type { Connection } from "../connection/connection.ts"
import { GrantWatch } from "../grants/grant-watch.ts"
import type { GatewayServices } from "../services.ts"
import { Channel } from "./channel.ts"

/** A connection is closed when nothing arrived for this many heartbeat intervals. */
const MISSED_HEARTBEATS = 2.25
/** An event must be readable within this time after the identify deadline. */
const ADMISSION_MS = 30_000
const DRAIN_STEP_MS = 25

export class Hub {
  readonly #services: GatewayServices
  readonly #channels = new Map<string, Channel>()
  readonly #connections = new Set<Connection>()
  readonly grantWatch: GrantWatch
  #isDraining = false

  constructor(services: GatewayServices) {
    this.#services = services
    this.grantWatch = new GrantWatch(
      services,
      {
        connections: () => this.#connections,
        stands: (connection, access, stored) => {
          this.#channels.get(connection.eventId)?.roleRead(connection, access, stored)
        },
      },
      services.timers.now(),
    )
  }

  /** No new connection is taken. */
  get isFull(): boolean {
    return this.#isDraining || this.#connections.size >= this.#services.options.maxConnections
  }

  get size(): number {
    return this.#connections.size
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
    const { eventId } = connection
    let channel = this.#channels.get(eventId)
    if (channel === undefined) {
      const opened = new Channel(this.#services, eventId, () => this.#release(opened))
      channel = opened
      this.#channels.set(eventId, channel)
      channel.start()
    }
    // All connections of a channel share one string for the id.
    connection.apply({ type: "eventFound", eventId: channel.eventId })
    channel.enter(connection, resume)
  }

  remove(connection: Connection, why: CloseCode | undefined): void {
    if (!this.#connections.delete(connection)) return
    const { metrics } = this.#services.telemetry
    metrics.sockets.add(-1)
    if (why !== undefined) metrics.disconnects.add(1, String(why.code))
    this.#channels.get(connection.eventId)?.forget(connection)
  }

  sweep(now: number): void {
    for (const connection of this.#connections) this.#check(connection, now)
    this.grantWatch.sweep(now)
    this.#services.absent.sweep(now)
    for (const channel of this.#channels.values()) {
      if (channel.sweep(now)) this.#release(channel)
    }
  }

  /**
   * Asks every client to reconnect elsewhere after a delay of its own, and closes each connection after its delay, the last after
   * `withinMs`. No participant is reported as left.
   */
  drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const startedAt = this.#services.timers.now()
    const closesAt = new Map<Connection, number>()
    for (const channel of this.#channels.values()) channel.stopPresence()
    for (const connection of this.#connections) {
      const afterMs = Math.floor(Math.random() * withinMs)
      closesAt.set(connection, startedAt + afterMs)
      connection.send(JSON.stringify({ op: OP.reconnect, d: { reason: "drain", afterMs } }))
    }
    return new Promise((resolve) => {
      const step = (): void => {
        const now = this.#services.timers.now()
        const isOver = now - startedAt >= withinMs
        for (const connection of this.#connections) {
          if (isOver || (closesAt.get(connection) ?? 0) <= now) connection.close(CLOSE.drain)
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
    for (const channel of this.#channels.values()) channel.stop()
    this.#channels.clear()
    for (const connection of this.#connections) connection.close(CLOSE.drain)
  }

  #release(channel: Channel): void {
    channel.stop()
    if (this.#channels.get(channel.eventId) === channel) this.#channels.delete(channel.eventId)
  }

  #check(connection: Connection, now: number): void {
    const { options } = this.#services
    const overdue = this.#overdue(connection, now)
    if (overdue !== undefined) {
      connection.close(overdue)
      return
    }
    if (connection.life.isWarned || !connection.isSettled) return
    if (now < connection.life.sessionExpiresAt - options.tokenNoticeMs) return
    connection.apply({ type: "warned" })
    const d = { at: toTimestamp(connection.life.sessionExpiresAt) }
    connection.send(JSON.stringify({ op: OP.dispatch, t: "tokenExpiring", d }))
  }

  #overdue(connection: Connection, now: number): CloseCode | undefined {
    const { heartbeatMs, identifyTimeoutMs } = this.#services.options
    if (connection.state === "new" && now - connection.openedAt > identifyTimeoutMs) return CLOSE.identifyTimeout
    if (now >= connection.life.sessionExpiresAt) return CLOSE.tokenExpired
    if (now - connection.lastSeenAt > heartbeatMs * MISSED_HEARTBEATS) return CLOSE.heartbeatTimeout
    const isStuck = !connection.isSettled && now - connection.life.waitingSince > identifyTimeoutMs + ADMISSION_MS
    return isStuck ? CLOSE.overloaded : undefined
  }
}
