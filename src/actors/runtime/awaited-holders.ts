/**
 * Participants that hold a raised hand or a seat when the event returns to memory. After a crash presence is unknown. A
 * participant that holds something was present, so the event waits for them. One that does not return in time has departed, as
 * after a lost connection. There is no webhook event for it: their `joined` is not known here, and a `left` for these few would
 * suggest that all others are present.
 */
import type { ActivityDeadline } from "../domain/activities/activity.ts"
import { runLeftHooks } from "../domain/activities/registry.ts"
import type { RecordStore } from "../domain/record-store.ts"

const holders = (records: RecordStore): ReadonlySet<string> =>
  new Set([...records.all("hand").keys(), ...[...records.all("seat")].flatMap(([id, { away }]) => (away ? [] : id))])

/** `undefined` when there are no such participants. `at`: Unix milliseconds. */
export const awaitHolders = (records: RecordStore, at: number): ActivityDeadline | undefined => {
  const awaited = [...holders(records)]
  if (awaited.length === 0) return undefined
  return {
    at,
    due: (turn) => {
      const absent = awaited.filter((id) => turn.everybody.find(id) === undefined)
      runLeftHooks(
        turn,
        absent.map((participantId) => ({ participantId })),
      )
    },
  }
}
