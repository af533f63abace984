/**
 * Turns presence changes into commits: at most four times a second, one transaction with the webhook events of all joins and leaves and,
 * while the audience is small, one ordered diff. A large audience gets counts instead, at most once a second, without a commit.
 */
import { Effect } from "effect"
import { DueRun } from "../../clock/throttle.ts"
import { RETURN_WITHIN_MS } from "../../model/live/holdings.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { type Dispatch, ephemeralOf } from "../../protocol/contract.ts"
import type { PresenceDelta } from "../../store/live/live-commit.ts"
import { isWanted } from "../../store/webhooks/outbox.ts"
import { type NotOwner, StoreUnavailable, type Unreachable } from "../commands.ts"
import type { CommitEntry } from "../commit/batch.ts"
import type { Committer } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { storePlaces } from "../domain/activities/lobby.ts"
import { react } from "../domain/activities/registry.ts"
import { audienceMoves, settle } from "../machine/step.ts"
import type { Presence, PresenceChange, Present } from "../presence/presence.ts"
import { type Move, regionOf } from "../state/chart-snapshot.ts"
import {
  mayBeWatched,
  presenceCounts,
  presenceDiffs,
  presenceOccurrence,
  presenceResets,
  presenceUpdates,
} from "../views/presence-view.ts"

const TICK_MS = 250
const COUNT_EVERY_MS = 1000
const RETRY_MS = 1000
/** Most webhook events in one transaction. */
const BATCH = 500
const FEW = 32

export class PresenceFlush {
  readonly #committer: Committer
  /** Created on first use, like `#counts`: most events have no audience. */
  #flushes: DueRun | undefined
  #counts: DueRun | undefined
  #stopped = false
  /** The phase changed, and with it the effective role of some participants. */
  #rolesDue = false
  /** Lists that clients kept from before this activation may contain participants who left: the first diff replaces them. */
  #resetDue = true
  /** Committed changes not yet reported to the activities: reporting is a commit of its own, which may fail. */
  #unreported: PresenceChange[] = []
  /** Participants who did not return in time, likewise not yet reported. */
  #departed: string[] = []

  constructor(committer: Committer) {
    this.#committer = committer
  }

  /** Schedules a flush within this time. The earlier flush reschedules a later one that was pending, if it is still needed. */
  schedule(afterMs: number = TICK_MS): void {
    if (this.#stopped) return
    this.#flushes ??= new DueRun(this.#committer.services.timers, () => {
      this.#committer.actor.aside(this.#flush().pipe(Effect.tapError(() => Effect.sync(() => this.schedule(RETRY_MS)))))
    })
    this.#flushes.within(afterMs)
  }

  /** Effective roles changed: lists are updated at the next flush. */
  rolesChanged(): void {
    this.#rolesDue = true
    this.schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#flushes?.cancel()
    this.#counts?.cancel()
  }

  #flush(): Effect.Effect<void, Unreachable> {
    return Effect.gen({ self: this }, function* () {
      const loaded = yield* this.#committer.current
      const { presence } = this.#committer
      if (presence === undefined) return
      const at = this.#committer.now
      this.#expire(presence, at)
      if (!this.#hasNews(presence)) return
      const changes = presence.peek(BATCH)
      const lobbyDispatches = lobbyNews(presence)
      const moves = audienceMoves(loaded.state, presence.size, toTimestamp(at))
      const resized = movedBy(loaded, moves)
      const dispatches = this.#dispatches(resized, presence, changes, resized !== loaded)
      const wanted = (yield* this.#isWebhookWanted(loaded, changes)) ? changes : []
      const step = stepOf(resized, at, [...dispatches, ...lobbyDispatches], wanted)
      const delta = presenceDelta(presence, changes)
      const after = isSilent(step)
        ? yield* this.#committer.keepPresence(loaded, delta)
        : yield* this.#committer.commitStep(loaded, { ...step, presence: delta, moves })
      presence.drop(changes.length)
      this.#unreported.push(...changes)
      if (lobbyDispatches.length > 0) presence.lobby.settle()
      this.#resetDue = false
      this.#rolesDue = false
      yield* this.#report(after, presence)
      if (countsFor(after) !== undefined) this.#count()
      if (presence.hasChanges || presence.lobby.hasChanges) this.schedule(0)
    })
  }

  /** Many changes are stored only if a webhook subscribes to them; for a few changes the check costs more than the write. */
  #isWebhookWanted(
    { state }: LoadedEvent,
    changes: ReadonlyArray<PresenceChange>,
  ): Effect.Effect<boolean, StoreUnavailable> {
    if (changes.length <= FEW) return Effect.succeed(true)
    const { workspaceId } = state.event
    return Effect.mapError(
      this.#committer.services.database.readLive((sql) =>
        isWanted(sql, workspaceId, ["participant.joined", "participant.left"]),
      ),
      () => new StoreUnavailable(),
    )
  }

  /** Runs the activities' hooks for committed joins and for departures: a commit of its own, which may fail. */
  #report(from: LoadedEvent, presence: Presence): Effect.Effect<unknown, NotOwner | StoreUnavailable> {
    const joined = this.#unreported
      .filter(({ type }) => type === "joined")
      .map(({ participant, at }) => ({ ...participant, joinedAt: at }))
    const departed = this.#departed.filter((id) => !presence.isConnected(id))
    const places = presence.lobby.unstoredPlaces
    const hooks = this.#committer.act(from, this.#committer.now, (turn) => {
      // Participants who joined and left within one flush have already gone; removed ones are not inside.
      const isInside = (id: string): boolean => presence.find(id) !== undefined && turn.people.find(id) !== undefined
      react(turn, { type: "people.arrived", people: joined.filter(({ participantId }) => isInside(participantId)) })
      react(turn, { type: "people.departed", ids: departed })
      turn.raise({ type: "people.changed" })
      settle(turn)
      storePlaces(turn, places)
    })
    return Effect.tap(hooks, () =>
      Effect.sync(() => {
        this.#unreported = []
        this.#departed = []
        presence.lobby.stored(places)
      }),
    )
  }

  #hasNews(presence: Presence): boolean {
    if (this.#unreported.length + this.#departed.length > 0) return true
    return presence.hasChanges || this.#rolesDue || presence.lobby.hasChanges
  }

  #expire(presence: Presence, now: number): void {
    this.#departed.push(...presence.lapse(now))
    const next = Math.min(presence.expire(now, toTimestamp(now)) ?? Infinity, presence.nextLapse ?? Infinity)
    if (next !== Infinity) this.schedule(Math.max(TICK_MS, next - now))
  }

  #dispatches(
    where: LoadedEvent,
    presence: Presence,
    changes: ReadonlyArray<PresenceChange>,
    isNewMode: boolean,
  ): ReadonlyArray<Dispatch> {
    if (where.state.event.status !== "live") return []
    const mode = regionOf(where.state.chart, "presence")
    const told: Dispatch[] = isNewMode
      ? [{ stream: "people", t: "presence.mode", d: { mode, total: presence.size } }]
      : []
    if (isNewMode || this.#resetDue) return [...told, ...presenceResets(where, presence)]
    return [...presenceDiffs(where, presence, changes), ...(this.#rolesDue ? presenceUpdates(where, presence) : [])]
  }

  /** Publishes counts at most once a second, always after the last change of a burst. */
  #count(): void {
    if (this.#stopped) return
    this.#counts ??= new DueRun(this.#committer.services.timers, () => this.#publishCounts())
    this.#counts.within(COUNT_EVERY_MS)
  }

  #publishCounts(): void {
    const { presence } = this.#committer
    if (presence === undefined) return
    this.#committer.actor.aside(
      Effect.map(this.#committer.current, (loaded) => {
        const stream = countsFor(loaded)
        if (stream === undefined) return
        const d = { ...presenceCounts(loaded, presence), lobby: presence.lobby.size }
        this.#committer.publishEphemeral(loaded, [ephemeralOf("presence.count", stream, d)])
      }),
    )
  }
}

/** The stream for counts: everyone's for a large audience; for a small one the stream of anonymous viewers, who get no list. */
const countsFor = ({ state }: LoadedEvent): "event" | "stage" | undefined => {
  if (regionOf(state.chart, "presence") === "summary") return "event"
  return mayBeWatched(state) ? "stage" : undefined
}

const movedBy = (loaded: LoadedEvent, moves: ReadonlyArray<Move>): LoadedEvent => {
  const chart = moves.at(-1)?.after
  return chart === undefined ? loaded : { ...loaded, state: { ...loaded.state, chart } }
}

const isSilent = ({ dispatches, occurrences }: CommitEntry): boolean =>
  dispatches.length === 0 && occurrences.length === 0

/** The stay that ended with a departure, for the attendance list. */
const stayOf = ({ participant, at, since, isForGood = false }: PresenceChange): PresenceDelta["stays"] => {
  if (since === undefined) return []
  const { participantId, userId, name, role, kind } = participant
  const [joinedAt, leftAt] = [since, at]
  return [{ participantId, userId, name, role, kind, joinedAt, leftAt, sameWithinMs: RETURN_WITHIN_MS, isForGood }]
}

/** Net result of some changes for the store: the current data of those who came or changed, and the ids of those who left. */
const presenceDelta = (presence: Presence, changes: ReadonlyArray<PresenceChange>): PresenceDelta => {
  const present = new Map<string, Present>()
  const absent = new Set<string>()
  for (const { type, participant, at } of changes) {
    const { participantId } = participant
    // A later change covers a participant who has left again.
    const now = presence.find(participantId) ?? (type === "joined" ? { ...participant, joinedAt: at } : undefined)
    present.delete(participantId)
    absent.delete(participantId)
    if (type === "left") absent.add(participantId)
    else if (now !== undefined) present.set(participantId, now)
  }
  return { present: [...present.values()], absent: [...absent], stays: changes.flatMap(stayOf) }
}

/** New and former entries of the waiting room, for staff. */
const lobbyNews = ({ lobby: { news } }: Presence): ReadonlyArray<Dispatch> =>
  news.add.length + news.remove.length > 0 ? [{ stream: "staff", t: "lobby.waiting", d: news }] : []

const stepOf = (
  { state }: LoadedEvent,
  now: number,
  dispatches: ReadonlyArray<Dispatch>,
  changes: ReadonlyArray<PresenceChange>,
): CommitEntry => ({
  state,
  now,
  dispatches,
  occurrences: changes
    .filter(({ type }) => type !== "updated")
    .map((change) => ({ ...presenceOccurrence(state, change), id: change.id, at: change.at })),
})
