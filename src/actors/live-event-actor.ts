/**
 * One live event at work. Commands, due timers and presence flushes pass one lane, one at a time, and take the same road:
 * decide purely, commit under the epoch, adopt, publish. There is no second way to write.
 */
import { Effect, Semaphore } from "effect"
import { toTimestamp } from "../model/timestamp.ts"
import { type AnsweredBefore, findLiveCommand, keepRoster, type OverCapacity } from "../store/live-events.ts"
import { type Answer, type Envelope, type EventGone, type Moved, Refused, StoreAway } from "./commands.ts"
import { decide } from "./decide.ts"
import { answerOf, rememberedAnswer, stepOf, TIMER_SCOPE } from "./execution.ts"
import { Presence, type PresenceChange } from "./presence.ts"
import { PresenceFlush } from "./presence-flush.ts"
import { presenceView, rosterPage } from "./presence-view.ts"
import type { LiveSnapshot, PresenceReport, RosterPage, RosterQuery } from "./protocol.ts"
import { activate, commitStep, publishStanding, type Resident, type Step, type Surroundings } from "./resident.ts"
import { activePhase, activeTimers, gatewayPhase } from "./state.ts"
import { type Deadline, LONGEST_WAIT_MS, nextDeadline } from "./timers.ts"

/** What keeps an actor from its event. */
export type Away = Moved | EventGone | StoreAway

export interface ActorNeeds extends Surroundings {
  readonly eventId: string
  readonly presenceGraceMs: number
  readonly returnWithinMs: number
  /** Unix milliseconds. */
  readonly now: () => number
  /** Runs an effect beside the mailbox: timers and flushes. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Keeps the entity in memory until the returned function is called. */
  readonly stay: () => () => void
}

const OVER_CAPACITY = new Refused({ code: "conflict", detail: "More people than that are registered already." })
/** After a commit that failed for want of the database, the event is recovered this often until it works. */
const RECOVER_EVERY_MS = 500

export class LiveEventActor {
  readonly #needs: ActorNeeds
  readonly #flush: PresenceFlush
  readonly #inLane = Semaphore.makeUnsafe(1).withPermits(1)
  /** Set while the event keeps itself in memory: how to let it go. */
  #leave: (() => void) | undefined
  #resident: Resident | undefined
  #presence: Presence | undefined
  #timer: NodeJS.Timeout | undefined
  /** Timer deadlines up to this moment have been seen to. */
  #seenTo: number

  constructor(needs: ActorNeeds) {
    this.#needs = needs
    this.#seenTo = needs.now()
    this.#flush = new PresenceFlush({
      around: needs,
      now: needs.now,
      presence: () => this.#presence,
      run: (body) => needs.fork(Effect.ignore(this.#inLane(body))),
      current: this.#current,
      // A flush carries no command id, so it cannot have been answered before.
      commit: (from, step) =>
        Effect.catchTags(this.#commit(from, step), { AnsweredBefore: Effect.die, OverCapacity: Effect.die }),
    })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#leave?.()
    this.#flush.stop()
  }

  execute(envelope: Envelope): Effect.Effect<Answer, Refused | Away> {
    return this.#inLane(this.#execute(envelope))
  }

  report(report: PresenceReport): Effect.Effect<void, Away> {
    return this.#inLane(Effect.map(this.#current, () => this.#take(report)))
  }

  get snapshot(): Effect.Effect<LiveSnapshot, Away> {
    return this.#inLane(Effect.map(this.#current, (of) => this.#snapshot(of)))
  }

  roster(query: RosterQuery): Effect.Effect<RosterPage, Away> {
    const page = (of: Resident): RosterPage =>
      this.#presence === undefined
        ? { participants: [], nextCursor: null }
        : rosterPage(of.state, this.#presence, query)
    return this.#inLane(Effect.map(this.#current, page))
  }

  /** The event as this process owns it, recovered first when it is not in memory. Only inside the lane. */
  readonly #current: Effect.Effect<Resident, Away> = Effect.suspend(() => {
    if (this.#resident !== undefined) return Effect.succeed(this.#resident)
    return activate(this.#needs, this.#needs.eventId).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          this.#adopt(found)
          publishStanding(this.#needs, found)
        }),
      ),
    )
  })

  #execute(envelope: Envelope): Effect.Effect<Answer, Refused | Away> {
    return Effect.gen({ self: this }, function* () {
      const from = yield* this.#current
      const remembered = yield* rememberedAnswer(from, envelope)
      if (remembered !== undefined) return remembered
      const decision = decide(from.state, envelope)
      if (decision instanceof Refused) return yield* decision
      if (decision.idle) return answerOf(from, decision.result)
      const farewells = decision.next.deleted ? this.#partings(envelope.at) : []
      return yield* this.#commit(from, stepOf(from, envelope, decision, farewells)).pipe(
        Effect.map((after) => {
          if (after.state.deleted) this.#forget(farewells.length)
          return answerOf(after, decision.result)
        }),
        Effect.catchTags({
          AnsweredBefore: () => this.#recall(from, envelope),
          OverCapacity: () => Effect.fail(OVER_CAPACITY),
        }),
      )
    })
  }

  /** The store remembers an id that the actor has forgotten: its answer is read and given again. */
  #recall(from: Resident, envelope: Envelope): Effect.Effect<Answer, Refused | StoreAway> {
    const { database, eventId } = this.#needs
    return Effect.gen(function* () {
      const stored = yield* Effect.mapError(
        database.run((sql) => findLiveCommand(sql, eventId, envelope.scope, envelope.commandId)),
        () => new StoreAway(),
      )
      if (stored !== undefined) from.answers.remember(stored)
      return (yield* rememberedAnswer(from, envelope)) ?? (yield* new StoreAway())
    })
  }

  /**
   * Commits under the current epoch; whoever is moved on from forgets what it knew. Not interruptible: a caller that has
   * stopped waiting must not leave the actor on the old side of a commit that happens all the same.
   */
  #commit(from: Resident, step: Step): Effect.Effect<Resident, Moved | StoreAway | AnsweredBefore | OverCapacity> {
    return commitStep(this.#needs, from, step).pipe(
      Effect.tap((next) => Effect.sync(() => this.#adopt(next))),
      Effect.tapError((failure) =>
        Effect.sync(() => {
          // Refused as a whole: nothing was written, and what we know still stands.
          if (failure._tag === "AnsweredBefore" || failure._tag === "OverCapacity") return
          this.#resident = undefined
          this.#recoverLater()
        }),
      ),
      Effect.uninterruptible,
    )
  }

  #adopt(next: Resident): void {
    const before = this.#resident === undefined ? undefined : activePhase(this.#resident.state)?.modality
    this.#resident = next
    const { status } = next.state.event
    this.#presence ??= this.#recallPresence(next)
    if (status === "live") {
      this.#presence.open(toTimestamp(this.#needs.now()))
      if (this.#presence.hasChanges) this.#flush.schedule()
    }
    if (this.#presence.size > 0 && before !== activePhase(next.state)?.modality) this.#flush.rolesChanged()
    this.#arm()
    this.#stay(status === "live" && !next.state.deleted)
  }

  /** Presence at an activation: those of an orderly stop are waited for, so that a restart is nobody's absence. */
  #recallPresence({ state, roster }: Resident): Presence {
    const { status } = state.event
    const presence = new Presence(status === "live" || status === "ended", this.#needs.presenceGraceMs)
    const { now, returnWithinMs } = this.#needs
    if (roster.length > 0) {
      presence.restore(roster, now() + returnWithinMs)
      this.#flush.schedule(returnWithinMs)
    }
    return presence
  }

  /** For an orderly stop: leaves word of who is here to the next activation. */
  get farewell(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const roster = this.#presence === undefined ? [] : [...this.#presence.all()]
      const epoch = this.#resident?.epoch
      if (epoch === undefined || roster.length === 0) return Effect.void
      const { database, eventId } = this.#needs
      return Effect.ignore(
        database.run((sql) => keepRoster(sql, eventId, epoch, roster)).pipe(Effect.timeout("1 second")),
      )
    })
  }

  /** A live event stays in memory without traffic, so that its timers fire. */
  #stay(wanted: boolean): void {
    if (wanted) this.#leave ??= this.#needs.stay()
    else {
      this.#leave?.()
      this.#leave = undefined
    }
  }

  /** Everyone's leave, for the last words of a deleted event: no later commit could carry them. */
  #partings(at: number): ReadonlyArray<PresenceChange> {
    this.#presence?.clear(toTimestamp(at))
    return this.#presence?.peek(Number.MAX_SAFE_INTEGER) ?? []
  }

  #forget(partingsSaid: number): void {
    this.#presence?.drop(partingsSaid)
    this.#resident = undefined
    clearTimeout(this.#timer)
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const deadline = this.#resident === undefined ? undefined : nextDeadline(this.#resident.state, this.#seenTo)
    if (deadline === undefined) return
    const wait = Math.max(0, deadline.at - this.#needs.now())
    this.#timer = setTimeout(
      () => (wait > LONGEST_WAIT_MS ? this.#arm() : this.#fire(deadline)),
      Math.min(wait, LONGEST_WAIT_MS),
    )
  }

  /** A due deadline enters the lane as a command. Refused: it moved meanwhile, and the commit that moved it armed the new one. */
  #fire({ at, command }: Deadline): void {
    const { now, telemetry, fork } = this.#needs
    telemetry.metrics.timersFired.add()
    const envelope: Envelope = {
      commandId: "",
      scope: TIMER_SCOPE,
      bodyHash: "",
      role: null,
      at: Math.max(now(), at),
      command,
    }
    const seen = Effect.sync(() => {
      this.#seenTo = Math.max(this.#seenTo, at)
      this.#arm()
    })
    const unreachable = Effect.sync(() => this.#recoverLater())
    fork(
      this.execute(envelope).pipe(
        Effect.andThen(seen),
        Effect.catchTags({ Refused: () => Effect.void, StoreAway: () => unreachable, Moved: () => unreachable }),
        Effect.ignore,
      ),
    )
  }

  /** Recovers until it works, which arms the timer again. */
  #recoverLater(): void {
    clearTimeout(this.#timer)
    if (this.#leave === undefined) return
    this.#timer = setTimeout(() => {
      const again = Effect.sync(() => this.#recoverLater())
      const armed = Effect.sync(() => this.#arm())
      const recovered = Effect.andThen(this.#inLane(this.#current), armed)
      this.#needs.fork(recovered.pipe(Effect.catchTags({ StoreAway: () => again, Moved: () => again }), Effect.ignore))
    }, RECOVER_EVERY_MS)
  }

  #take(report: PresenceReport): void {
    const now = this.#needs.now()
    const at = toTimestamp(now)
    for (const change of report.changes) {
      if (change.type === "join") this.#presence?.join(report.node, change.participant, at)
      else this.#presence?.leave(report.node, change.participantId, now, at)
    }
    this.#flush.schedule()
  }

  #snapshot(of: Resident): LiveSnapshot {
    const { state } = of
    return {
      history: of.history,
      version: of.version,
      heads: Object.fromEntries(of.heads),
      event: state.event,
      phases: state.phases.map(gatewayPhase),
      activePhaseId: activePhase(state)?.id ?? null,
      timers: activeTimers(state).map((timer) => ({ ...timer })),
      presence: this.#presence === undefined ? {} : presenceView(state, this.#presence),
      removed: state.removed,
    }
  }
}
