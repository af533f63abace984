/**
 * The live event as its actor owns it: recovered on demand, changed by turns, committed under the fencing token, and adopted after the
 * commit. All methods run in turns of the actor. Other parts of the actor react to the events that are emitted.
 */
import { Effect } from "effect"
import { newId } from "../../model/ids.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import { keepPresence, type PresenceDelta } from "../../store/live/live-commit.ts"
import { NotOwner, type Received, StoreUnavailable, type Unreachable } from "../commands.ts"
import { type ReadContext, Turn } from "../domain/turn.ts"
import { nextDeadline } from "../machine/clock.ts"
import { NOBODY, Presence, type PresenceChange } from "../presence/presence.ts"
import type { EventAddress, EventServices } from "../services.ts"
import { activePhaseOf, isDeleted } from "../state/state.ts"
import { loadedOf, recover } from "./activation.ts"
import { Batch, type CommitEntry, encodeEphemeral } from "./batch.ts"
import { ChartActor } from "./chart-actor.ts"
import { Answers } from "./command-log.ts"
import { commitBatch, feedMessage, type NotCommitted } from "./commit-batch.ts"
import type { LoadedEvent } from "./loaded-event.ts"

export type LoadedEventChange =
  /** A recovered or committed state is now current. `isNewPhase`: effective roles may differ. */
  | { readonly type: "adopted"; readonly loaded: LoadedEvent; readonly isNewPhase: boolean }
  /** The first state in this process is being adopted; its presence is empty. */
  | { readonly type: "activated"; readonly loaded: LoadedEvent; readonly presence: Presence }
  | { readonly type: "committed"; readonly batch: Batch }
  /** A commit failed: the event is not in memory until it is recovered. */
  | { readonly type: "discarded" }
  /** A turn changed these throttled views. */
  | { readonly type: "viewsChanged"; readonly views: Turn["throttled"] }

/** The actor whose event is committed. */
interface Actor extends EventAddress {
  /** Runs an effect in a turn of the event. */
  readonly turn: <A>(body: Effect.Effect<A, Unreachable>) => Effect.Effect<A, Unreachable>
  /** Like `turn`, without waiting for the result. */
  readonly aside: (body: Effect.Effect<void, Unreachable>) => void
  readonly follow: (change: LoadedEventChange) => void
}

export class Committer {
  readonly services: EventServices
  readonly actor: Actor
  #loaded: LoadedEvent | undefined
  /** Answers of commands without effect. They belong to the actor and survive a recovery of the loaded event. */
  readonly #idle = new Answers()
  #presence: Presence | undefined
  /**
   * Fencing token of this actor's last claim. The next claim has the next number unless there was a claim in between, by another owner or
   * by this one when the reply was lost.
   */
  #fencingToken = 0
  /** Unix milliseconds; 0 before the first claim. */
  #claimedAt = 0
  readonly chart: ChartActor

  constructor(services: EventServices, actor: Actor) {
    this.services = services
    this.actor = actor
    this.chart = new ChartActor(services)
  }

  /** `undefined` while the event is not in memory. */
  get loaded(): LoadedEvent | undefined {
    return this.#loaded
  }

  /** Unix milliseconds. */
  get now(): number {
    return this.services.timers.now()
  }

  get claimedAt(): number {
    return this.#claimedAt
  }

  /** `undefined` before the first activation. */
  get presence(): Presence | undefined {
    return this.#presence
  }

  /** The event as this process owns it; recovered first if it is not in memory. */
  get current(): Effect.Effect<LoadedEvent, Unreachable> {
    return Effect.suspend(() => (this.#loaded === undefined ? this.#recover() : Effect.succeed(this.#loaded)))
  }

  #recover(): Effect.Effect<LoadedEvent, Unreachable> {
    return Effect.map(recover(this.services, this.actor), (recovered) => {
      const found = loadedOf(recovered, this.#idle)
      this.#claimed(found.fencingToken)
      this.#claimedAt = this.now
      this.#adopt(found, [])
      this.note(found, {})
      return found
    })
  }

  /**
   * Discards presence after a gap between claims: changes that another owner announced are in the store alone, and gateways report
   * everybody again.
   */
  #claimed(fencingToken: number): void {
    if (fencingToken !== this.#fencingToken + 1) this.#presence = undefined
    this.#fencingToken = fencingToken
  }

  turn(of: LoadedEvent, state: LoadedEvent["state"], given: Pick<Received, "by" | "at" | "freshId">): Turn {
    const { by, at, freshId } = given
    const people = this.#presence?.connectedPeople ?? NOBODY
    return new Turn({ records: of.records, state, people, by, now: at, freshId, deployment: this.services })
  }

  contextOf({ records, state }: LoadedEvent): ReadContext {
    return { records, state, people: this.#presence ?? NOBODY, now: this.now }
  }

  /** The next deadline after `since`, up to which deadlines are handled; none when the event is not in memory. */
  nextDeadline(since: number): ReturnType<typeof nextDeadline> {
    return this.#loaded && nextDeadline(this.contextOf(this.#loaded), since)
  }

  /**
   * Publishes without a commit: ephemeral dispatches, connections for their nodes to close, or the event's version alone, so that a
   * subscriber that missed the last messages of a lost commit notices. A note may be lost.
   */
  note(of: LoadedEvent, fields: Pick<Parameters<typeof feedMessage>[2], "replaced" | "ephemeral">): void {
    this.services.feed.publish(feedMessage(of, "note", fields))
  }

  /** Publishes dispatches that have no place in a stream. */
  publishEphemeral(of: LoadedEvent, dispatches: ReadonlyArray<Ephemeral>): void {
    const { now } = this
    this.note(of, { ephemeral: dispatches.map((one) => encodeEphemeral(one, now)) })
  }

  /** Called at the end of a turn that was not refused. */
  performed(turn: Turn): void {
    this.actor.follow({ type: "viewsChanged", views: turn.throttled })
  }

  /** Called when a turn failed after changing the loaded event, which must not be used again. */
  invalidate(): void {
    this.#loaded = undefined
  }

  /**
   * Commits under the current fencing token, publishes, and adopts the new state. A failure discards the loaded event, because its records
   * are ahead of the store. Not interruptible: a caller that stops waiting must not leave the actor on the old version of a commit that
   * happens.
   */
  commit(batch: Batch): Effect.Effect<LoadedEvent, NotCommitted> {
    const leaves = isDeleted(batch.state) ? (this.#presence?.changes ?? 0) : 0
    return commitBatch(this.services, this.actor, batch, (fencingToken) => this.#claimed(fencingToken)).pipe(
      Effect.tap((next) =>
        Effect.sync(() => {
          batch.settle()
          this.#adopt(next, batch.moves)
          if (isDeleted(next.state)) this.#forget(leaves)
          this.actor.follow({ type: "committed", batch })
        }),
      ),
      Effect.tapError(() =>
        Effect.sync(() => {
          this.#loaded = undefined
          this.actor.follow({ type: "discarded" })
        }),
      ),
      Effect.uninterruptible,
    )
  }

  /** Commits one step. A step without a command id cannot have been answered before, and one without a patch cannot exceed the capacity. */
  commitStep(from: LoadedEvent, step: CommitEntry): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const batch = new Batch(from)
    batch.add(step)
    return Effect.catchTags(this.commit(batch), {
      AnsweredBefore: Effect.die,
      OverCapacity: Effect.die,
      PhaseRecorded: Effect.die,
      CommitRefused: () => new StoreUnavailable(),
    })
  }

  /** Stores presence without a new version, because no client is notified. */
  keepPresence(of: LoadedEvent, delta: PresenceDelta): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    if (delta.present.length === 0 && delta.absent.length === 0) return Effect.succeed(of)
    return keepPresence(this.services.database.liveSql, this.actor.eventId, of.fencingToken, delta).pipe(
      Effect.as(of),
      Effect.mapError((failure) => {
        if (failure._tag === "Unavailable") return new StoreUnavailable()
        this.#loaded = undefined
        this.actor.follow({ type: "discarded" })
        return new NotOwner()
      }),
    )
  }

  /** Runs a turn of the event itself, without a caller. */
  act(
    from: LoadedEvent,
    now: number,
    body: (turn: Turn) => void,
  ): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const turn = this.turn(from, from.state, { by: null, at: now, freshId: newId() })
    try {
      body(turn)
    } catch (error) {
      turn.undo()
      this.services.telemetry.log.error({ err: error, eventId: this.actor.eventId }, "an event's own turn failed")
      return Effect.fail(new StoreUnavailable())
    }
    this.performed(turn)
    return turn.isIdle ? Effect.succeed(from) : this.commitStep(from, turn)
  }

  /** Departures of all participants, for the commit that deletes the event: no later one can carry them. */
  finalLeaves(at: number): ReadonlyArray<PresenceChange> {
    this.#presence?.clear(toTimestamp(at))
    return this.#presence?.peek(Number.MAX_SAFE_INTEGER) ?? []
  }

  #adopt(next: LoadedEvent, moves: Batch["moves"]): void {
    const before = this.#loaded === undefined ? undefined : activePhaseOf(this.#loaded.state)?.modality
    const isRecovered = this.#loaded === undefined
    this.#loaded = next
    const presence = this.#presence ?? this.#activate(next)
    const adopted = { loaded: next, presence }
    if (isRecovered) this.chart.recovered(adopted)
    else this.chart.committed(adopted, moves)
    this.actor.follow({ type: "adopted", loaded: next, isNewPhase: before !== activePhaseOf(next.state)?.modality })
  }

  #activate(loaded: LoadedEvent): Presence {
    const { status } = loaded.state.event
    const { presenceGraceMs, returnWithinMs } = this.services
    const presence = new Presence(status === "live" || status === "ended", presenceGraceMs, returnWithinMs)
    this.#presence = presence
    this.actor.follow({ type: "activated", loaded, presence })
    return presence
  }

  /** Drops the deleted event. `leaves`: the presence changes that its last commit published. */
  #forget(leaves: number): void {
    this.#presence?.drop(leaves)
    this.#loaded = undefined
    this.chart.stop()
  }
}
