/**
 * Turns gathered for one commit. Each turn that changes or publishes something makes one version. When the batch is sealed, dispatches get
 * their stream positions and are encoded once, as the text that sockets receive. A commit costs the same for one turn as for a hundred.
 */
import { newId } from "../../model/ids.ts"
import type { Occurrence } from "../../model/integrations/occurrences.ts"
import type { Change } from "../../model/live/live-records.ts"
import type { PublicationFact } from "../../model/live/publication-fact.ts"
import { wireStream } from "../../model/live/streams.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { PhaseState } from "../../model/phase.ts"
import { isOnStage } from "../../model/roles.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { type Dispatch, type Ephemeral, ephemeralOptions } from "../../protocol/contract.ts"
import { encodeEphemeralFrame, encodeOrdered } from "../../protocol/wire/encoding.ts"
import type { LiveCommit, PresenceDelta, StoredCommand } from "../../store/live/live-commit.ts"
import type { StoredPublication } from "../../store/live/live-history.ts"
import type { Received } from "../commands.ts"
import type { Turn } from "../domain/turn.ts"
import type { EphemeralPublication } from "../feed.ts"
import type { Move } from "../state/chart-snapshot.ts"
import { type Ejection, isDeleted, type LiveState, type NewOccurrence, type ParticipantChange } from "../state/state.ts"
import { Answers } from "./command-log.ts"
import type { LoadedEvent } from "./loaded-event.ts"

/** An occurrence that may have its own id and time. */
type DatedOccurrence = NewOccurrence & { readonly id?: string; readonly at?: Timestamp }

/** One version: a turn, or a presence flush. */
export interface CommitEntry
  extends Readonly<Pick<Turn, "state" | "now">>,
    Readonly<Partial<Pick<Turn, "changes" | "ephemeral" | "participantChanges" | "ejections" | "captured">>> {
  readonly dispatches: ReadonlyArray<Dispatch>
  readonly occurrences: ReadonlyArray<DatedOccurrence>
  readonly moves?: ReadonlyArray<Move>
  readonly presence?: PresenceDelta
}

/** A step's command and its answer. */
type Answered = Omit<StoredCommand, "at" | "reply"> & { readonly result: unknown }

/** The part of a dispatch that gateways act on themselves. */
const factOf = (dispatch: Dispatch): PublicationFact | undefined => {
  switch (dispatch.t) {
    case "participant.removed":
      return { type: "removed", participantId: dispatch.d.participantId }
    case "assignment.updated":
    case "rotation.round":
      return { type: "room", roomId: dispatch.d.roomId }
    default:
      return undefined
  }
}

/** Encodes an ephemeral dispatch as its wire frame. */
export const encodeEphemeral = ({ stream, key, t, d }: Ephemeral, now: number): EphemeralPublication => ({
  stream,
  key,
  frame: encodeEphemeralFrame(t, now, d),
  ...ephemeralOptions(t),
})

/** A dispatch that has no stream position yet. */
interface UnnumberedDispatch {
  readonly dispatch: Dispatch
  readonly version: number
  /** Unix milliseconds. */
  readonly now: number
}

export class Batch {
  readonly loaded: LoadedEvent
  state: LiveState
  /** Empty until the batch is sealed. */
  readonly publications: StoredPublication[] = []
  readonly ephemeral: EphemeralPublication[] = []
  readonly participantChanges: ParticipantChange[] = []
  readonly ejections: Ejection[] = []
  /** Chart transitions, in order. */
  readonly moves: Move[] = []
  readonly #dispatches: UnnumberedDispatch[] = []
  readonly #occurrences: Occurrence[] = []
  readonly #changes = new Map<string, Change>()
  readonly #commands: StoredCommand[] = []
  readonly #idle = new Answers()
  #captured: CapturedRooms | null = null
  #presence: PresenceDelta | null = null
  #version: number
  #at = 0

  constructor(loaded: LoadedEvent) {
    this.loaded = loaded
    this.state = loaded.state
    this.#version = loaded.version
  }

  get isEmpty(): boolean {
    return this.#version === this.loaded.version
  }

  /** True when the batch publishes an ephemeral dispatch to many receivers: a later snapshot must contain its content for newcomers. */
  get reachesMany(): boolean {
    return this.ephemeral.some(({ stream }) => wireStream(stream) !== "me")
  }

  /** The version after all steps added so far. */
  get version(): number {
    return this.#version
  }

  /** Adds a step and returns its version. */
  add(step: CommitEntry, command?: Answered): number {
    const version = ++this.#version
    this.#at = Math.max(this.#at, step.now)
    const at = toTimestamp(step.now)
    for (const dispatch of step.dispatches) this.#dispatches.push({ dispatch, version, now: step.now })
    this.addEphemeral(step.ephemeral ?? [], step.now)
    for (const one of step.occurrences) this.#occurrences.push(this.#occurrence(one, at))
    // A record changed by several turns is written once, with the latest value.
    for (const change of step.changes ?? []) this.#changes.set(`${change.kind} ${change.id}`, change)
    this.participantChanges.push(...(step.participantChanges ?? []))
    this.ejections.push(...(step.ejections ?? []))
    this.moves.push(...(step.moves ?? []))
    this.#captured = step.captured ?? this.#captured
    // A presence flush is a batch of its own.
    this.#presence = step.presence ?? this.#presence
    this.state = step.state
    if (command !== undefined) this.#remember(command, version, at)
    return version
  }

  /** Remembers a command that had no effect because its result already holds. Nothing is stored, but a late repeat must not run. */
  rememberIdle({ result, ...command }: Answered, at: Timestamp): void {
    this.#idle.add({ ...command, reply: { result, version: this.#version }, at })
  }

  /** The answer of a command that was accepted before the batch or earlier in it. */
  answered({ scope, commandId, at }: Pick<Received, "scope" | "commandId" | "at">): StoredCommand | undefined {
    return this.loaded.answers.find(scope, commandId, at) ?? this.#idle.find(scope, commandId, at)
  }

  /** Called once the whole batch is committed. Idle answers count only from here, because they depend on the batch's changes. */
  settle(): void {
    for (const command of this.#idle.all()) this.loaded.answers.idle.add(command)
  }

  /** Adds ephemeral dispatches, which are published even if nothing is committed. */
  addEphemeral(ephemeral: ReadonlyArray<Ephemeral>, now: number): void {
    for (const one of ephemeral) this.ephemeral.push(encodeEphemeral(one, now))
  }

  /** The streams that the batch publishes to. */
  get streams(): ReadonlySet<string> {
    return new Set(this.#dispatches.map(({ dispatch }) => dispatch.stream))
  }

  /** Assigns stream positions, once, and returns the commit. The heads of all its streams must be known. */
  seal(): LiveCommit {
    for (const dispatch of this.#dispatches) this.#publish(dispatch)
    const { loaded } = this
    const { chart, event, phases, removed } = this.state
    const deleted = isDeleted(this.state)
    const before = loaded.state
    return {
      eventId: event.id,
      fencingToken: loaded.fencingToken,
      from: loaded.version,
      version: this.#version,
      at: toTimestamp(this.#at),
      chart: chart === before.chart && loaded.isChartStored ? null : chart.value,
      event: event === before.event ? null : event,
      phases: phases.filter((phase) => !before.phases.includes(phase)),
      ...placesOf(before.phases, phases),
      // A deleted event keeps no publications in the store; its last dispatches are still sent.
      publications: deleted ? [] : this.publications,
      occurrences: this.#occurrences,
      commands: deleted ? [] : this.#commands,
      changes: deleted ? [] : [...this.#changes.values()],
      removed: removed === before.removed ? [] : without(removed, before.removed),
      restored: removed === before.removed ? [] : without(before.removed, removed),
      silenced: this.#silenced(),
      presence: deleted ? null : this.#presence,
      captured: this.#captured,
      deleted,
    }
  }

  /** Participants whose role is no longer one of the stage, or who are out of the event: their encoder addresses are revoked. */
  #silenced(): ReadonlyArray<string> {
    const lowered = this.participantChanges.filter(
      ({ role, admission, barred }) =>
        (role != null && !isOnStage(role)) || admission === "waiting" || admission === "denied" || barred === true,
    )
    return [...lowered, ...this.ejections].flatMap((one) => ("participantId" in one ? one.participantId : []))
  }

  #publish({ dispatch, version, now }: UnnumberedDispatch): void {
    const { stream, t, d } = dispatch
    const s = this.loaded.heads.next(stream)
    const frame = encodeOrdered({ stream, s, version, at: now, t, d })
    const fact = factOf(dispatch)
    const publication = { stream, s, version, at: toTimestamp(now), frame }
    this.publications.push(fact === undefined ? publication : { ...publication, fact })
  }

  #occurrence({ id, type, extra, at }: DatedOccurrence, now: Timestamp): Occurrence {
    const { id: eventId, workspaceId } = this.state.event
    return { id: id ?? newId(), type, workspaceId, eventId, occurredAt: at ?? now, extra }
  }

  /** From here a repeat of the command, even within the batch, gets this answer, which is sent after the commit. */
  #remember({ result, ...command }: Answered, version: number, at: Timestamp): void {
    const stored: StoredCommand = { ...command, reply: { result, version }, at }
    this.#commands.push(stored)
    this.loaded.answers.remember(stored)
  }
}

/** The stored phases that are removed, and those whose position changes. */
const placesOf = (
  before: ReadonlyArray<PhaseState>,
  after: ReadonlyArray<PhaseState>,
): Pick<LiveCommit, "dropped" | "moved"> => {
  if (after === before) return { dropped: [], moved: [] }
  const now = new Map(after.map(({ id, position }) => [id, position]))
  const isMoved = ({ id, position }: PhaseState): boolean => now.has(id) && now.get(id) !== position
  return {
    dropped: before.filter(({ id }) => !now.has(id)).map(({ id }) => id),
    moved: before.filter(isMoved).map(({ id }) => ({ id, position: now.get(id) ?? 0 })),
  }
}

const without = (ids: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(others)
  return ids.filter((id) => !known.has(id))
}
