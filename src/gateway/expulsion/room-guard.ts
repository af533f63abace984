/**
 * Keeps the media server's rooms in line with the live events: participants who were removed, held back or moved are disconnected, and
 * rooms without seats are closed. A seat's token cannot be revoked, and the media server keeps a connected participant. An event is
 * followed from its first seat, or from the first arrival reported to this node. Each arrival is judged (`admission.ts`). A failed
 * expulsion is retried; a sweep finds what was lost.
 */
import { Effect, type Fiber, Schedule, Semaphore } from "effect"
import type { Feed, FeedMessage } from "../../actors/feed.ts"
import type { LiveReading } from "../../actors/protocol.ts"
import type { Timers } from "../../clock/timers.ts"
import type { MediaServerApi } from "../../media/livekit/media-server-api.ts"
import type { ServerMessages } from "../../media/livekit/server-messages.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { Admission } from "./admission.ts"
import { type JudgeNeeds, judge } from "./judgement.ts"
import { type Expulsion, RoomAccess } from "./room-access.ts"
import { type MediaRoom, roomsByEvent } from "./room-sweep.ts"

export interface RoomGuardServices extends JudgeNeeds {
  readonly feed: Feed["Service"]
  readonly timers: Timers
  readonly arrivals: Pick<ServerMessages["arrivals"], "subscribe">
  /** Interval between two sweeps. */
  readonly sweepMs: number
  /** Time for a moved participant to connect to the next room. */
  readonly moveMs: number
  readonly telemetry: Telemetry["Service"]
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** Most concurrent calls to the media server. */
const CALLS = 16
/** Most waiting expulsions; further ones are left to the sweep. */
const MOST_WAITING = 20_000
/** The pauses between the tries are 2.5 minutes in total; a sweep does the rest. */
const TRIES = 10
const PAUSES = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("30 seconds")])
const SWEPT_AT_ONCE = 4

/** An event whose seats are assigned here. */
interface Followed {
  /** Absent until the event has been read. */
  access: RoomAccess | undefined
  version: number
  /** Version of the newest message, which a read may not include yet. */
  latest: number
  isReading: boolean
  /** Participants to expel as soon as the event has been read. */
  readonly early: string[]
  readonly unsubscribe: () => void
}

export class RoomGuard {
  readonly #server: MediaServerApi
  readonly #services: RoomGuardServices
  readonly #events = new Map<string, Followed>()
  readonly #calls = Semaphore.makeUnsafe(CALLS)
  readonly #silence: () => void
  #waiting = 0
  #isStopped = false

  constructor(server: MediaServerApi, services: RoomGuardServices) {
    this.#server = server
    this.#services = services
    const admission = new Admission(services, (eventId, { misplaced, unfounded }) => {
      this.follow(eventId)
      this.#perform(eventId, misplaced)
      this.#perform(eventId, unfounded, false)
    })
    this.#silence = services.arrivals.subscribe((arrival) => admission.arrived(arrival))
    services.fork(Effect.forever(Effect.delay(this.#sweep(), services.sweepMs)))
  }

  /** Follows an event in which a seat is being assigned. */
  follow(eventId: string): void {
    if (this.#isStopped || this.#events.has(eventId)) return
    const unsubscribe = this.#services.feed.subscribe(eventId, (message) => this.#received(eventId, message))
    this.#events.set(eventId, { access: undefined, version: 0, latest: 0, isReading: false, early: [], unsubscribe })
    this.#read(eventId)
  }

  /**
   * Expels a participant who has lost rights although the live event may not have changed: their grant was revoked, or their stored role
   * has no seat.
   */
  expel(eventId: string, participantId: string): void {
    const followed = this.#events.get(eventId)
    if (followed?.access === undefined) followed?.early.push(participantId)
    const rooms = followed?.access?.placesOf(participantId) ?? []
    this.#perform(
      eventId,
      rooms.map((room) => ({ type: "expel", room, participantId })),
      false,
    )
  }

  stop(): void {
    this.#isStopped = true
    this.#silence()
    for (const { unsubscribe } of this.#events.values()) unsubscribe()
    this.#events.clear()
  }

  #received(eventId: string, message: FeedMessage): void {
    const followed = this.#events.get(eventId)
    if (followed === undefined || message.version <= followed.version) return
    followed.latest = Math.max(followed.latest, message.version)
    if (followed.isReading) return
    if (followed.access === undefined || message.kind === "note" || message.from !== followed.version) {
      this.#read(eventId)
      return
    }
    followed.version = message.version
    this.#perform(eventId, followed.access.apply(message))
    if (message.status === "ended") this.#forget(eventId)
  }

  #forget(eventId: string): void {
    this.#events.get(eventId)?.unsubscribe()
    this.#events.delete(eventId)
  }

  /** Reads the event again until no message came in between. */
  #read(eventId: string): void {
    const followed = this.#events.get(eventId)
    if (followed === undefined || followed.isReading) return
    followed.isReading = true
    const reading = this.#services.live.read(eventId, [], true).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "Unavailable", schedule: Schedule.spaced("1 second") }),
      Effect.map(({ snapshot }) => this.#wasRead(eventId, followed, snapshot)),
      // The next seat makes this node follow the event again.
      Effect.onError(() => Effect.sync(() => this.#forget(eventId))),
      Effect.ignore,
    )
    this.#services.fork(reading)
  }

  #wasRead(eventId: string, followed: Followed, snapshot: LiveReading["snapshot"]): void {
    followed.isReading = false
    followed.version = snapshot.version
    const next = new RoomAccess(eventId, { snapshot })
    if (followed.access === undefined) followed.access = next
    else this.#perform(eventId, followed.access.become(next))
    for (const participantId of followed.early.splice(0)) this.expel(eventId, participantId)
    if (snapshot.event.status === "ended") this.#forget(eventId)
    else if (followed.latest > snapshot.version) this.#read(eventId)
  }

  /** `mayReturn`: skips the expulsion of a person who has a seat there again. */
  #perform(eventId: string, expulsions: ReadonlyArray<Expulsion>, mayReturn = true): void {
    const decidedAt = this.#services.timers.now()
    for (const expulsion of expulsions) {
      if (this.#waiting >= MOST_WAITING) {
        this.#services.telemetry.log.warn({ eventId }, "too many expulsions from rooms wait; the sweep does the rest")
        return
      }
      this.#waiting++
      const call = Effect.suspend(() =>
        mayReturn && this.#isAllowedAgain(eventId, expulsion) ? Effect.void : this.#call(expulsion, decidedAt),
      )
      const tried = this.#calls.withPermit(call).pipe(
        Effect.retry({ times: TRIES, schedule: PAUSES }),
        Effect.catch((failure) =>
          Effect.sync(() => {
            this.#services.telemetry.log.error({ err: failure, eventId, room: expulsion.room }, "an expulsion failed")
          }),
        ),
        Effect.ensuring(Effect.sync(() => this.#waiting--)),
      )
      this.#services.fork(expulsion.isMove === true ? Effect.delay(tried, this.#services.moveMs) : tried)
    }
  }

  #isAllowedAgain(eventId: string, expulsion: Expulsion): boolean {
    const access = this.#events.get(eventId)?.access
    if (access === undefined) return false
    if (expulsion.type === "close") return access.rooms.has(expulsion.room)
    return access.roomsOf(expulsion.participantId).includes(expulsion.room)
  }

  #call(expulsion: Expulsion, decidedAt: number) {
    return expulsion.type === "close"
      ? this.#server.close(expulsion.room)
      : this.#server.expel(expulsion.room, expulsion.participantId, decidedAt)
  }

  #sweep(): Effect.Effect<void> {
    const { telemetry } = this.#services
    return Effect.flatMap(this.#server.rooms, (names) =>
      Effect.forEach([...roomsByEvent(names)], ([eventId, rooms]) => this.#sweepEvent(eventId, rooms), {
        concurrency: SWEPT_AT_ONCE,
        discard: true,
      }),
    ).pipe(
      Effect.catch((failure) =>
        Effect.sync(() => telemetry.log.warn({ err: failure }, "the rooms of the media server could not be looked at")),
      ),
    )
  }

  /** An event that is not in this database belongs to another deployment at the same media server. */
  #sweepEvent(eventId: string, names: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const open: MediaRoom[] = []
      for (const name of names) open.push({ name, people: yield* this.#calls.withPermit(this.#server.people(name)) })
      const { misplaced, unfounded } = yield* judge(this.#services, eventId, open)
      // Only for a followed event is it known whether a seat was given back during the delay.
      if (misplaced.length > 0) this.follow(eventId)
      // A person who was just moved may be connecting to the next room.
      this.#perform(
        eventId,
        misplaced.map((expulsion) => ({ ...expulsion, isMove: true })),
      )
      this.#perform(eventId, unfounded, false)
    }).pipe(
      Effect.catchTag("NotFound", () => Effect.void),
      Effect.catch((failure) =>
        Effect.sync(() =>
          this.#services.telemetry.log.warn(
            { err: failure, eventId },
            "the people in an event's rooms could not be judged",
          ),
        ),
      ),
    )
  }
}
