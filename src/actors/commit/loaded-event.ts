/**
 * A live event in memory: claimed, recovered, and changed only by a fenced commit. Invariant: nothing is adopted or published before it is
 * committed. An actor that is fenced out, or does not know the outcome of its commit, discards the loaded event and recovers it from the
 * store.
 */

import type { Present } from "../presence/presence.ts"
import type { RecordStore } from "../state/record-store.ts"
import type { LiveState } from "../state/state.ts"
import type { CommandLog } from "./command-log.ts"
import type { Heads } from "./stream-heads.ts"

/** State of an event while this process owns it. */
export interface LoadedEvent {
  readonly fencingToken: number
  readonly version: number
  readonly epoch: string
  readonly state: LiveState
  /** False: the chart was derived from rows, and the next commit stores it. */
  readonly isChartStored: boolean
  /** A batch advances the heads and the records before its commit: an actor whose commit fails discards all of them. */
  readonly heads: Heads
  readonly records: RecordStore
  readonly answers: CommandLog
  /** Participants that the last activation announced as present. */
  readonly roster: ReadonlyArray<Present>
}
