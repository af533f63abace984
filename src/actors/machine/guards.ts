/** Guards of the chart's transitions: on the event and its command, and on the records of the turn. */
import { broadcastGuards } from "../domain/activities/broadcast.ts"
import { captureGuards } from "../domain/activities/capture.ts"
import { hostGuards } from "../domain/activities/host-absence.ts"
import { breakoutGuards } from "../domain/activities/rooms/breakout.ts"
import { rotationGuards } from "../domain/activities/rooms/rotation.ts"
import { agendaGuards } from "../domain/agenda.ts"
import type { Turn } from "../domain/turn.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { Happening } from "../state/chart-events.ts"

const policy = (turn: Turn) => lobbyPolicy(turn.state, turn.records)

const DOOR = {
  isDoorOpen: (turn: Turn) => policy(turn) === "open",
  isDoorAsking: (turn: Turn) => policy(turn) === "ask",
  isDoorShut: (turn: Turn) => policy(turn) === "closed",
}

const ALL = {
  ...agendaGuards,
  ...DOOR,
  ...broadcastGuards,
  ...breakoutGuards,
  ...rotationGuards,
  ...captureGuards,
  ...hostGuards,
}

export type GuardName = keyof typeof ALL

/** An event as the chart receives it. `turn`: the records and people that guards read. */
export type ChartEvent = Happening & { readonly turn: Turn }

type Asked = { readonly event: ChartEvent }

/** The guards in the form that XState calls. The chart passes a guard only events of its type, which the compiler cannot see. */
export const GUARDS = Object.fromEntries(
  Object.entries(ALL).map(([name, guard]) => [
    name,
    ({ event }: Asked) => (guard as (turn: Turn, event: ChartEvent) => boolean)(event.turn, event),
  ]),
) as Record<GuardName, (asked: Asked) => boolean>
