/** One live event without a store or a clock: its turns are decided and kept at once, and time passes when a test says so. */
import { type Command, Refused } from "../../../src/actors/commands.ts"
import { react } from "../../../src/actors/domain/activities/registry.ts"
import { type Recorder, Turn } from "../../../src/actors/domain/turn.ts"
import { deadlinesOf, nextDeadline } from "../../../src/actors/machine/clock.ts"
import { decide } from "../../../src/actors/machine/decide.ts"
import { chartInRows } from "../../../src/actors/machine/recovery.ts"
import { audienceMoves, stepMachine } from "../../../src/actors/machine/step.ts"
import { NOBODY, type Present } from "../../../src/actors/presence/presence.ts"
import type { Raised } from "../../../src/actors/state/chart-events.ts"
import { type RegionName, regionOf } from "../../../src/actors/state/chart-snapshot.ts"
import { RecordStore } from "../../../src/actors/state/record-store.ts"
import { type LiveState, PENDING } from "../../../src/actors/state/state.ts"
import { type Event, NEW_EVENT } from "../../../src/model/event.ts"
import type { PhaseState } from "../../../src/model/phase.ts"
import { toTimestamp } from "../../../src/model/timestamp.ts"
import type { Dispatch } from "../../../src/protocol/contract.ts"

export const BEGIN = Date.parse("2027-01-01T00:00:00.000Z")

export interface Given {
  readonly phases: ReadonlyArray<Partial<PhaseState>>
  readonly event?: Partial<Event>
  readonly recorder?: Recorder
  /** Participant ids with the role `participant`; an id that begins with `host` is a host, who is a user of the workspace. */
  readonly people?: ReadonlyArray<string>
}

const person = (participantId: string): Present => ({
  participantId,
  name: participantId,
  role: participantId.startsWith("host") ? "host" : "participant",
  kind: participantId.startsWith("host") ? "user" : "guest",
  userId: null,
  joinedAt: toTimestamp(BEGIN),
})

export const phaseOf = (phase: Partial<PhaseState>, position: number): PhaseState => ({
  id: `phase-${position}`,
  eventId: "event",
  position,
  modality: "meeting",
  config: {},
  featureSet: ["transcript"],
  ...PENDING,
  ...phase,
})

export const eventOf = (event: Partial<Event>): Event => ({
  ...NEW_EVENT,
  id: "event",
  workspaceId: "workspace",
  type: "t",
  title: "T",
  status: "draft",
  visibility: "public",
  capacity: null,
  createdAt: toTimestamp(BEGIN),
  updatedAt: toTimestamp(BEGIN),
  publishedAt: null,
  cancelledAt: null,
  cancelReason: null,
  startedAt: null,
  endedAt: null,
  ...event,
})

/** What a turn came to: its reply, or the code and the words of its refusal. */
type Outcome = { readonly [field: string]: unknown } | string

export class EventInMemory {
  readonly records = new RecordStore()
  /** The types of all dispatches and webhook events, in their order. */
  readonly told: string[] = []
  readonly dispatches: Dispatch[] = []
  readonly #recorder: Recorder
  #people: ReadonlyMap<string, Present>
  #state: LiveState
  #now = BEGIN
  #handledTo = BEGIN
  #turns = 0

  constructor({ phases, event = {}, recorder = null, people = [] }: Given) {
    this.#recorder = recorder
    this.#people = new Map(people.map((id) => [id, person(id)]))
    const rows = { event: eventOf(event), phases: phases.map(phaseOf) }
    this.#state = { ...rows, chart: chartInRows(rows, this.records), removed: [] }
  }

  get state(): LiveState {
    return this.#state
  }

  get now(): number {
    return this.#now
  }

  region(name: RegionName): string {
    return regionOf(this.#state.chart, name)
  }

  /** The state of every region, or the life of an event that is not live. */
  get value(): unknown {
    return this.#state.chart.value
  }

  /** A command of a manager of the workspace. */
  do(type: Command["type"], d: object = {}, rev?: number): Outcome {
    const command = { type, d, ...(rev === undefined ? {} : { rev }) } as Command
    return this.#turn((turn) => {
      const envelope = { commandId: "c", scope: "s", bodyHash: "", by: null, freshId: turn.freshId, command }
      return decide(turn, envelope)
    })
  }

  /** Publishes and starts the event. */
  start(): this {
    this.do("event.publish")
    this.do("event.start")
    return this
  }

  raise(raised: Raised): void {
    this.#turn((turn) => stepMachine(turn, raised))
  }

  /** Other people are there from now on. */
  people(...ids: ReadonlyArray<string>): void {
    this.#people = new Map(ids.map((id) => [id, person(id)]))
    this.raise({ type: "people.changed" })
  }

  /** These come as well, in one flush of presence. */
  come(...ids: ReadonlyArray<string>): void {
    const joined = ids.map(person)
    this.#people = new Map([...this.#people, ...joined.map((one) => [one.participantId, one] as const)])
    this.#flush(joined)
  }

  /** These leave, in one flush of presence. */
  go(...ids: ReadonlyArray<string>): void {
    const gone = new Set(ids)
    this.#people = new Map([...this.#people].filter(([id]) => !gone.has(id)))
    this.#flush([])
  }

  #flush(joined: ReadonlyArray<Present>): void {
    this.#turn((turn) => {
      react(turn, { type: "people.arrived", people: joined })
      return stepMachine(turn, { type: "people.changed" })
    })
  }

  /** Deadlines by name, thing and time, the next one first. */
  get deadlines() {
    return deadlinesOf({ records: this.records, state: this.#state, people: this.#all(), now: this.#now })
  }

  /** So many people are present. */
  audience(size: number): void {
    for (const { after } of audienceMoves(this.#state, size, toTimestamp(this.#now))) {
      this.#state = { ...this.#state, chart: after }
    }
  }

  /** Handles all deadlines of that time, in their order. */
  pass(seconds: number): void {
    const until = this.#now + seconds * 1000
    let most = 100
    for (let next = this.#next(); next !== undefined && next.at <= until; next = this.#next()) {
      if (most-- === 0) throw new Error("a deadline that was handled is due again")
      const { at, due } = next
      this.#now = Math.max(this.#now, at)
      this.#turn((turn) => {
        due(turn)
        return {}
      })
      this.#handledTo = Math.max(this.#handledTo, at)
    }
    this.#now = until
  }

  /** The value that the event would have if its rows alone were known, for the regions whose state the rows tell. */
  get valueInRows(): unknown {
    const { event, phases } = this.#state
    return chartInRows({ event, phases }, this.records).value
  }

  #next() {
    const context = { records: this.records, state: this.#state, people: this.#all(), now: this.#now }
    return nextDeadline(context, this.#handledTo)
  }

  #all() {
    const people = this.#people
    return {
      ...NOBODY,
      find: (id: string) => people.get(id),
      all: () => people.values(),
      storedAs: (role: string) => [...people.values()].flatMap((one) => (one.role === role ? one.participantId : [])),
    }
  }

  #turn(act: (turn: Turn) => object): Outcome {
    const turn = new Turn({
      records: this.records,
      state: this.#state,
      people: this.#all(),
      by: null,
      now: this.#now,
      freshId: `00000000-0000-7000-8000-${String(++this.#turns).padStart(12, "0")}`,
      deployment: { playbackUrlOf: () => null, recorder: this.#recorder, hasStageBroadcasts: false },
    })
    const result = act(turn)
    if (result instanceof Refused) {
      turn.undo()
      return `${result.code}: ${result.detail}`
    }
    this.#state = turn.state
    this.dispatches.push(...turn.dispatches)
    this.told.push(...turn.dispatches.map(({ t }) => t), ...turn.occurrences.map(({ type }) => `webhook ${type}`))
    return { ...result }
  }
}
