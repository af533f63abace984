/** Records for the copy of an event: what hosts prepared at its source, and nothing that people did. */
import { newId } from "../ids.ts"
import type { Timestamp } from "../timestamp.ts"
import type { Change, Poll, Records } from "./live-records.ts"

/** Kinds of records that hosts prepare before an event. */
export type PreparedRecord =
  | { readonly kind: "poll"; readonly record: Records["poll"] }
  | { readonly kind: "prepared"; readonly record: Records["prepared"] }

/** Time of preparation, by which hosts see the records in order. */
const madeAt = (one: PreparedRecord): Timestamp => (one.kind === "poll" ? one.record.createdAt : one.record.at)

const draftOf = ({ board: _board, ...poll }: Poll, id: string, createdAt: Timestamp): Poll => ({
  ...poll,
  id,
  status: "draft",
  published: false,
  counts: poll.options.map(() => 0),
  voters: 0,
  createdAt,
  openedAt: null,
  closedAt: null,
  endsAt: null,
  extendedMs: 0,
  rev: 1,
})

/**
 * Records of the copy, with ids in the order of their preparation. An announcement to certain rooms is left out: the copy has none of the
 * rooms, and everyone is not whom it is for.
 */
export const copiesOfPrepared = (
  records: ReadonlyArray<PreparedRecord>,
  at: Timestamp,
): ReadonlyArray<Change<"poll" | "prepared">> =>
  records
    .toSorted((one, other) => (madeAt(one) < madeAt(other) ? -1 : Number(madeAt(one) > madeAt(other))))
    .flatMap((one): ReadonlyArray<Change<"poll" | "prepared">> => {
      const id = newId()
      if (one.kind === "poll") return [{ kind: one.kind, id, record: draftOf(one.record, id, at) }]
      return one.record.roomIds === null ? [{ kind: one.kind, id, record: { ...one.record, at } }] : []
    })
