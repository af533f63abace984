/** Broadcasts in this process's memory, and their lifecycle: their rows change, they end, they become idle. */
import { timingSafeEqual } from "node:crypto"
import type { Timers } from "../../clock/timers.ts"
import type { Visibility } from "../../model/event.ts"
import type { HeldLink } from "../../model/links.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import type { StoredBroadcast } from "../../store/media/broadcasts.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import type { EncoderInput } from "./encoder-input.ts"
import type { LiveBroadcast } from "./live-broadcast.ts"

export interface OpenBroadcast {
  readonly id: string
  /** Token of this owner. */
  readonly token: number
  readonly eventId: string
  readonly workspaceId: string
  readonly phaseId: string
  readonly live: LiveBroadcast
  readonly input: EncoderInput
  visibility: Visibility
  status: StoredBroadcast["status"]
  /** Monotonic milliseconds. */
  lastUsedAt: number
  /** Credential of the last encoder: the hash of its token, and its link. */
  shown: { readonly tokenHash: Uint8Array; readonly link: HeldLink | null } | undefined
}

/** Time without an encoder or a viewer after which it leaves memory. */
const IDLE_MS = 60_000

export class OpenBroadcasts {
  readonly #timers: Timers
  readonly #log: Telemetry["Service"]["log"]
  readonly #open = new Map<string, OpenBroadcast>()
  readonly #ending = new Map<string, Promise<void>>()
  readonly #closing = new Map<string, Promise<void>>()

  constructor(timers: Timers, log: Telemetry["Service"]["log"]) {
    this.#timers = timers
    this.#log = log
  }

  get ids(): ReadonlyArray<string> {
    return [...this.#open.keys()]
  }

  get all(): ReadonlyArray<OpenBroadcast> {
    return [...this.#open.values()]
  }

  /** Number of broadcasts with an encoder. */
  get encoders(): number {
    return [...this.#open.values()].filter((one) => this.hasEncoder(one)).length
  }

  hasEncoder({ input }: OpenBroadcast): boolean {
    return input.isBusy
  }

  add(id: string, one: OpenBroadcast): void {
    this.#open.set(id, one)
  }

  /** Finds a broadcast and marks it as used. */
  use(id: string): OpenBroadcast | undefined {
    const one = this.#open.get(id)
    if (one !== undefined) one.lastUsedAt = this.#timers.elapsed()
    return one
  }

  /** The event's ongoing broadcast, if it is in memory. */
  findOfEvent(eventId: string): readonly [id: string, one: OpenBroadcast] | undefined {
    for (const entry of this.#open) if (entry[1].eventId === eventId && entry[1].status !== "ended") return entry
    return undefined
  }

  /** The ongoing broadcast whose encoder has shown the token. `hash` is made by `hashSecret`. */
  findOfToken(hash: Uint8Array): OpenBroadcast | undefined {
    return [...this.#open.values()].find(
      ({ shown, status }) => status !== "ended" && shown !== undefined && timingSafeEqual(shown.tokenHash, hash),
    )
  }

  stateOf({ input, live }: OpenBroadcast): EncoderState {
    if (input.hasStream || input.hasRecentBytes) return "receiving"
    return live.durationMs === 0 ? "waiting" : "lost"
  }

  /** Applies the rows that were read for these broadcasts; a missing row was deleted. */
  follow(ids: ReadonlyArray<string>, rows: ReadonlyArray<StoredBroadcast>): void {
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const one = this.#open.get(id)
      const row = byId.get(id)
      if (one === undefined) continue
      // The broadcast is gone, or another process has opened it and gets all further bytes.
      if (row === undefined || (one.token > 0 && row.ownerToken > one.token)) this.drop(id, one)
      else this.#become(id, one, row)
    }
  }

  #become(id: string, one: OpenBroadcast, { status, visibility }: StoredBroadcast): void {
    one.visibility = visibility
    const isNew = one.status !== status
    one.status = status
    if (isNew && status === "paused") one.live.pause()
    if (isNew && status === "live") one.live.resume()
    if (status === "ended" && !one.live.hasEnded) void this.end(id)
    else if (this.#timers.elapsed() - one.lastUsedAt > IDLE_MS && !this.hasEncoder(one)) this.drop(id, one)
  }

  /** Resolves when everything received is stored; it stays in memory for its viewers. */
  end(id: string): Promise<void> {
    const one = this.#open.get(id)
    if (one === undefined) return this.closed(id)
    if (one.live.hasEnded) return Promise.resolve()
    const under = this.#ending.get(id)
    if (under !== undefined) return under
    one.input.reset()
    const ended = one.live
      .end()
      // An encoder admitted meanwhile would continue in vain.
      .then(() => one.input.reset())
      .catch((cause: unknown) => {
        this.#log.error({ err: cause, broadcast: id }, "media: the end of a broadcast could not be stored")
        throw cause
      })
      .finally(() => this.#ending.delete(id))
    ended.catch(() => {})
    this.#ending.set(id, ended)
    return ended
  }

  /** Cuts its encoder; the next caller opens it anew from its rows. */
  drop(id: string, one: OpenBroadcast): void {
    if (this.#open.get(id) !== one) return
    this.#open.delete(id)
    const closing = this.#close(one).finally(() => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id)
    })
    this.#closing.set(id, closing)
  }

  /** Resolves when everything received by a dropped broadcast is stored: until then its rows are incomplete. */
  closed(id: string): Promise<void> {
    return this.#closing.get(id) ?? Promise.resolve()
  }

  /** Drops the event's ongoing broadcasts. Resolves when everything they received is stored. */
  async release(eventId: string): Promise<void> {
    const gone = [...this.#open].filter(([, one]) => one.eventId === eventId && !one.live.hasEnded)
    for (const [id, one] of gone) this.drop(id, one)
    await Promise.all(gone.map(([id]) => this.closed(id)))
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map((one) => this.#close(one)))
  }

  async #close({ input, live }: OpenBroadcast): Promise<void> {
    input.reset()
    await live
      .close()
      .catch((cause: unknown) => this.#log.error({ err: cause }, "media: a broadcast could not be closed"))
  }
}
