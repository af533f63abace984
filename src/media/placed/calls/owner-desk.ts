/** Answers of an owner of broadcasts to other nodes. */
import { Cause, Effect } from "effect"
import type { Timers } from "../../../clock/timers.ts"
import type { Telemetry } from "../../../telemetry/telemetry.ts"
import type { OpenBroadcast } from "../../live/open-broadcasts.ts"
import { detailOf } from "../broadcasts.ts"
import type { OwnBroadcasts } from "../own-broadcasts.ts"
import { Bodies } from "./bodies.ts"
import { followed } from "./following.ts"
import { type OwnerAnswer, type OwnerRequest, toBytes } from "./protocol.ts"
import { refusedBecause } from "./refusals.ts"

const DONE: OwnerAnswer = { type: "done" }

export class OwnerDesk {
  readonly #node: string
  readonly #own: OwnBroadcasts["Service"]
  readonly #timers: Timers
  readonly #log: Telemetry["Service"]["log"]
  readonly #bodies: Bodies

  /** `node` is the name of this process. */
  constructor(node: string, own: OwnBroadcasts["Service"], timers: Timers, log: Telemetry["Service"]["log"]) {
    this.#log = log
    this.#node = node
    this.#own = own
    this.#timers = timers
    this.#bodies = new Bodies(timers)
  }

  /** Called every few seconds. */
  sweep(): void {
    this.#bodies.sweep()
  }

  answer(request: OwnerRequest): Effect.Effect<OwnerAnswer> {
    return Effect.catchCause(this.#answer(request), (cause) => {
      // The shard is leaving: the caller asks the next owner.
      if (Cause.hasInterrupts(cause)) return Effect.interrupt
      const failure = Cause.squash(cause)
      if (Cause.hasDies(cause)) this.#log.error({ err: failure }, "a request of another node failed unexpectedly")
      return Effect.succeed(refusedBecause(failure))
    })
  }

  #answer(request: OwnerRequest): Effect.Effect<OwnerAnswer, unknown> {
    const own = this.#own
    switch (request.type) {
      case "locate":
        return Effect.as(own.open(request.broadcastId), { type: "located", node: this.#node } as const)
      case "admit":
        return this.#admit(toBytes(request.tokenHash))
      case "bytes":
        return this.#with(request.broadcastId, (one) => this.#bodies.take(one, request))
      case "attend":
        return this.#with(request.broadcastId, () => this.#bodies.attend(request.upload))
      case "leave":
        return Effect.as(
          Effect.sync(() => this.#bodies.leave(request.upload, request.isAddressOver)),
          DONE,
        )
      case "follow":
        return this.#with(request.broadcastId, (one) => followed(one, request, this.#timers))
      case "detail":
        return Effect.map(own.open(request.broadcastId), (one) => ({
          type: "detailed" as const,
          ...detailOf(own.opened, one),
        }))
      case "refresh":
        return Effect.as(own.refresh, DONE)
      case "finish":
        return Effect.as(own.finish(request.broadcastId), DONE)
    }
  }

  #admit(tokenHash: Uint8Array): Effect.Effect<OwnerAnswer, unknown> {
    return Effect.map(this.#own.admit(tokenHash), ({ one }) => ({
      type: "admitted" as const,
      broadcastId: one.id,
      resets: one.input.resets,
      hasEnded: one.live.hasEnded,
    }))
  }

  #with(id: string, work: (one: OpenBroadcast) => Promise<OwnerAnswer>): Effect.Effect<OwnerAnswer, unknown> {
    return Effect.flatMap(this.#own.open(id), (one) =>
      Effect.tryPromise({ try: () => work(one), catch: (cause) => cause }),
    )
  }
}
