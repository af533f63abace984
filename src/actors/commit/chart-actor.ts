/** The XState actor of an event that this process owns, and the side effects of its committed transitions. */

import { type InspectedTransition, REMEMBERED_TRANSITIONS } from "../../model/live/inspection.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { close, isActive, type MachineActor } from "../machine/machine-actor.ts"
import { admissions } from "../presence/admission-policy.ts"
import type { Presence } from "../presence/presence.ts"
import type { EventServices } from "../services.ts"
import { type ChartSnapshot, lifeOf, type Move, regionOf, statesOf } from "../state/chart-snapshot.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const isClosed = (chart: ChartSnapshot): boolean => ["ask", "shut"].includes(regionOf(chart, "door"))

/** The event type of a delayed transition names the delay and the state: `xstate.after.phase.end.liveEvent.live.phase.running`. */
const nameOf = (type: string): string => /^xstate\.after\.(.+)\.liveEvent\./.exec(type)?.[1] ?? type

/** The event as just recovered or committed, with its presence. */
interface Adopted {
  readonly loaded: LoadedEvent
  readonly presence: Presence
}

export class ChartActor {
  readonly #needs: EventServices
  #actor: MachineActor | undefined
  #isStopped = false
  /** The newest transitions adopted since the last recovery, oldest first. */
  #transitions: InspectedTransition[] = []

  constructor(needs: EventServices) {
    this.#needs = needs
  }

  get transitions(): ReadonlyArray<InspectedTransition> {
    return this.#transitions
  }

  /** The event is in memory again, perhaps with transitions that another owner committed. */
  recovered(adopted: Adopted): void {
    const { chart, event } = adopted.loaded.state
    close(this.#actor)
    this.#actor = this.#isStopped ? undefined : this.#needs.system.open(event.id, chart)
    this.#transitions = []
    if (isClosed(chart)) this.#closeDoor(adopted)
    this.#open(adopted)
  }

  /** Applies the transitions of a commit in order. Side effects are called here because XState rethrows an observer's errors in a timer. */
  committed(adopted: Adopted, moves: ReadonlyArray<Move>): void {
    for (const move of moves) {
      // The commit was in flight when the event left memory.
      if (this.#actor === undefined || !isActive(this.#actor)) break
      const before = this.#actor.getSnapshot()
      this.#actor.send(move)
      this.#remember(move, before)
      this.#follow(adopted, before, move.after)
    }
    this.#open(adopted)
  }

  stop(): void {
    this.#isStopped = true
    close(this.#actor)
  }

  #remember({ type, at, after }: Move, before: ChartSnapshot): void {
    const left = new Set(statesOf(before.value))
    const entered = statesOf(after.value).filter((state) => !left.has(state))
    this.#transitions.push({ at, event: nameOf(type), entered })
    if (this.#transitions.length > REMEMBERED_TRANSITIONS) this.#transitions.shift()
  }

  #follow(adopted: Adopted, was: ChartSnapshot, is: ChartSnapshot): void {
    const status = lifeOf(is)
    // Lifecycle changes are logged: published, live, ended, deleted.
    if (status !== lifeOf(was)) {
      const { id: eventId, workspaceId } = adopted.loaded.state.event
      this.#needs.telemetry.log.info({ eventId, workspaceId, status }, `an event is ${status}`)
    }
    if (isClosed(is) && !isClosed(was)) this.#closeDoor(adopted)
  }

  /** Marks participants inside a live event as present. The door is closed first, so that nobody who has to wait is present. */
  #open({ loaded, presence }: Adopted): void {
    if (lifeOf(loaded.state.chart) === "live") presence.open(toTimestamp(this.#needs.timers.now()))
  }

  /** Moves participants without an admission to the waiting room. */
  #closeDoor({ loaded, presence }: Adopted): void {
    const now = this.#needs.timers.now()
    presence.moveToWaitingRoom(admissions(loaded.state, loaded.records), now, toTimestamp(now))
  }
}
