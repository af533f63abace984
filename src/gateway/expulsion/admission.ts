/**
 * A person who comes into a room of the media server has to have a seat in it at that moment, whatever token they came with: a token cannot be taken back, and
 * the media server keeps giving new ones to whoever is connected. Each arrival is judged by a reading of the live event that begins after it, so
 * any node may be told of it. The arrivals at an event that come while one is judged are judged together.
 */
import { Effect, type Fiber, Schedule } from "effect"
import type { LiveEvents } from "../../actors/live-events.ts"
import type { Arrival } from "../../media/livekit/server-messages.ts"
import type { Media, SeatBasis } from "../../media/seats.ts"
import type { HeldLink } from "../../model/links.ts"
import type { EventRole } from "../../model/roles.ts"
import { findStoredRoles } from "../../store/accounts/stored-roles.ts"
import type { Database, Queryable } from "../../store/database.ts"
import { linksHold } from "../../store/links/link-states.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { type Expulsion, RoomAccess } from "./room-access.ts"
import { eventOf, type MediaRoom, misplaced, unjudged, unseated } from "./room-sweep.ts"

interface Needs {
  readonly live: LiveEvents["Service"]
  readonly database: Database["Service"]
  readonly media: Pick<Media["Service"], "basisOf">
  readonly telemetry: Telemetry["Service"]
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** `misplaced`: by the live event, which may give them the place back. `unfounded`: what their token rests on has ended. */
type Judged = (eventId: string, misplaced: ReadonlyArray<Expulsion>, unfounded: ReadonlyArray<Expulsion>) => void

/** Arrivals that wait; more are left to the sweep. */
const MOST_WAITING = 20_000
/** Between two readings of an event. */
const GATHER = "50 millis"
const RETRY = { times: 5, schedule: Schedule.spaced("200 millis") } as const

interface Seated extends Arrival {
  /** Undefined: the token has none, as those of the release before and of people without a name. */
  readonly basis: SeatBasis | "forged" | undefined
}

const linkOf = (eventId: string, { ground, givenAt }: SeatBasis): HeldLink => ({
  kind: "media",
  objectId: eventId,
  eventId,
  ground,
  givenAt,
  expiresAt: givenAt,
})

/** Whether the grant of each still holds, in their order. */
const findHolding = async (sql: Queryable, eventId: string, seated: ReadonlyArray<Seated>) => {
  const asked = seated.flatMap(({ basis }) => (basis === undefined || basis === "forged" ? [] : linkOf(eventId, basis)))
  const hold = asked.length === 0 ? [] : await linksHold(sql, asked)
  let next = 0
  return seated.map(({ basis }) => basis === undefined || (basis !== "forged" && hold[next++] === true))
}

/** Is the seat of the person's role now at least the one that the token gives? */
const keepsKind = (access: RoomAccess, { identity, basis }: Seated, stored: EventRole | undefined): boolean => {
  if (basis === undefined) return true
  if (basis === "forged") return false
  const { ground, given, kind } = basis
  // The role that the event gave has ended, and the token does not say which one was there before.
  const own = given === null ? ground.role : undefined
  const role = access.roleOf(identity) ?? stored ?? own
  const now = role === undefined ? null : access.kindOf(role)
  return now !== null && (kind === "voice" || now === "staff")
}

/** In a room that people are moved out of, only those who come in now are expelled: the others may still be on their way to the next one. */
const arrivalsAlone =
  ({ rooms }: RoomAccess, open: ReadonlyArray<MediaRoom>) =>
  (expulsion: Expulsion): ReadonlyArray<Expulsion> =>
    expulsion.type === "expel" || rooms.size === 0
      ? [expulsion]
      : open
          .filter(({ name }) => name === expulsion.room)
          .flatMap(({ people }) =>
            people.map((participantId) => ({ type: "expel", room: expulsion.room, participantId })),
          )

export class Admission {
  readonly #needs: Needs
  readonly #judged: Judged
  readonly #arrivals = new Map<string, Arrival[]>()
  #waiting = 0

  constructor(needs: Needs, judged: Judged) {
    this.#needs = needs
    this.#judged = judged
  }

  arrived(arrival: Arrival): void {
    const eventId = eventOf(arrival.room)
    if (eventId === undefined || this.#waiting >= MOST_WAITING) return
    this.#waiting++
    const waiting = this.#arrivals.get(eventId)
    if (waiting !== undefined) {
      waiting.push(arrival)
      return
    }
    const first = [arrival]
    this.#arrivals.set(eventId, first)
    const end = Effect.sync(() => {
      this.#waiting -= first.length
      this.#arrivals.delete(eventId)
    })
    this.#needs.fork(Effect.ensuring(this.#judgeAll(eventId, first), end))
  }

  #judgeAll(eventId: string, waiting: Arrival[]): Effect.Effect<void> {
    const next = Effect.suspend(() => {
      const some = waiting.splice(0)
      this.#waiting -= some.length
      return this.#judge(eventId, some)
    })
    return Effect.andThen(next, Effect.sleep(GATHER)).pipe(
      Effect.repeat({ while: () => waiting.length > 0 }),
      Effect.asVoid,
    )
  }

  /** Rooms of an event that is not here are left alone: they are another deployment's. */
  #judge(eventId: string, arrivals: ReadonlyArray<Arrival>): Effect.Effect<void> {
    const { live, database, media, telemetry } = this.#needs
    const seated = arrivals.map((arrival) => ({
      ...arrival,
      basis: media.basisOf(arrival.room, arrival.identity, arrival.metadata),
    }))
    const open = arrivals.map(({ room, identity }) => ({ name: room, people: [identity] }))
    return Effect.gen({ self: this }, function* () {
      const { snapshot } = yield* live.read(eventId, [], true)
      const access = new RoomAccess(eventId, { snapshot })
      const users = unjudged(access, open)
      const [stored, holding] = yield* database.run((sql) =>
        Promise.all([
          users.length === 0 ? new Map<string, EventRole>() : findStoredRoles(sql, eventId, users),
          findHolding(sql, eventId, seated),
        ]),
      )
      const unfounded = seated.filter(
        (one, n) => holding[n] !== true || !keepsKind(access, one, stored.get(one.identity)),
      )
      this.#judged(eventId, misplaced(access, open).flatMap(arrivalsAlone(access, open)), [
        ...unseated(access, open, stored),
        ...unfounded.map(({ room, identity }): Expulsion => ({ type: "expel", room, participantId: identity })),
      ])
    }).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "Unavailable", ...RETRY }),
      Effect.catch((failure) =>
        Effect.sync(() => telemetry.log.debug({ err: failure, eventId }, "arrivals were left to the sweep")),
      ),
    )
  }
}
