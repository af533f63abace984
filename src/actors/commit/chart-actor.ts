/** The XState actor of the event that this process owns, and what follows from its committed transitions. */

import { type InspectedTransition, REMEMBERED_TRANSITIONS } from "../../model/live/inspection.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { close, isActive, type MachineActor } from "../machine/machine-actor.ts"
import { admissionOf } from "../presence/admission-policy.ts"
import type { Presence } from "../presence/presence.ts"
import type { ActorServices } from "../services.ts"
import { type ChartSnapshot, lifeOf, type Move, regionOf, statesOf } from "../state/chart-snapshot.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const isClosed = (chart: ChartSnapshot): boolean => ["ask", "shut"].includes(regionOf(chart, "door"))

/** A delayed transition's event names the delay and the state: `xstate.after.phase.end.liveEvent.live.phase.running`. */
const nameOf = (type: string): string => /^xstate\.after\.(.+)\.liveEvent\./.exec(type)?.[1] ?? type

/** The event as it has just been recovered or committed, with its presence. */
interface Adopted {
  readonly loaded: LoadedEvent
  readonly presence: Presence
}

export class ChartActor {
  readonly #needs: ActorServices
  #actor: MachineActor | undefined
  #isStopped = false
  /** The newest transitions that were adopted since the last recovery, the oldest first. */
  #transitions: InspectedTransition[] = []

  constructor(needs: ActorServices) {
    this.#needs = needs
  }

  get transitions(): ReadonlyArray<InspectedTransition> {
    return this.#transitions
  }

  /** The event is in memory again, maybe with transitions that another owner has made. */
  recovered(adopted: Adopted): void {
    const { chart, event } = adopted.loaded.state
    close(this.#actor)
    this.#actor = this.#isStopped ? undefined : this.#needs.system.open(event.id, chart)
    this.#transitions = []
    if (isClosed(chart)) this.#closeDoor(adopted)
    this.#open(adopted)
  }

  /** Takes the transitions of a commit, in their order. XState would throw the errors of an observer in a timer: what follows is called here. */
  committed(adopted: Adopted, moves: ReadonlyArray<Move>): void {
    for (const move of moves) {
      // The commit was under way when the event left memory.
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
    // An event that is published, goes live, ends or is deleted is a line of the log.
    if (status !== lifeOf(was)) {
      const { id: eventId, workspaceId } = adopted.loaded.state.event
      this.#needs.telemetry.log.info({ eventId, workspaceId, status }, `an event is ${status}`)
    }
    if (isClosed(is) && !isClosed(was)) this.#closeDoor(adopted)
  }

  /** Participants inside a live event are present. The door is closed before, so that nobody is present who has to wait. */
  #open({ loaded, presence }: Adopted): void {
    if (lifeOf(loaded.state.chart) === "live") presence.open(toTimestamp(this.#needs.timers.now()))
  }

  /** Participants inside without an admission move to the waiting room. */
  #closeDoor({ loaded, presence }: Adopted): void {
    const now = this.#needs.timers.now()
    presence.moveToWaitingRoom((who) => admissionOf(loaded.state, loaded.records, who), now, toTimestamp(now))
  }
}
