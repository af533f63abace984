/** The XState actor of the event that this process owns, and what follows from its committed transitions. */

import type { InspectedTransition } from "../../model/live/inspection.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { MachineActor } from "../machine/machine-actor.ts"
import { type ChartSnapshot, lifeOf, type Move, regionOf } from "../machine/snapshot.ts"
import { admissionOf } from "../presence/admission-policy.ts"
import type { Presence } from "../presence/presence.ts"
import type { ActorServices } from "../services.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const isClosed = (chart: ChartSnapshot): boolean => ["ask", "shut"].includes(regionOf(chart, "door"))

/** The event as it has just been recovered or committed, with its presence. */
interface Adopted {
  readonly loaded: LoadedEvent
  readonly presence: Presence
}

export class OwnedChart {
  readonly #needs: ActorServices
  #actor: MachineActor | undefined
  #isStopped = false

  constructor(needs: ActorServices) {
    this.#needs = needs
  }

  get transitions(): ReadonlyArray<InspectedTransition> {
    return this.#actor?.transitions ?? []
  }

  /** The event is in memory again, maybe with transitions that another owner has made. */
  recovered(adopted: Adopted): void {
    const { chart, event } = adopted.loaded.state
    this.#actor?.stop()
    this.#actor = this.#isStopped ? undefined : new MachineActor(this.#needs.system, event.id, chart)
    if (isClosed(chart)) this.#closeDoor(adopted)
    this.#open(adopted)
  }

  committed(adopted: Adopted, moves: ReadonlyArray<Move>): void {
    this.#actor?.adopt(moves, (was, is) => this.#follow(adopted, was, is))
    this.#open(adopted)
  }

  stop(): void {
    this.#isStopped = true
    this.#actor?.stop()
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
