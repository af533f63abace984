/**
 * Whoever holds something at a live event when it comes back into memory: a hand that is up, or a seat.
 * After a crash nobody knows who was here; who holds something was, and is waited for. Those who do not come back in time
 * have departed, as if their link had just broken. No webhook tells of it: that they had joined is known of no one, and a
 * `left` for the few who hold something would make the silence about all others look like presence.
 */
import type { ActivityDeadline } from "../domain/activities/activity.ts"
import { tellOfDepartures } from "../domain/activities/registry.ts"
import type { RecordStore } from "../domain/record-store.ts"

const holders = (records: RecordStore): ReadonlySet<string> =>
  new Set([...records.all("hand").keys(), ...[...records.all("seat")].flatMap(([id, { away }]) => (away ? [] : id))])

/** `undefined` when nobody is awaited. `at`: Unix milliseconds. */
export const awaitHolders = (records: RecordStore, at: number): ActivityDeadline | undefined => {
  const awaited = [...holders(records)]
  if (awaited.length === 0) return undefined
  return {
    at,
    due: (turn) => {
      const absent = awaited.filter((id) => turn.everybody.find(id) === undefined)
      tellOfDepartures(
        turn,
        absent.map((participantId) => ({ participantId })),
      )
    },
  }
}
