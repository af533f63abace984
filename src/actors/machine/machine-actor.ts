/**
 * The XState actor of a live event. A decision is made purely and committed first (`step.ts`, `commit/`); the actor then takes the
 * committed transitions, one event each. Those who follow it see them: the process, operators, and XState's inspector.
 */
import { type Actor, type ActorLogic, createActor, type SnapshotFrom } from "xstate"
import { type Chart, chart } from "./chart.ts"
import type { ChartSnapshot, Move, Transition } from "./snapshot.ts"

type Snapshot = SnapshotFrom<Chart>

/** Transitions that are remembered for operators. */
const REMEMBERED = 20

/** A transition was decided and committed before: the actor adopts it. Its other event is XState's, which stops it. */
const LOGIC: ActorLogic<Snapshot, Move> = {
  transition: (before, move) => ("after" in move ? (move.after as Snapshot) : Object.assign({}, before, STOPPED)),
  getInitialSnapshot: () => chart.resolveState({ value: "draft" }),
  getPersistedSnapshot: (snapshot) => chart.getPersistedSnapshot(snapshot),
  restoreSnapshot: (snapshot) => snapshot as Snapshot,
}

const STOPPED = { status: "stopped" } as const

export type Follow = (before: ChartSnapshot, after: ChartSnapshot) => void

export class MachineActor {
  readonly #actor: Actor<typeof LOGIC>
  readonly #transitions: Transition[] = []

  constructor(eventId: string, snapshot: ChartSnapshot, follow: Follow) {
    this.#actor = createActor(LOGIC, { id: eventId, snapshot: snapshot as Snapshot })
    let before = snapshot
    this.#actor.subscribe((after) => {
      if (after !== before) follow(before, after)
      before = after
    })
    this.#actor.start()
  }

  /** Adopts the transitions of a commit, in their order. */
  adopt(moves: ReadonlyArray<Move>): void {
    for (const move of moves) {
      this.#transitions.push({ event: move.type, at: move.at, value: move.after.value })
      this.#actor.send(move)
    }
    this.#transitions.splice(0, this.#transitions.length - REMEMBERED)
  }

  /** Those since the event came into memory, the newest last. */
  get transitions(): ReadonlyArray<Transition> {
    return this.#transitions
  }

  stop(): void {
    this.#actor.stop()
  }
}
