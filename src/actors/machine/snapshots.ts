/**
 * Snapshots of the event's chart by their values. The chart has no context, so that a value is a whole snapshot: all events in the same state
 * share one object, and recovery runs the chart only for a value that no event in memory has had.
 */
import type { SnapshotFrom, StateValue } from "xstate"
import { statesOf } from "../state/chart-snapshot.ts"
import { type Chart, chart } from "./chart.ts"

export type Snapshot = SnapshotFrom<Chart>

/** The chart has more values than this, but few are in use at the same time. */
export const MOST_SHARED = 1000

const shared = new Map<string, Snapshot>()

/** Throws if the chart has no such value. */
export const sharedSnapshot = (value: StateValue): Snapshot => {
  const key = statesOf(value).toSorted().join()
  const known = shared.get(key)
  if (known !== undefined) return known
  const made = chart.resolveState({ value })
  if (shared.size >= MOST_SHARED) shared.clear()
  shared.set(key, made)
  return made
}
