/**
 * The XState actor of a live event. A decision is made purely and committed first (`step.ts`, `commit/`); then the actor applies the
 * committed transitions, one event each.
 */
import { type Actor, type ActorLogic, type ActorOptions, createActor, setup } from "xstate"
import type { ChartSnapshot, Move } from "../state/chart-snapshot.ts"
import { type Chart, chart } from "./chart.ts"
import { type Snapshot, sharedSnapshot } from "./snapshots.ts"

/** Tells the actor that the event leaves memory. XState does not allow stopping a child from outside. */
const LEAVES = { type: "leaves" } as const

/** Adopts transitions that were decided and committed before. */
const LOGIC: ActorLogic<Snapshot, Move | typeof LEAVES> & Pick<Chart, "config"> = {
  // An inspector draws the chart from the configuration.
  config: chart.config,
  transition: (before, event) =>
    "after" in event ? (event.after as Snapshot) : Object.assign({}, before, { status: "done", output: undefined }),
  getInitialSnapshot: () => sharedSnapshot("draft"),
  getPersistedSnapshot: (snapshot) => chart.getPersistedSnapshot(snapshot),
  restoreSnapshot: (snapshot) => snapshot as Snapshot,
}

/** Parent of all events in memory, so that they share one actor system. It does nothing. */
const PARENT = setup({}).createMachine({ id: "liveEvents" })

/** Receives what XState reports about its actors. */
export type Inspect = NonNullable<ActorOptions<typeof LOGIC>["inspect"]>

export type MachineActor = Actor<typeof LOGIC>

/** The actor system of a process: each live event in its memory is one actor. */
export class EventSystem {
  readonly #parent: Actor<typeof PARENT>

  constructor(inspect?: Inspect) {
    this.#parent = createActor(PARENT, inspect && { inspect }).start()
  }

  open(eventId: string, snapshot: ChartSnapshot): MachineActor {
    return createActor(LOGIC, { id: eventId, snapshot: snapshot as Snapshot, parent: this.#parent }).start()
  }
}

/** False when the event has left memory. */
export const isActive = (actor: MachineActor): boolean => actor.getSnapshot().status === "active"

export const close = (actor: MachineActor | undefined): void => {
  if (actor !== undefined && isActive(actor)) actor.send(LEAVES)
}
