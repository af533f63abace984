/**
 * The actor of one live event. Batches of commands, deadlines, arrivals and presence flushes run under one mutex, one at a time,
 * in the same steps: decide purely, commit under the fencing token, publish, adopt. There is no other way to write.
 */
import { Effect } from "effect"
import { newId } from "../../model/ids.ts"
import type { LobbyPolicy } from "../../model/live/live-values.ts"
import type { PlaybackUrlOf } from "../../model/playback-url.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import { keepRoster } from "../../store/live/live-events.ts"
import { type Envelope, type NotOwner, type Outcome, StoreUnavailable, type Unreachable } from "../commands.ts"
import { activate } from "../commit/activation.ts"
import { Batch, type CommitEntry, encodeEphemeral, entryOfTurn } from "../commit/batch.ts"
import { Answers } from "../commit/command-log.ts"
import { commitBatch } from "../commit/commit-batch.ts"
import { TIMER_SCOPE } from "../commit/execution.ts"
import { Executor, type NotCommitted } from "../commit/executor.ts"
import { publishEphemeral, publishVersion } from "../commit/feed-messages.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallHeads } from "../commit/rehydrate.ts"
import type { ActivityDeadline, ReadContext } from "../domain/activities/activity.ts"
import { tellOfArrivals, tellOfDepartures, throttledDispatches } from "../domain/activities/registry.ts"
import { pardon } from "../domain/activities/removals.ts"
import { activePhase } from "../domain/state.ts"
import { type Recorder, Turn } from "../domain/turn.ts"
import { admissionOf, lobbyPolicy } from "../presence/admission-policy.ts"
import { NOBODY, Presence, type PresenceChange } from "../presence/presence.ts"
import { PresenceFlush } from "../presence/presence-flush.ts"
import { rosterPage } from "../presence/presence-view.ts"
import { type ReactionReport, Reactions } from "../presence/reactions.ts"
import { headsOfReading, Snapshots } from "../presence/snapshots.ts"
import { ViewThrottle } from "../presence/view-throttle.ts"
import type { LiveReading, PresenceReport, ReadQuery, RosterPage, RosterQuery } from "../protocol.ts"
import type { ActorServices } from "../services.ts"
import { awaitHolders } from "./awaited-holders.ts"
import { DeadlineTimer } from "./deadline-timer.ts"
import { type Deadline, nextDeadline } from "./deadlines.ts"
import { type Mutex, openMutex } from "./mutex.ts"

export interface ActorNeeds extends ActorServices {
  readonly eventId: string
  readonly presenceGraceMs: number
  readonly returnWithinMs: number
  readonly playbackUrlOf: PlaybackUrlOf
  readonly recorder: Recorder
  /** Runs an effect beside the mailbox: timers and flushes. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Keeps the entity in memory until the returned function is called. */
  readonly keepAlive: () => () => void
}

export class LiveEventActor {
  readonly #needs: ActorNeeds
  readonly #flush: PresenceFlush
  readonly #viewThrottle: ViewThrottle
  readonly #deadlineTimer: DeadlineTimer
  readonly #executor: Executor
  readonly #reactions: Reactions
  readonly #snapshots = new Snapshots()
  readonly #exclusive: Mutex
  /** Lets the entity go; set while the event keeps itself in memory. */
  #stopKeepAlive: (() => void) | undefined
  #loaded: LoadedEvent | undefined
  /** Answers of commands without effect. They belong to the actor: a recovery of the loaded event keeps them. */
  readonly #idle = new Answers()
  #presence: Presence | undefined
  /** The deadline for the return of participants that hold a hand or a seat from before this activation. */
  #awaitedReturns: ActivityDeadline | undefined
  /** The waiting-room policy of the last commit. */
  #policy: LobbyPolicy = "open"

  constructor(needs: ActorNeeds) {
    this.#needs = needs
    this.#exclusive = openMutex(needs.timers, needs.telemetry)
    const run = (body: Effect.Effect<void, Unreachable>): void => needs.fork(Effect.ignore(this.#exclusive(body)))
    this.#flush = new PresenceFlush({
      services: needs,
      presence: () => this.#presence,
      run,
      current: this.#current,
      commit: (from, step) => this.#commitStep(from, step),
      changed: (from, changes) => this.#notifyActivities(from, changes),
    })
    this.#deadlineTimer = new DeadlineTimer({
      timers: needs.timers,
      fork: needs.fork,
      next: (since) => {
        const of = this.#loaded
        return of === undefined
          ? undefined
          : nextDeadline(this.#readContext(of, needs.timers.now()), since, this.#awaitedReturns)
      },
      handle: (deadline, at) => {
        needs.telemetry.metrics.timersFired.add()
        return this.#exclusive(this.#handleDeadline(deadline, at))
      },
      // An event that keeps itself in memory has deadlines to handle; any other is loaded when it is asked for.
      recover: Effect.suspend(() =>
        this.#stopKeepAlive === undefined ? Effect.void : Effect.asVoid(this.#exclusive(this.#current)),
      ),
    })
    this.#executor = new Executor({
      services: needs,
      current: this.#current,
      turn: (batch, envelope) => this.#turn(batch.loaded, batch.state, envelope),
      performed: (turn) => this.#viewThrottle.request(turn.throttled),
      finalLeaves: (at) => this.#finalLeaves(at),
      commit: (batch) => this.#commit(batch),
      invalidate: () => {
        this.#loaded = undefined
      },
    })
    this.#viewThrottle = new ViewThrottle(needs.timers, (keys) =>
      run(Effect.map(this.#current, (of) => this.#publishViews(of, keys))),
    )
    this.#reactions = new Reactions(needs.timers, (tallies) =>
      run(Effect.map(this.#current, (of) => this.#publishEphemeral(of, tallies))),
    )
  }

  stop(): void {
    this.#deadlineTimer.stop()
    this.#stopKeepAlive?.()
    this.#flush.stop()
    this.#viewThrottle.stop()
    this.#reactions.stop()
  }

  /** Returns the outcomes in the order of the commands. All accepted commands are committed by then. */
  execute(envelopes: ReadonlyArray<Envelope>): Effect.Effect<ReadonlyArray<Outcome>, Unreachable> {
    return this.#exclusive(this.#executor.execute(envelopes))
  }

  report(report: PresenceReport): Effect.Effect<void, Unreachable> {
    return this.#exclusive(
      Effect.flatMap(this.#current, (of) => {
        this.#applyReport(of, report)
        return this.#pardonManagers(of, report)
      }),
    )
  }

  react(report: ReactionReport): Effect.Effect<void, Unreachable> {
    return Effect.sync(() => this.#reactions.add(report))
  }

  read(query: ReadQuery): Effect.Effect<LiveReading, Unreachable> {
    return this.#exclusive(
      Effect.gen({ self: this }, function* () {
        const of = yield* this.#current
        yield* recallHeads(this.#needs.database, of, headsOfReading(of, query))
        return this.#snapshots.read(of, this.#presence, this.#needs.timers.now(), query)
      }),
    )
  }

  roster(query: RosterQuery): Effect.Effect<RosterPage, Unreachable> {
    const page = (of: LoadedEvent): RosterPage =>
      this.#presence === undefined ? { participants: [], nextCursor: null } : rosterPage(of, this.#presence, query)
    return this.#exclusive(Effect.map(this.#current, page))
  }

  /** The event as this process owns it, recovered first when it is not in memory. Only under the mutex. */
  readonly #current: Effect.Effect<LoadedEvent, Unreachable> = Effect.suspend(() => {
    if (this.#loaded !== undefined) return Effect.succeed(this.#loaded)
    return activate(this.#needs, this.#needs.eventId, this.#idle).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          this.#adopt(found)
          publishVersion(this.#needs, found)
        }),
      ),
    )
  })

  #turn(of: LoadedEvent, state: LoadedEvent["state"], given: Pick<Envelope, "by" | "at" | "freshId">): Turn {
    const { by, at, freshId } = given
    const { playbackUrlOf, recorder } = this.#needs
    const people = this.#presence?.connectedPeople ?? NOBODY
    return new Turn({ records: of.records, state, people, by, now: at, freshId, playbackUrlOf, recorder })
  }

  /**
   * Commits under the current fencing token, publishes, and adopts the new state. After a failure the actor discards the loaded event, because its records have moved ahead of
   * the store. Not interruptible: a caller that stops waiting must not leave the actor on the old version of a commit that
   * happens.
   */
  #commit(batch: Batch): Effect.Effect<LoadedEvent, NotCommitted> {
    const partings = batch.state.deleted ? (this.#presence?.changes ?? 0) : 0
    return commitBatch(this.#needs, batch).pipe(
      Effect.tap((next) =>
        Effect.sync(() => {
          batch.settle()
          this.#adopt(next)
          this.#touch(batch.participantChanges)
          if (batch.reachesMany) this.#snapshots.forget()
          if (next.state.deleted) this.#forget(partings)
        }),
      ),
      Effect.tapError(() =>
        Effect.sync(() => {
          this.#loaded = undefined
          this.#deadlineTimer.recoverLater()
        }),
      ),
      Effect.uninterruptible,
    )
  }

  /** A step without a command id cannot have been answered before, and one without a patch cannot exceed the capacity. */
  #commitStep(from: LoadedEvent, step: CommitEntry): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const batch = new Batch(from)
    batch.add(step)
    return Effect.catchTags(this.#commit(batch), {
      AnsweredBefore: Effect.die,
      OverCapacity: Effect.die,
      CommitRefused: () => new StoreUnavailable(),
    })
  }

  /** A turn of the event itself, without a caller. */
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
    this.#viewThrottle.request(turn.throttled)
    return turn.isIdle ? Effect.succeed(from) : this.#commitStep(from, entryOfTurn(turn))
  }

  #notifyActivities(
    from: LoadedEvent,
    changes: ReadonlyArray<PresenceChange>,
  ): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable> {
    const of = (type: PresenceChange["type"]) =>
      changes.filter((change) => change.type === type).map(({ participant, at }) => ({ ...participant, joinedAt: at }))
    return this.#act(from, this.#needs.timers.now(), (turn) => {
      const here = (id: string): boolean => this.#presence?.find(id) !== undefined
      // Of participants that joined and left within one flush the present state counts; removed ones are not inside.
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

  #readContext({ records, state }: LoadedEvent, now: number): ReadContext {
    return { records, state, people: this.#presence ?? NOBODY, now }
  }

  #publishViews(of: LoadedEvent, keys: ReadonlyArray<string>): void {
    const scene = this.#readContext(of, this.#needs.timers.now())
    const said = keys.flatMap((key) => throttledDispatches(scene, key))
    this.#publishEphemeral(of, said)
  }

  #publishEphemeral(of: LoadedEvent, said: ReadonlyArray<Ephemeral>): void {
    if (said.length === 0) return
    this.#snapshots.forget()
    const frames = said.map((one) => encodeEphemeral(one, this.#needs.timers.now()))
    publishEphemeral(this.#needs, of, frames)
  }

  #adopt(next: LoadedEvent): void {
    const before = this.#loaded === undefined ? undefined : activePhase(this.#loaded.state)?.modality
    this.#loaded = next
    const { status } = next.state.event
    this.#presence ??= this.#recallPresence(next)
    const at = toTimestamp(this.#needs.timers.now())
    this.#shut(next, this.#presence, at)
    if (status === "live") this.#presence.open(at)
    if (this.#presence.hasChanges || this.#presence.lobby.hasChanges) this.#flush.schedule()
    if (this.#presence.size > 0 && before !== activePhase(next.state)?.modality) this.#flush.rolesChanged()
    this.#deadlineTimer.set()
    this.#stay(status === "live" && !next.state.deleted)
  }

  /** When the policy stops being `open`, participants inside without an admission move to the waiting room. */
  #shut({ state, records }: LoadedEvent, presence: Presence, at: Timestamp): void {
    const policy = lobbyPolicy(state, records)
    if (this.#policy === "open" && policy !== "open") presence.sendOut((who) => admissionOf(state, records, who), at)
    this.#policy = policy
  }

  /** Lists show a participant's changed role or room, but not their admission or subscribed tallies. */
  #touch(changes: Batch["participantChanges"]): void {
    const moved = changes.filter(({ admission, hearsPoll }) => admission === undefined && hearsPoll === undefined)
    if (moved.length === 0) return
    const at = toTimestamp(this.#needs.timers.now())
    for (const { participantId } of moved) this.#presence?.touch(participantId, at)
    this.#flush.schedule()
  }

  /** Presence at an activation: after an orderly stop the event waits for its roster, so that a restart ends no presence. */
  #recallPresence({ state, roster, records }: LoadedEvent): Presence {
    const { status } = state.event
    const presence = new Presence(status === "live" || status === "ended", this.#needs.presenceGraceMs)
    const { timers, returnWithinMs } = this.#needs
    this.#awaitedReturns = awaitHolders(records, timers.now() + returnWithinMs)
    if (roster.length > 0) {
      presence.restore(roster, timers.now() + returnWithinMs)
      this.#flush.schedule(returnWithinMs)
    }
    return presence
  }

  /** For an orderly stop: stores the roster for the next activation. */
  get saveRoster(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const roster = this.#presence === undefined ? [] : [...this.#presence.all()]
      const fencingToken = this.#loaded?.fencingToken
      if (fencingToken === undefined || roster.length === 0) return Effect.void
      const { database, eventId } = this.#needs
      return Effect.ignore(
        database.runLive((sql) => keepRoster(sql, eventId, fencingToken, roster)).pipe(Effect.timeout("1 second")),
      )
    })
  }

  /** A live event stays in memory without traffic, so that its timers fire. */
  #stay(wanted: boolean): void {
    if (wanted) this.#stopKeepAlive ??= this.#needs.keepAlive()
    else {
      this.#stopKeepAlive?.()
      this.#stopKeepAlive = undefined
    }
  }

  /** The leaves of everyone, for the last dispatches of a deleted event: no later commit can carry them. */
  #finalLeaves(at: number): ReadonlyArray<PresenceChange> {
    this.#presence?.clear(toTimestamp(at))
    return this.#presence?.peek(Number.MAX_SAFE_INTEGER) ?? []
  }

  #forget(partingsSaid: number): void {
    this.#presence?.drop(partingsSaid)
    this.#loaded = undefined
    this.#deadlineTimer.clear()
  }

  #handleDeadline(deadline: Deadline, at: number): Effect.Effect<unknown, Unreachable> {
    if ("due" in deadline) {
      return Effect.flatMap(this.#current, (of) => this.#act(of, at, deadline.due)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            if (deadline === this.#awaitedReturns) this.#awaitedReturns = undefined
          }),
        ),
      )
    }
    const { command } = deadline
    const ids = { commandId: "", scope: TIMER_SCOPE, bodyHash: "", freshId: newId() }
    return this.#executor.execute([{ ...ids, by: null, at, command }])
  }

  /** Commits before the report is acknowledged, and so before the manager gets `ready`. */
  #pardonManagers(of: LoadedEvent, { changes }: PresenceReport): Effect.Effect<void, Unreachable> {
    const blocked = changes.flatMap((change) =>
      "participant" in change && change.participant.manages === true ? change.participant.participantId : [],
    )
    if (!blocked.some((id) => of.state.removed.includes(id))) return Effect.void
    return this.#act(of, this.#needs.timers.now(), (turn) => {
      for (const id of blocked) pardon(turn, id)
    })
  }

  #applyReport({ state, records }: LoadedEvent, { node, changes }: PresenceReport): void {
    const presence = this.#presence
    if (presence === undefined) return
    const now = this.#needs.timers.now()
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
