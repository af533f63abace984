/**
 * The XState actor of a live event. A decision is made purely and committed first (`step.ts`, `commit/`); the actor then takes the
 * committed transitions, one event each.
 */
import { type Actor, type ActorLogic, type ActorOptions, createActor, type SnapshotFrom, setup } from "xstate"
import { type InspectedTransition, REMEMBERED_TRANSITIONS } from "../../model/live/inspection.ts"
import { type Chart, chart } from "./chart.ts"
import { type ChartSnapshot, type Move, statesOf } from "./snapshot.ts"

type Snapshot = SnapshotFrom<Chart>

/** The event leaves memory: its actor is done. XState lets nobody stop a child from outside. */
const LEAVES = { type: "leaves" } as const

/** A transition was decided and committed before: the actor adopts it. */
const LOGIC: ActorLogic<Snapshot, Move | typeof LEAVES> & Pick<Chart, "config"> = {
  // An inspector draws the chart from it.
  config: chart.config,
  transition: (before, event) =>
    "after" in event ? (event.after as Snapshot) : Object.assign({}, before, { status: "done", output: undefined }),
  getInitialSnapshot: () => chart.resolveState({ value: "draft" }),
  getPersistedSnapshot: (snapshot) => chart.getPersistedSnapshot(snapshot),
  restoreSnapshot: (snapshot) => snapshot as Snapshot,
}

/** The parent of all events in memory, so that they share one actor system. It does nothing. */
const PARENT = setup({}).createMachine({ id: "liveEvents" })

/** Receives what XState reports of its actors. */
export type Inspect = NonNullable<ActorOptions<typeof LOGIC>["inspect"]>

/** The actor system of a process: each live event in its memory is an actor of it. */
export class EventSystem {
  readonly parent: Actor<typeof PARENT>

  constructor(inspect?: Inspect) {
    this.parent = createActor(PARENT, inspect && { inspect })
    this.parent.start()
  }
}

type Follow = (before: ChartSnapshot, after: ChartSnapshot) => void

/** A delayed transition's event names the delay and the state: `xstate.after.phase.end.liveEvent.live.phase.running`. */
const nameOf = (type: string): string => /^xstate\.after\.(.+)\.liveEvent\./.exec(type)?.[1] ?? type

export class MachineActor {
  readonly #actor: Actor<typeof LOGIC>
  readonly #transitions: InspectedTransition[] = []

  constructor({ parent }: EventSystem, eventId: string, snapshot: ChartSnapshot) {
    this.#actor = createActor(LOGIC, { id: eventId, snapshot: snapshot as Snapshot, parent })
    this.#actor.start()
  }

  /** The newest transitions that were adopted here, the oldest first. */
  get transitions(): ReadonlyArray<InspectedTransition> {
    return this.#transitions
  }

  /** Adopts the transitions of a commit, in their order. XState would throw the errors of an observer in a timer: the follower is called here. */
  adopt(moves: ReadonlyArray<Move>, follow: Follow): void {
    for (const move of moves) {
      const before = this.#actor.getSnapshot()
      // The commit was under way when the event left memory.
      if (before.status !== "active") return
      this.#actor.send(move)
      this.#remember(move, before)
      follow(before, this.#actor.getSnapshot())
    }
  }

  #remember({ type, at, after }: Move, before: ChartSnapshot): void {
    const left = new Set(statesOf(before.value))
    const entered = statesOf(after.value).filter((state) => !left.has(state))
    this.#transitions.push({ at, event: nameOf(type), entered })
    if (this.#transitions.length > REMEMBERED_TRANSITIONS) this.#transitions.shift()
  }

  stop(): void {
    if (this.#actor.getSnapshot().status === "active") this.#actor.send(LEAVES)
  }
}
