/**
 * Judges each person when they enter a room of the media server. A token cannot be revoked, and the media server keeps renewing the tokens
 * of connected people. Arrivals at an event during a judgement are judged together.
 */
import { Effect, type Fiber } from "effect"
import type { Arrival } from "../../media/livekit/server-messages.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { type Judgement, type JudgeNeeds, judge } from "./judgement.ts"
import { RETRY_FOR_MINUTES } from "./retry.ts"
import type { Expulsion } from "./room-access.ts"
import { eventOf, type MediaRoom } from "./room-sweep.ts"

interface Needs extends JudgeNeeds {
  readonly telemetry: Telemetry["Service"]
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

type Judged = (eventId: string, judgement: Omit<Judgement, "access">) => void

/** Most waiting arrivals; further ones are left to the sweep. */
const MOST_WAITING = 20_000
/** Time between two reads of an event. */
const GATHER = "50 millis"

/** In a room that people are being moved out of, only new arrivals are expelled: the others may still be on their way to the next room. */
const arrivalsAlone = (
  { access, misplaced }: Judgement,
  arrivals: ReadonlyArray<MediaRoom>,
): ReadonlyArray<Expulsion> =>
  misplaced.flatMap((expulsion): ReadonlyArray<Expulsion> => {
    if (expulsion.type === "expel" || access.rooms.size === 0) return [expulsion]
    const { room } = expulsion
    const into = arrivals.filter(({ name }) => name === room).flatMap(({ people }) => people)
    return into.map(({ identity }) => ({ type: "expel", room, participantId: identity }))
  })

export class Admission {
  readonly #needs: Needs
  readonly #judged: Judged
  readonly #arrivals = new Map<string, Arrival[]>()
  #waiting = 0
  #isFull = false

  constructor(needs: Needs, judged: Judged) {
    this.#needs = needs
    this.#judged = judged
  }

  arrived(arrival: Arrival): void {
    const eventId = eventOf(arrival.room)
    if (eventId === undefined || !this.#hasPlace()) return
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

  /** Whether there is capacity. Logs once when there is none. */
  #hasPlace(): boolean {
    const wasFull = this.#isFull
    this.#isFull = this.#waiting >= MOST_WAITING
    if (this.#isFull && !wasFull)
      this.#needs.telemetry.log.warn({ waiting: this.#waiting }, "too many arrivals wait; the sweep judges the rest")
    return !this.#isFull
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

  #judge(eventId: string, arrivals: ReadonlyArray<Arrival>): Effect.Effect<void> {
    const { log } = this.#needs.telemetry
    const rooms = arrivals.map(({ room, ...person }): MediaRoom => ({ name: room, people: [person] }))
    return Effect.suspend(() => judge(this.#needs, eventId, rooms)).pipe(
      Effect.tap((judgement) =>
        Effect.sync(() => this.#judged(eventId, { ...judgement, misplaced: arrivalsAlone(judgement, rooms) })),
      ),
      Effect.retry(RETRY_FOR_MINUTES),
      Effect.catchTag("NotFound", () => Effect.void),
      Effect.catch((failure) =>
        Effect.sync(() => log.warn({ err: failure, eventId }, "arrivals could not be judged; the sweep judges them")),
      ),
      Effect.asVoid,
    )
  }
}
