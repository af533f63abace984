/** The XState actor of the event that this process owns, and what follows from its committed transitions. */
import { toTimestamp } from "../../model/timestamp.ts"
import { MachineActor } from "../machine/machine-actor.ts"
import { type ChartSnapshot, lifeOf, type Move, regionOf, type Transition } from "../machine/snapshot.ts"
import { admissionOf } from "../presence/admission-policy.ts"
import type { Presence } from "../presence/presence.ts"
import type { ActorServices } from "../services.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const isClosed = (chart: ChartSnapshot): boolean => ["ask", "shut"].includes(regionOf(chart, "door"))

export class OwnedChart {
  readonly #needs: Pick<ActorServices, "telemetry" | "timers">
  #actor: MachineActor | undefined
  /** What the actor has adopted last. */
  #of: { readonly loaded: LoadedEvent; readonly presence: Presence } | undefined

  constructor(needs: Pick<ActorServices, "telemetry" | "timers">) {
    this.#needs = needs
  }

  /** The committed transitions since the event came into memory. */
  get transitions(): ReadonlyArray<Transition> {
    return this.#actor?.transitions ?? []
  }

  /** The event is in memory again, maybe with transitions that another owner has made. */
  recovered(loaded: LoadedEvent, presence: Presence): void {
    const { chart, event } = loaded.state
    this.#of = { loaded, presence }
    this.#actor?.stop()
    this.#actor = new MachineActor(event.id, chart, (was, is) => this.#follow(was, is))
    if (isClosed(chart)) this.#closeDoor()
    this.#open()
  }

  adopted(loaded: LoadedEvent, moves: ReadonlyArray<Move>): void {
    if (this.#of !== undefined) this.#of = { ...this.#of, loaded }
    this.#actor?.adopt(moves)
    this.#open()
  }

  stop(): void {
    this.#actor?.stop()
  }

  #follow(was: ChartSnapshot, is: ChartSnapshot): void {
    if (lifeOf(is) !== lifeOf(was)) this.#lives(is)
    if (isClosed(is) && !isClosed(was)) this.#closeDoor()
  }

  /** An event that is published, goes live, ends or is deleted is a line of the log. */
  #lives(is: ChartSnapshot): void {
    if (this.#of === undefined) return
    const { id: eventId, workspaceId } = this.#of.loaded.state.event
    const status = lifeOf(is)
    this.#needs.telemetry.log.info({ eventId, workspaceId, status }, `an event is ${status}`)
  }

  /** Who is inside a live event is present. The door is closed before, so that nobody is present who has to wait. */
  #open(): void {
    if (this.#of === undefined || lifeOf(this.#of.loaded.state.chart) !== "live") return
    this.#of.presence.open(toTimestamp(this.#needs.timers.now()))
  }

  /** Participants inside without an admission move to the waiting room. */
  #closeDoor(): void {
    if (this.#of === undefined) return
    const { loaded, presence } = this.#of
    const now = this.#needs.timers.now()
    presence.moveToWaitingRoom((who) => admissionOf(loaded.state, loaded.records, who), now, toTimestamp(now))
  }
}
