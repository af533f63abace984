/**
 * The live events in this process' memory, for callers in the same process. Their requests go to the actor directly: a command that
 * comes alone takes a quarter less processor time without the mailbox of the cluster engine. Requests from other nodes, and for events that are not in memory, go
 * through the engine, which alone decides where an event is activated and when it leaves.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { ClusterError, type EntityAddress } from "effect/cluster"
import { NotOwner } from "../commands.ts"
import type { LiveEventRequests } from "../protocol.ts"

interface Needs {
  readonly address: EntityAddress.EntityAddress
  readonly requests: LiveEventRequests
  /** Does this process have the event's shard? The engine refuses requests as soon as it has not. */
  readonly isHere: () => boolean
  /** Requests under way; one more fails with `MailboxFull`. */
  readonly most: number
  /** A request that takes longer is interrupted, in milliseconds. */
  readonly answersWithinMs: number
  /** Runs an effect beside its caller. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** A request ended with a defect: the actor must be built anew. */
  readonly broken: () => void
}

/** The engine waits as long for requests that it brought. */
const LEAVES_WITHIN = "2 seconds"

export class ResidentEvent {
  readonly #needs: Needs
  readonly #underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  #isLeaving = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get isHere(): boolean {
    return !this.#isLeaving && this.#needs.isHere()
  }

  /**
   * Runs the request in a fiber of its own: a caller that stops waiting interrupts it, and does not wait for a commit, which cannot be
   * interrupted. `NotOwner`: the event is leaving memory. `TimeoutError`: no answer came in time. The deadline is a plain timer,
   * because `Effect.timeout` takes two more fibers, which a command that comes alone would wait for.
   */
  ask<A, E>(
    request: (requests: LiveEventRequests) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | NotOwner | ClusterError.MailboxFull | Cause.TimeoutError> {
    return Effect.callback((resume) => {
      const { address, requests, most, answersWithinMs, fork, broken } = this.#needs
      if (this.#isLeaving || this.#underWay.size >= most) {
        resume(Effect.fail(this.#isLeaving ? new NotOwner() : new ClusterError.MailboxFull({ address })))
        return
      }
      const fiber = fork(request(requests))
      this.#underWay.add(fiber)
      const deadline = setTimeout(() => {
        fiber.interruptUnsafe()
        resume(Effect.fail(new Cause.TimeoutError()))
      }, answersWithinMs)
      fiber.addObserver((exit) => {
        clearTimeout(deadline)
        this.#underWay.delete(fiber)
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) broken()
        resume(exit)
      })
      return Effect.sync(() => fiber.interruptUnsafe())
    })
  }

  /** Takes no more requests, and ends when none is under way. Those that take too long are interrupted. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => {
    this.#isLeaving = true
    const underWay = [...this.#underWay]
    if (underWay.length === 0) return Effect.void
    return Effect.forEach(underWay, (fiber) => Fiber.await(fiber), { discard: true }).pipe(
      Effect.timeoutOption(LEAVES_WITHIN),
      Effect.andThen(
        Effect.sync(() => {
          for (const fiber of underWay) fiber.interruptUnsafe()
        }),
      ),
    )
  })
}

export class ResidentEvents extends Context.Service<
  ResidentEvents,
  {
    readonly find: (eventId: string) => ResidentEvent | undefined
    readonly enter: (eventId: string, resident: ResidentEvent) => void
    /** Does nothing when another activation of the event is there by now. */
    readonly leave: (eventId: string, resident: ResidentEvent) => void
  }
>()("gathercue/ResidentEvents") {
  static readonly layer: Layer.Layer<ResidentEvents> = Layer.sync(ResidentEvents, () => {
    const residents = new Map<string, ResidentEvent>()
    return {
      find: (eventId) => {
        const resident = residents.get(eventId)
        return resident?.isHere === true ? resident : undefined
      },
      enter: (eventId, resident) => void residents.set(eventId, resident),
      leave: (eventId, resident) => {
        if (residents.get(eventId) === resident) residents.delete(eventId)
      },
    }
  })

  /** No event is found: all requests go through the engine. */
  static readonly none: Layer.Layer<ResidentEvents> = Layer.succeed(ResidentEvents, {
    find: () => undefined,
    enter: () => {},
    leave: () => {},
  })
}
