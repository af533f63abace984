/** Copies of broadcasts that viewers of this node watch and other nodes own. */
import { Effect } from "effect"
import type { Timers } from "../../../clock/timers.ts"
import { type NotFound, Unavailable } from "../../../model/errors.ts"
import type { BroadcastOf } from "../broadcasts.ts"
import type { FollowRequest, OwnerAnswer } from "./protocol.ts"
import { Replica } from "./replica.ts"

/** Bounded, because anybody may watch any public broadcast, and a copy holds half a minute of it. */
const MOST_REPLICAS = 256

const tooMany = new Unavailable({ detail: "Too many broadcasts are watched at this server.", retryAfterSeconds: 5 })

type Ask = (eventId: string, request: FollowRequest) => Promise<OwnerAnswer>

export class Replicas {
  readonly #timers: Timers
  readonly #ask: Ask
  readonly #replicas = new Map<string, Replica>()
  /** Replicas that are starting, shared by concurrent callers. */
  readonly #beginning = new Map<string, Promise<Replica>>()
  #isClosed = false

  constructor(timers: Timers, ask: Ask) {
    this.#timers = timers
    this.#ask = ask
  }

  /** A replica that has its state. */
  use(id: string): Replica | undefined {
    return this.#replicas.get(id)?.use()
  }

  open({ id, eventId }: BroadcastOf): Effect.Effect<Replica, NotFound | Unavailable> {
    return Effect.suspend((): Effect.Effect<Replica, NotFound | Unavailable> => {
      const known = this.use(id)
      if (known !== undefined) return Effect.succeed(known)
      if (this.#replicas.size + this.#beginning.size >= MOST_REPLICAS && !this.#beginning.has(id)) {
        return Effect.fail(tooMany)
      }
      return Effect.tryPromise({
        try: () => this.#beginningOf(id, eventId),
        catch: (cause) => cause as NotFound | Unavailable,
      })
    })
  }

  /** No replica is opened afterwards. */
  closeAll(): void {
    this.#isClosed = true
    for (const replica of [...this.#replicas.values()]) replica.close()
  }

  #beginningOf(id: string, eventId: string): Promise<Replica> {
    const under = this.#beginning.get(id)
    if (under !== undefined) return under
    const replica = new Replica({
      broadcastId: id,
      timers: this.#timers,
      ask: (request) => this.#ask(eventId, request),
      onClosed: () => {
        if (this.#replicas.get(id) === replica) this.#replicas.delete(id)
      },
    })
    const beginning = replica
      .begin()
      .then(() => {
        if (this.#isClosed) replica.close()
        else this.#replicas.set(id, replica)
        return replica
      })
      .finally(() => this.#beginning.delete(id))
    this.#beginning.set(id, beginning)
    return beginning
  }
}
