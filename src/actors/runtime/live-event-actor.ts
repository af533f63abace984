/**
 * One live event at work. Batches of commands, due deadlines, arrivals and presence flushes pass one lane, one at a time,
 * and take the same road: decide purely, commit under the epoch, adopt, publish. There is no second way to write.
 */
import { Effect } from "effect"
import { newId } from "../../model/ids.ts"
import type { LobbyPolicy } from "../../model/live-values.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import { keepRoster } from "../../store/live-events.ts"
import { type Envelope, type NotOwner, type Outcome, StoreUnavailable, type Unreachable } from "../commands.ts"
import { Batch, type CommitEntry, encodeEphemeral, entryOfTurn } from "../commit/batch.ts"
import { Answers } from "../commit/command-log.ts"
import { TIMER_SCOPE } from "../commit/execution.ts"
import { Executor, type NotCommitted } from "../commit/executor.ts"
import {
  type ActorServices,
  activate,
  commitBatch,
  type LoadedEvent,
  publishEphemeral,
  publishStanding,
} from "../commit/loaded-event.ts"
import { recallHeads } from "../commit/rehydrate.ts"
import type { ActivityDeadline, ReadContext } from "../domain/activities/activity.ts"
import { tellOfArrivals, tellOfDepartures, throttledDispatches } from "../domain/activities/registry.ts"
import { activePhase } from "../domain/state.ts"
import { Turn } from "../domain/turn.ts"
import { admissionOf, lobbyPolicy } from "../presence/admission-policy.ts"
import { NOBODY, Presence, type PresenceChange } from "../presence/presence.ts"
import { PresenceFlush } from "../presence/presence-flush.ts"
import { rosterPage } from "../presence/presence-view.ts"
import { type ReactionReport, Reactions } from "../presence/reactions.ts"
import { headsOfReading, Snapshots } from "../presence/snapshots.ts"
import { ViewThrottle } from "../presence/view-throttle.ts"
import type { LiveReading, PresenceReport, ReadQuery, RosterPage, RosterQuery } from "../protocol.ts"
import { DeadlineTimer } from "./deadline-timer.ts"
import { type Deadline, nextDeadline } from "./deadlines.ts"
import { type Mutex, openLane } from "./mutex.ts"
import { awaitHolders } from "./reconnect-grace.ts"

export interface ActorNeeds extends ActorServices {
  readonly eventId: string
  readonly presenceGraceMs: number
  readonly returnWithinMs: number
  readonly playbackUrlTemplate: string | null
  readonly canRecord: boolean
  /** Unix milliseconds. */
  readonly now: () => number
  /** Runs an effect beside the mailbox: timers and flushes. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Keeps the entity in memory until the returned function is called. */
  readonly stay: () => () => void
}

export class LiveEventActor {
  readonly #needs: ActorNeeds
  readonly #flush: PresenceFlush
  readonly #pulses: ViewThrottle
  readonly #alarm: DeadlineTimer
  readonly #executor: Executor
  readonly #reactions: Reactions
  readonly #snapshots = new Snapshots()
  readonly #inLane: Mutex
  /** Set while the event keeps itself in memory: how to let it go. */
  #leave: (() => void) | undefined
  #loaded: LoadedEvent | undefined
  /** Answers of commands without effect. They belong to the actor: a recovery of the resident does not forget them. */
  readonly #idle = new Answers()
  #presence: Presence | undefined
  /** Whoever holds something from before this activation is to be back by then. */
  #awaited: ActivityDeadline | undefined
  /** The lobby's, as it was last committed. */
  #policy: LobbyPolicy = "open"

  constructor(needs: ActorNeeds) {
    this.#needs = needs
    this.#inLane = openLane(needs.telemetry)
    const run = (body: Effect.Effect<void, Unreachable>): void => needs.fork(Effect.ignore(this.#inLane(body)))
    this.#flush = new PresenceFlush({
      services: needs,
      now: needs.now,
      presence: () => this.#presence,
      run,
      current: this.#current,
      commit: (from, step) => this.#commitStep(from, step),
      changed: (from, changes) => this.#tellOfChanges(from, changes),
    })
    this.#alarm = new DeadlineTimer({
      now: needs.now,
      fork: needs.fork,
      next: (since) => {
        const of = this.#loaded
        return of === undefined ? undefined : nextDeadline(this.#scene(of, needs.now()), since, this.#awaited)
      },
      see: (deadline, at) => {
        needs.telemetry.metrics.timersFired.add()
        return this.#inLane(this.#see(deadline, at))
      },
      recover: this.#inLane(this.#current),
      isWanted: () => this.#leave !== undefined,
    })
    this.#executor = new Executor({
      services: needs,
      current: this.#current,
      turn: (batch, envelope) => this.#turn(batch.loaded, batch.state, envelope),
      performed: (turn) => this.#pulses.request(turn.throttled),
      finalLeaves: (at) => this.#finalLeaves(at),
      commit: (batch) => this.#commit(batch),
      invalidate: () => {
        this.#loaded = undefined
      },
    })
    this.#pulses = new ViewThrottle((keys) => run(Effect.map(this.#current, (of) => this.#say(of, keys))))
    this.#reactions = new Reactions((tallies) => run(Effect.map(this.#current, (of) => this.#mention(of, tallies))))
  }

  stop(): void {
    this.#alarm.stop()
    this.#leave?.()
    this.#flush.stop()
    this.#pulses.stop()
    this.#reactions.stop()
  }

  /** What each of the commands came to, in their order; all that were accepted are committed then. */
  execute(envelopes: ReadonlyArray<Envelope>): Effect.Effect<ReadonlyArray<Outcome>, Unreachable> {
    return this.#inLane(this.#executor.execute(envelopes))
  }

  report(report: PresenceReport): Effect.Effect<void, Unreachable> {
    return this.#inLane(Effect.map(this.#current, (of) => this.#take(of, report)))
  }

  react(report: ReactionReport): Effect.Effect<void, Unreachable> {
    return Effect.sync(() => this.#reactions.add(report))
  }

  read(query: ReadQuery): Effect.Effect<LiveReading, Unreachable> {
    return this.#inLane(
      Effect.gen({ self: this }, function* () {
        const of = yield* this.#current
        yield* recallHeads(this.#needs.database, of, headsOfReading(of, query))
        return this.#snapshots.read(of, this.#presence, this.#needs.now(), query)
      }),
    )
  }

  roster(query: RosterQuery): Effect.Effect<RosterPage, Unreachable> {
    const page = (of: LoadedEvent): RosterPage =>
      this.#presence === undefined ? { participants: [], nextCursor: null } : rosterPage(of, this.#presence, query)
    return this.#inLane(Effect.map(this.#current, page))
  }

  /** The event as this process owns it, recovered first when it is not in memory. Only inside the lane. */
  readonly #current: Effect.Effect<LoadedEvent, Unreachable> = Effect.suspend(() => {
    if (this.#loaded !== undefined) return Effect.succeed(this.#loaded)
    return activate(this.#needs, this.#needs.eventId, this.#idle).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          this.#adopt(found)
          publishStanding(this.#needs, found)
        }),
      ),
    )
  })

  #turn(of: LoadedEvent, state: LoadedEvent["state"], given: Pick<Envelope, "by" | "at" | "freshId">): Turn {
    const { by, at, freshId } = given
    const { playbackUrlTemplate, canRecord } = this.#needs
    const people = this.#presence?.connectedPeople ?? NOBODY
    return new Turn({ records: of.records, state, people, by, now: at, freshId, playbackUrlTemplate, canRecord })
  }

  /**
   * Commits under the current epoch; who could not commit forgets what it knew, which the records has moved on from. Not
   * interruptible: a caller that has stopped waiting must not leave the actor on the old side of a commit that happens.
   */
  #commit(batch: Batch): Effect.Effect<LoadedEvent, NotCommitted> {
    const partings = batch.state.deleted ? (this.#presence?.changes ?? 0) : 0
    return commitBatch(this.#needs, batch).pipe(
      Effect.tap((next) =>
        Effect.sync(() => {
          batch.settle()
          this.#adopt(next)
          this.#touch(batch.participantChanges)
          if (batch.isHeard) this.#snapshots.forget()
          if (next.state.deleted) this.#forget(partings)
        }),
      ),
      Effect.tapError(() =>
        Effect.sync(() => {
          this.#loaded = undefined
          this.#alarm.recoverLater()
        }),
      ),
      Effect.uninterruptible,
    )
  }

  /** Without a command id nothing can have been answered before, and without a patch no capacity be overrun. */
  #commitStep(from: LoadedEvent, step: CommitEntry): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const batch = new Batch(from)
    batch.take(step)
    return Effect.catchTags(this.#commit(batch), {
      AnsweredBefore: Effect.die,
      OverCapacity: Effect.die,
      CommitRefused: () => new StoreUnavailable(),
    })
  }

  /** A turn of the event's own: nobody asked for it and nobody is answered. */
  #act(
    from: LoadedEvent,
    now: number,
    body: (turn: Turn) => void,
  ): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const turn = this.#turn(from, from.state, { by: null, at: now, freshId: newId() })
    try {
      body(turn)
    } catch (error) {
      turn.undo()
      this.#needs.telemetry.log.error({ err: error, eventId: this.#needs.eventId }, "an event's own turn failed")
      return Effect.fail(new StoreUnavailable())
    }
    this.#pulses.request(turn.throttled)
    return turn.isIdle ? Effect.succeed(from) : this.#commitStep(from, entryOfTurn(turn))
  }

  #tellOfChanges(
    from: LoadedEvent,
    changes: ReadonlyArray<PresenceChange>,
  ): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const of = (type: PresenceChange["type"]) =>
      changes.filter((change) => change.type === type).map(({ participant, at }) => ({ ...participant, joinedAt: at }))
    return this.#act(from, this.#needs.now(), (turn) => {
      const here = (id: string): boolean => this.#presence?.find(id) !== undefined
      // People that came and went, or went and came, within one flush are told of as they are now; removed ones are not inside.
      tellOfArrivals(
        turn,
        of("joined").filter(
          ({ participantId }) => here(participantId) && turn.people.find(participantId) !== undefined,
        ),
      )
      tellOfDepartures(
        turn,
        of("left").filter(({ participantId }) => !here(participantId)),
      )
    })
  }

  #scene({ records, state }: LoadedEvent, now: number): ReadContext {
    return { records, state, people: this.#presence ?? NOBODY, now }
  }

  #say(of: LoadedEvent, keys: ReadonlyArray<string>): void {
    const scene = this.#scene(of, this.#needs.now())
    const said = keys.flatMap((key) => throttledDispatches(scene, key))
    this.#mention(of, said)
  }

  #mention(of: LoadedEvent, said: ReadonlyArray<Ephemeral>): void {
    if (said.length === 0) return
    this.#snapshots.forget()
    const frames = said.map((one) => encodeEphemeral(one, this.#needs.now()))
    publishEphemeral(this.#needs, of, frames)
  }

  #adopt(next: LoadedEvent): void {
    const before = this.#loaded === undefined ? undefined : activePhase(this.#loaded.state)?.modality
    this.#loaded = next
    const { status } = next.state.event
    this.#presence ??= this.#recallPresence(next)
    const at = toTimestamp(this.#needs.now())
    this.#shut(next, this.#presence, at)
    if (status === "live") this.#presence.open(at)
    if (this.#presence.hasChanges || this.#presence.lobby.hasChanges) this.#flush.schedule()
    if (this.#presence.size > 0 && before !== activePhase(next.state)?.modality) this.#flush.rolesChanged()
    this.#alarm.set()
    this.#stay(status === "live" && !next.state.deleted)
  }

  /** The door has shut: whoever is inside without having been let in goes before it. */
  #shut({ state, records }: LoadedEvent, presence: Presence, at: Timestamp): void {
    const policy = lobbyPolicy(state, records)
    if (this.#policy === "open" && policy !== "open") presence.sendOut((who) => admissionOf(state, records, who), at)
    this.#policy = policy
  }

  /** Whoever stands elsewhere now reads differently in lists; what they hear shows in none. */
  #touch(standings: Batch["participantChanges"]): void {
    const moved = standings.filter(({ admission, hearsPoll }) => admission === undefined && hearsPoll === undefined)
    if (moved.length === 0) return
    const at = toTimestamp(this.#needs.now())
    for (const { participantId } of moved) this.#presence?.touch(participantId, at)
    this.#flush.schedule()
  }

  /** Presence at an activation: those of an orderly stop are waited for, so that a restart is nobody's absence. */
  #recallPresence({ state, roster, records }: LoadedEvent): Presence {
    const { status } = state.event
    const presence = new Presence(status === "live" || status === "ended", this.#needs.presenceGraceMs)
    const { now, returnWithinMs } = this.#needs
    this.#awaited = awaitHolders(records, now() + returnWithinMs)
    if (roster.length > 0) {
      presence.restore(roster, now() + returnWithinMs)
      this.#flush.schedule(returnWithinMs)
    }
    return presence
  }

  /** For an orderly stop: leaves word of who is here to the next activation. */
  get saveRoster(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const roster = this.#presence === undefined ? [] : [...this.#presence.all()]
      const epoch = this.#loaded?.fencingToken
      if (epoch === undefined || roster.length === 0) return Effect.void
      const { database, eventId } = this.#needs
      return Effect.ignore(
        database.runLive((sql) => keepRoster(sql, eventId, epoch, roster)).pipe(Effect.timeout("1 second")),
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
  #finalLeaves(at: number): ReadonlyArray<PresenceChange> {
    this.#presence?.clear(toTimestamp(at))
    return this.#presence?.peek(Number.MAX_SAFE_INTEGER) ?? []
  }

  #forget(partingsSaid: number): void {
    this.#presence?.drop(partingsSaid)
    this.#loaded = undefined
    this.#alarm.clear()
  }

  #see(deadline: Deadline, at: number): Effect.Effect<unknown, Unreachable> {
    if ("due" in deadline) {
      return Effect.flatMap(this.#current, (of) => this.#act(of, at, deadline.due)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            if (deadline === this.#awaited) this.#awaited = undefined
          }),
        ),
      )
    }
    const { command } = deadline
    const ids = { commandId: "", scope: TIMER_SCOPE, bodyHash: "", freshId: newId() }
    return this.#executor.execute([{ ...ids, by: null, at, command }])
  }

  #take({ state, records }: LoadedEvent, { node, changes }: PresenceReport): void {
    const presence = this.#presence
    if (presence === undefined) return
    const now = this.#needs.now()
    const at = toTimestamp(now)
    for (const change of changes) {
      if (change.type === "join")
        presence.enter(node, change.participant, admissionOf(state, records, change.participant), at)
      else if (change.type === "knock") presence.knock(node, change.participant, now, at)
      else presence.leave(node, change.participantId, now, at)
    }
    this.#flush.schedule()
  }
}
