/**
 * The outbox: webhook occurrences stored by the transaction that caused them, so that what rolls back sends nothing and a
 * crash after the commit loses nothing. Actors write here and the dispatcher reads; the two meet nowhere else.
 */
import { Context, Layer } from "effect"
import { encodeOccurrence, type Occurrence } from "../model/webhook-events.ts"
import type { Queryable } from "./database.ts"

/** Occurrences as `append_occurrences` takes them; `n` keeps their order. */
export const occurrenceRows = (occurrences: ReadonlyArray<Occurrence>): ReadonlyArray<object> =>
  occurrences.map((occurrence, index) => ({
    n: index,
    id: occurrence.id,
    workspace_id: occurrence.workspaceId,
    event_id: occurrence.eventId,
    type: occurrence.type,
    body: encodeOccurrence(occurrence),
    occurred_at: occurrence.occurredAt,
  }))

/**
 * Stores each occurrence together with one delivery for every active endpoint that wants its type. An occurrence nobody
 * wants is not stored. Resolves to the number of deliveries.
 */
export const appendOccurrences = async (sql: Queryable, occurrences: ReadonlyArray<Occurrence>): Promise<number> => {
  const [row] = await sql<{ deliveries: number }[]>`
    select append_occurrences(${sql.json(occurrenceRows(occurrences) as never)}) as deliveries`
  return row?.deliveries ?? 0
}

/** Rung in process after a commit that stored deliveries; the dispatcher wakes at once instead of at its next poll. */
export class OutboxBell extends Context.Service<
  OutboxBell,
  { readonly ring: () => void; readonly onRing: (listener: () => void) => () => void }
>()("gathercue/OutboxBell") {
  static readonly layer: Layer.Layer<OutboxBell> = Layer.sync(OutboxBell, () => {
    const listeners = new Set<() => void>()
    return {
      ring: () => {
        for (const listener of listeners) listener()
      },
      onRing: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  })
}
