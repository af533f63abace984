/** The chart of an event that is loaded into memory: as stored, or derived from its rows. */
import { isDeepStrictEqual } from "node:util"
import type { StateValue } from "xstate"
import { ONLY } from "../../model/live/live-records.ts"
import { isStage } from "../../model/modality.ts"
import type { PhaseState } from "../../model/phase.ts"
import { policyOf } from "../presence/admission-policy.ts"
import { type ChartSnapshot, lifeOf, type RegionName, type RegionState } from "../state/chart-snapshot.ts"
import type { RecordStore } from "../state/record-store.ts"
import { activePhaseOf, type LiveState } from "../state/state.ts"
import { sharedSnapshot } from "./snapshots.ts"

type Rows = Pick<LiveState, "event" | "phases">
type Region<R extends RegionName> = RegionState<R> | { readonly [S in RegionState<R>]?: string }

const phaseIn = (phase: PhaseState | undefined): Region<"phase"> => {
  if (phase === undefined) return "none"
  if (phase.timerElapsed) return "elapsed"
  return phase.timerEndsAt === null ? "untimed" : "running"
}

const doorIn = (phase: PhaseState | undefined, records: RecordStore): Region<"door"> => {
  if (phase === undefined || isStage(phase.modality)) return "none"
  const policy = policyOf(phase, records)
  return policy === "closed" ? "shut" : policy
}

const roomsIn = (records: RecordStore): Region<"rooms"> => {
  const breakout = records.get("breakout", ONLY)
  if (breakout === undefined) return "closed"
  return breakout.closesAt === null ? "open" : "closing"
}

const rotationIn = (records: RecordStore): Region<"rotation"> => {
  const rotation = records.get("rotation", ONLY)
  if (rotation === undefined || rotation.status === "ended") return "idle"
  if (rotation.status === "break") return { break: rotation.endsAt === null ? "waiting" : "running" }
  return rotation.status
}

const broadcastIn = (phase: PhaseState | undefined, records: RecordStore): Region<"broadcast"> =>
  phase !== undefined && isStage(phase.modality) ? (records.get("broadcast", phase.id)?.status ?? "idle") : "off"

const hostsIn = (records: RecordStore): Region<"hosts"> => {
  const away = records.get("hostAway", ONLY)
  if (away === undefined) return "here"
  return away.measure === null ? "away" : "unattended"
}

/** The chart value derived from the rows of an event. A release from before the chart was stored leaves only the rows. */
const valueInRows = (rows: Rows, records: RecordStore) => {
  const { status } = rows.event
  if (status !== "live") return status
  const phase = activePhaseOf(rows)
  return {
    live: {
      phase: phaseIn(phase),
      door: doorIn(phase, records),
      presence: "list",
      rooms: roomsIn(records),
      rotation: rotationIn(records),
      broadcast: broadcastIn(phase, records),
      capture: records.get("capture", ONLY)?.on === true ? "on" : "off",
      hosts: hostsIn(records),
    },
  }
}

/**
 * The chart stored by the last commit. `undefined`: there is none, as after a commit of a release that stores none; or it is not a value of
 * this chart; or it does not match the status in the event's row.
 */
export const storedChart = ({ event }: Rows, stored: unknown): ChartSnapshot | undefined => {
  if (stored === null) return undefined
  try {
    const snapshot = sharedSnapshot(stored as StateValue)
    // XState fills in the regions that a value of another chart version lacks.
    return isDeepStrictEqual(snapshot.value, stored) && lifeOf(snapshot) === event.status ? snapshot : undefined
  } catch {
    return undefined
  }
}

export const chartInRows = (rows: Rows, records: RecordStore): ChartSnapshot =>
  sharedSnapshot(valueInRows(rows, records))
