/**
 * Replays the kept history of an ended event on one connection: first the state before the event began and all dispatches up to the
 * requested position, then each later dispatch at its time. The connection belongs to no channel, and nobody is notified of it. Dispatches
 * are read in pages and wait for a slow client, so that a replay of any length holds little memory.
 */
import { Effect, type Semaphore } from "effect"
import { snapshotBefore } from "../../actors/views/snapshots.ts"
import type { Cancel } from "../../clock/timers.ts"
import { newId } from "../../model/ids.ts"
import { toMillis } from "../../model/timestamp.ts"
import { because, CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import { renumbered } from "../../protocol/wire/encoding.ts"
import type { ReplayPlace } from "../../protocol/wire/frames.ts"
import { type EventAgenda, findEventWithPhases } from "../../store/events/events.ts"
import {
  BEFORE_ALL,
  KEPT_STREAMS,
  type KeptPublication,
  listAppendedPhases,
  listKept,
  whyNotReplayable,
} from "../../store/live/kept-history.ts"
import type { Connection } from "../connection/connection.ts"
import { readyOfReplay } from "../recovery/ready.ts"
import type { GatewayServices } from "../services.ts"
import { framesOf } from "../transport/send.ts"

/** Dispatches of a page: many up to the requested position, and then few, because they wait in memory. */
const [PAST_PAGE, COMING_PAGE] = [500, 50]
/** Most concurrent reads of all replays of a process. */
export const REPLAY_READS = 4
/** A replay reads its event again after this time. It ends if it is no longer allowed, and does not send what was erased meanwhile. */
const LOOK_AGAIN_MS = 60_000
/** Time after which a full buffer is looked at again; usually the transport says sooner that it has drained. */
const FULL_MS = 1000

export class Replay {
  readonly #services: GatewayServices
  readonly #turns: Semaphore.Semaphore
  readonly #connection: Connection
  readonly #from: number
  readonly #speed: number
  /** Start of the event, in Unix milliseconds. */
  #startedAt = 0
  /** Beginning of the replay, on the gateway's monotonic clock. */
  #beganAt = 0
  /** Last reading of the event, on the same clock. */
  #lookedAt = 0
  #page: ReadonlyArray<KeptPublication> = []
  /** Sent dispatches of the page. */
  #sentOfPage = 0
  #isLastPage = false
  #isInPast = true
  #place = BEFORE_ALL
  /** The last number of each stream. Dispatches are numbered anew, so that erased ones leave no gap. */
  readonly #heads = new Map<string, number>(KEPT_STREAMS.map((stream) => [stream, 0]))
  #isReading = false
  #isStopped = false
  #cancel: Cancel = () => {}

  /** `turns` bounds the reads of all replays together, so that long histories leave database connections to live events. */
  constructor(
    services: GatewayServices,
    turns: Semaphore.Semaphore,
    connection: Connection,
    { from, speed = 1 }: ReplayPlace,
  ) {
    this.#services = services
    this.#turns = turns
    this.#connection = connection
    this.#from = from
    this.#speed = speed
  }

  /** The replayed time in Unix milliseconds; the current time before the connection is open. */
  get now(): number {
    const { timers } = this.#services
    if (this.#connection.state !== "open") return timers.now()
    return Math.round(this.#startedAt + this.#from + (timers.elapsed() - this.#beganAt) * this.#speed)
  }

  start(): void {
    const { eventId } = this.#connection
    this.#read((event) => {
      const appended = this.#services.database.run((sql) => listAppendedPhases(sql, eventId))
      return Effect.map(appended, (ids) => this.#open(event, ids))
    })
  }

  /** Holds `ready` with the state before the event began; the first dispatches are in the same frame. */
  #open(event: EventAgenda, appended: ReadonlySet<string>): void {
    const connection = this.#connection
    this.#startedAt = toMillis(event.startedAt ?? event.createdAt)
    this.#beganAt = this.#services.timers.elapsed()
    const phases = event.phases.filter(({ id }) => !appended.has(id))
    const { snapshot, personal } = snapshotBefore(event, phases, `replay:${newId()}`)
    connection.apply({ type: "entered", eventId: event.id, resume: undefined, isReplay: true })
    connection.apply({ type: "opened" })
    connection.hold(readyOfReplay(connection, snapshot, personal, { now: this.now, cursors: this.#cursors }))
  }

  get #cursors(): { readonly [stream: string]: number } {
    return Object.fromEntries(this.#heads)
  }

  /** Sends what is due, and sets a timer for the next dispatch. */
  advance(): void {
    if (this.#isStopped || this.#isReading || this.#connection.state !== "open") return
    this.#cancel()
    const { timers, options } = this.#services
    while (this.#connection.buffered <= options.ephemeralLimitBytes) {
      const isOld = timers.elapsed() - this.#lookedAt >= LOOK_AGAIN_MS
      if (isOld || (this.#sentOfPage === this.#page.length && !this.#isLastPage)) {
        this.#read(() => Effect.void)
        return
      }
      if (this.#sendDue()) continue
      const next = this.#page[this.#sentOfPage]
      if (next === undefined) this.#connection.close(CLOSE.eventEnded)
      else this.#wait((toMillis(next.at) - this.now) / this.#speed)
      return
    }
    this.#wait(FULL_MS)
  }

  #wait(ms: number): void {
    this.#cancel = this.#services.timers.after(Math.min(Math.max(Math.ceil(ms), 1), LOOK_AGAIN_MS), () =>
      this.advance(),
    )
  }

  /** Sends one frame of due dispatches; false when none is due. */
  #sendDue(): boolean {
    const { now } = this
    const due: string[] = []
    let length = 0
    for (const { frame, at, stream } of this.#page.slice(this.#sentOfPage)) {
      if (toMillis(at) > now) {
        this.#isInPast = false
        break
      }
      const s = (this.#heads.get(stream) ?? 0) + 1
      this.#heads.set(stream, s)
      due.push(renumbered(frame, s))
      length += frame.length
      if (length >= this.#services.options.ephemeralLimitBytes) break
    }
    this.#sentOfPage += due.length
    this.#place = this.#page[this.#sentOfPage - 1] ?? this.#place
    for (const frame of framesOf(due)) this.#connection.send(frame)
    return due.length > 0
  }

  /** Reads the event and the dispatches after the last sent one. Closes the connection if the event may not be replayed. */
  #read(andThen: (event: EventAgenda) => Effect.Effect<void, unknown>): void {
    const { database, fork, timers } = this.#services
    const { eventId } = this.#connection
    this.#isReading = true
    const limit = this.#isInPast ? PAST_PAGE : COMING_PAGE
    const reading = this.#turns.withPermit(
      database.run((sql) =>
        Promise.all([findEventWithPhases(sql, eventId), listKept(sql, eventId, this.#place, limit)]),
      ),
    )
    const taken = Effect.gen({ self: this }, function* () {
      const [event, page] = yield* reading
      if (this.#isStopped) return
      const refusal = event === undefined ? CLOSE.notFound : this.#refusal(event)
      if (event === undefined || refusal !== undefined) {
        this.#connection.close(refusal ?? CLOSE.notFound)
        return
      }
      yield* andThen(event)
      this.#page = page
      this.#sentOfPage = 0
      this.#isLastPage = page.length < limit
      this.#lookedAt = timers.elapsed()
      this.#isReading = false
      this.advance()
      this.#connection.release()
    })
    const lost = Effect.sync(() => this.#connection.close(CLOSE.overloaded))
    fork(
      taken.pipe(
        Effect.tapCause(() => lost),
        Effect.catch(() => Effect.void),
      ),
    )
  }

  #refusal(event: EventAgenda): CloseCode | undefined {
    if (event.visibility === "private" && this.#connection.identity.kind === "anonymous") return CLOSE.revoked
    const { timers, options } = this.#services
    const why = whyNotReplayable(event, timers.now(), options.keptHistoryDays)
    return why === undefined ? undefined : because(CLOSE.forbidden, why)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }
}
