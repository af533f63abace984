/**
 * One turn of a live event: the changes and dispatches of a command, a deadline or an arrival. A turn sees its own writes at once. A turn
 * that ends in a refusal is undone as a whole. Nothing is published before the commit. Turns are deterministic: ids and times come with the
 * command.
 */
import { namedId } from "../../model/ids.ts"
import type { WebhookEventType } from "../../model/integrations/webhook-types.ts"
import { type Change, type Kind, type Records, type Settings, VOLATILE } from "../../model/live/live-records.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { PlaybackUrlOf } from "../../model/media/playback-url.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import {
  type Dispatch,
  type DispatchData,
  dispatchOf,
  type Ephemeral,
  type EphemeralDispatchName,
  ephemeralOf,
  type OrderedDispatchName,
  type StreamFor,
} from "../../protocol/contract.ts"
import type { Caller } from "../commands.ts"
import { admissions } from "../presence/admission-policy.ts"
import type { PresentPeople } from "../presence/presence.ts"
import type { Raised } from "../state/chart-events.ts"
import { type Move, type RegionName, type RegionState, regionOf } from "../state/chart-snapshot.ts"
import type { RecordStore } from "../state/record-store.ts"
import type { Ejection, LiveState, NewOccurrence, ParticipantChange } from "../state/state.ts"

/** `admission`: the rule of admission at the moment of the call. */
const insideOf = (people: PresentPeople, admission: () => ReturnType<typeof admissions>): PresentPeople => ({
  find: (participantId) => {
    const person = people.find(participantId)
    return person !== undefined && admission()(person) === "in" ? person : undefined
  },
  all: function* () {
    const of = admission()
    for (const person of people.all()) if (of(person) === "in") yield person
  },
  storedAs: function* (role) {
    const of = admission()
    for (const id of people.storedAs(role)) {
      const person = people.find(id)
      if (person !== undefined && of(person) === "in") yield id
    }
  },
  waiting: people.waiting,
  absent: people.absent,
})

/**
 * `events`: an external recorder records everything; `rooms`: the media server records rooms on request; `broadcasts`: only broadcasts
 * pushed to this server are recorded.
 */
export type Recorder = "events" | "rooms" | "broadcasts" | null

/** Settings of the operator that apply to the turns of all events. */
export interface Deployment {
  /** The address for watching a broadcast that was given none; null when the deployment has no such address. */
  readonly playbackUrlOf: PlaybackUrlOf
  /** The media server, or a recorder that the operator configured. */
  readonly recorder: Recorder
  /** The media server broadcasts the main room of a broadcast phase, instead of an encoder that pushes to this server. */
  readonly hasStageBroadcasts: boolean
  /** How long people who find all breakout rooms full wait for each other; two seconds by default. */
  readonly roomWaitMs?: number | undefined
}

/** Input of views. */
export interface ReadContext {
  readonly records: RecordStore
  readonly state: LiveState
  readonly people: PresentPeople
  /** Unix milliseconds. */
  readonly now: number
}

/** A view published at most once per `everyMs`; the last change is always published. */
export interface ThrottledView {
  readonly name: string
  readonly everyMs: number
  /** `id`: what the view is about, if there are several of its name. */
  readonly dispatches: (context: ReadContext, id: string) => ReadonlyArray<Ephemeral>
}

/** Changed views by name and id. */
export type ChangedViews = ReadonlyMap<string, { readonly view: ThrottledView; readonly id: string }>

interface TurnGiven extends ReadContext {
  /** Null: a caller who manages the workspace, or the event itself. */
  readonly by: Caller | null
  /** Id for the entity that the turn creates. */
  readonly freshId: string
  readonly deployment: Deployment
}

export class Turn {
  /** Participants inside in the turn's current state: a phase that has just begun may have closed its waiting room. */
  readonly people: PresentPeople
  /** Participants who were inside when the turn began. */
  readonly everybody: PresentPeople
  readonly by: Caller | null
  readonly now: number
  readonly at: Timestamp
  readonly freshId: string
  readonly deployment: Deployment
  state: LiveState
  /** All records, for views over them. */
  readonly records: RecordStore
  readonly #changes = new Map<string, Change>()
  readonly #undo: (() => void)[] = []
  readonly dispatches: Dispatch[] = []
  readonly ephemeral: Ephemeral[] = []
  readonly occurrences: NewOccurrence[] = []
  readonly participantChanges: ParticipantChange[] = []
  readonly ejections: Ejection[] = []
  /** Rooms that the media server has to record and broadcast from now on; set if the turn changed them. */
  captured: CapturedRooms | undefined
  readonly #throttled = new Map<string, { readonly view: ThrottledView; readonly id: string }>()
  /** Chart transitions of the turn. */
  readonly moves: Move[] = []
  /** Raised events that the turn has yet to handle, in order. */
  readonly raised: Raised[] = []

  constructor({ records, state, people, by, now, freshId, deployment }: TurnGiven) {
    this.records = records
    this.state = state
    this.everybody = people
    this.people = insideOf(people, () => admissions(this.state, records))
    this.by = by
    this.now = now
    this.at = toTimestamp(now)
    this.freshId = freshId
    this.deployment = deployment
  }

  get<K extends Kind>(kind: K, id: string): Records[K] | undefined {
    return this.records.get(kind, id)
  }

  all<K extends Kind>(kind: K): ReadonlyMap<string, Records[K]> {
    return this.records.all(kind)
  }

  put<K extends Kind>(kind: K, id: string, record: Records[K]): void {
    this.#write(kind, id, record)
  }

  remove(kind: Kind, id: string): void {
    if (this.records.get(kind, id) !== undefined) this.#write(kind, id, undefined)
  }

  /** Removes a record from memory and keeps it in the store. */
  forget(kind: Kind, id: string): void {
    this.#write(kind, id, undefined, false)
  }

  get settings(): Settings {
    return this.records.settings
  }

  /** Derives an id for a part of the created entity, deterministic for the turn. */
  idFor(...parts: ReadonlyArray<string>): string {
    return namedId(this.freshId, ...parts)
  }

  /** Publishes an ordered dispatch to one of the streams of its contract. */
  publish<T extends OrderedDispatchName>(t: T, stream: StreamFor<T>, d: DispatchData<T>): void {
    this.dispatches.push(dispatchOf(t, stream, d))
  }

  /** Publishes an ephemeral dispatch. A later one with the same name and the same `about` replaces it. */
  publishEphemeral<T extends EphemeralDispatchName>(t: T, stream: StreamFor<T>, d: DispatchData<T>, about = ""): void {
    this.ephemeral.push(ephemeralOf(t, stream, d, about))
  }

  emitOccurrence(type: WebhookEventType, extra: NewOccurrence["extra"]): void {
    this.occurrences.push({ type, extra })
  }

  /** Reports a participant's changed role, room or admission to the gateways. */
  changeParticipant(change: ParticipantChange): void {
    this.participantChanges.push(change)
  }

  eject(ejection: Ejection): void {
    this.ejections.push(ejection)
  }

  /** State of a chart region, such as `open`. Outside a live event every region is in its initial state. */
  region<R extends RegionName>(region: R): RegionState<R> {
    return regionOf(this.state.chart, region)
  }

  raise(raised: Raised): void {
    this.raised.push(raised)
  }

  publishThrottled(view: ThrottledView, id = ""): void {
    this.#throttled.set(`${view.name} ${id}`, { view, id })
  }

  get throttled(): ChangedViews {
    return this.#throttled
  }

  get changes(): ReadonlyArray<Change> {
    return [...this.#changes.values()]
  }

  /** True when the turn has nothing to commit. Ephemeral dispatches do not count. */
  get isIdle(): boolean {
    return (
      this.#changes.size +
        this.dispatches.length +
        this.occurrences.length +
        this.participantChanges.length +
        this.ejections.length +
        this.moves.length ===
      0
    )
  }

  /** Undoes every write, newest first. */
  undo(): void {
    for (const back of this.#undo.reverse()) back()
    this.captured = undefined
    this.raised.length = 0
    this.moves.length = 0
    this.#undo.length = 0
    this.#changes.clear()
  }

  #write<K extends Kind>(kind: K, id: string, record: Records[K] | undefined, isStored = !VOLATILE.has(kind)): void {
    const before = this.records.write(kind, id, record)
    this.#undo.push(() => this.records.write(kind, id, before))
    if (isStored) this.#changes.set(`${kind} ${id}`, { kind, id, record: record ?? null })
  }
}
