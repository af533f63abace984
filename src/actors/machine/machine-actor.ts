/**
 * The XState actor of a live event. A decision is made purely and committed first (`step.ts`, `commit/`); the actor then takes the
 * committed transitions, one event each.
 */
import { type Actor, type ActorLogic, createActor, type SnapshotFrom } from "xstate"
import { type Chart, chart } from "./chart.ts"
import type { ChartSnapshot, Move } from "./snapshot.ts"

type Snapshot = SnapshotFrom<Chart>

const STOPPED = { status: "stopped" } as const

/** A transition was decided and committed before: the actor adopts it. Its other event is XState's, which stops it. */
const LOGIC: ActorLogic<Snapshot, Move> = {
  transition: (before, move) => ("after" in move ? (move.after as Snapshot) : Object.assign({}, before, STOPPED)),
  getInitialSnapshot: () => chart.resolveState({ value: "draft" }),
  getPersistedSnapshot: (snapshot) => chart.getPersistedSnapshot(snapshot),
  restoreSnapshot: (snapshot) => snapshot as Snapshot,
}

type Follow = (before: ChartSnapshot, after: ChartSnapshot) => void

export class MachineActor {
  readonly #actor: Actor<typeof LOGIC>

  constructor(eventId: string, snapshot: ChartSnapshot) {
    this.#actor = createActor(LOGIC, { id: eventId, snapshot: snapshot as Snapshot })
    this.#actor.start()
  }

  /** Adopts the transitions of a commit, in their order. XState would throw the errors of an observer in a timer: the follower is called here. */
  adopt(moves: ReadonlyArray<Move>, follow: Follow): void {
    for (const move of moves) {
      const before = this.#actor.getSnapshot()
      this.#actor.send(move)
      follow(before, this.#actor.getSnapshot())
    }
  }

  stop(): void {
    this.#actor.stop()
  }
}
