/** Value of the event's chart, as the domain reads it. `chart.ts` creates it. */
import type { StateValue } from "xstate"
import type { Timestamp } from "../../model/timestamp.ts"

/** A snapshot of the chart. The value is the whole state: the chart has no context. */
export interface ChartSnapshot {
  readonly value: StateValue
}

/** A transition of a turn: the event that led to another value. */
export interface Move {
  readonly type: string
  readonly at: Timestamp
  readonly after: ChartSnapshot
}

type Life = "draft" | "scheduled" | "live" | "ended" | "deleted"

/** The states of each region of a live event, the initial one first. */
const REGIONS = {
  phase: ["none", "untimed", "running", "elapsed"],
  door: ["none", "open", "ask", "shut"],
  presence: ["list", "summary"],
  rooms: ["closed", "open", "closing"],
  rotation: ["idle", "round", "break", "paused"],
  broadcast: ["off", "idle", "live", "paused", "ended"],
  capture: ["off", "on"],
  hosts: ["here", "away", "unattended"],
} as const

export type RegionName = keyof typeof REGIONS
export type RegionState<R extends RegionName> = (typeof REGIONS)[R][number]

/** Top state of a value: `open` of `{ open: "running" }`. */
export const topOf = (value: StateValue | undefined): string | undefined =>
  typeof value === "object" ? Object.keys(value)[0] : value

/** All innermost states of a value, with their paths: `live.phase.running`. */
export const statesOf = (value: StateValue, root = ""): ReadonlyArray<string> =>
  typeof value === "string"
    ? [`${root}${value}`]
    : Object.entries(value).flatMap(([state, inner]) =>
        inner === undefined ? [] : statesOf(inner, `${root}${state}.`),
      )

export const lifeOf = ({ value }: ChartSnapshot): Life => topOf(value) as Life

/** The state of a region; its initial state when the event is not live. */
export const regionOf = <R extends RegionName>({ value }: ChartSnapshot, region: R): RegionState<R> => {
  const live = typeof value === "object" ? value["live"] : undefined
  const found = typeof live === "object" ? topOf(live[region]) : undefined
  return (found ?? REGIONS[region][0]) as RegionState<R>
}
