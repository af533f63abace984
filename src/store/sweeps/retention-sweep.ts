/** Hourly deletion of expired sessions, tokens and links, and of rows that ended sessions which have expired by now. */
import { Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { deleteExpiredAccountTokens } from "../accounts/account-tokens.ts"
import { deleteExpiredSessions } from "../accounts/accounts.ts"
import { deleteExpiredChallenges } from "../accounts/sign-in-challenges.ts"
import { Database } from "../database.ts"
import { deleteEntryTokens, listEventsWithOldEntries, markEntriesSwept } from "../events/registrations.ts"
import { deleteExpiredNoteTokens } from "../events/table-notes.ts"
import { deleteExpiredLinks } from "../links/bearer-links.ts"
import { deleteErasedGuests } from "../personal/erased-guests.ts"
import { inBatches, patiently, sweepEvery } from "../sweeps.ts"

/** An entry token opens its event for a day after the end; an extra hour covers clock differences. */
const ENTRIES_KEPT_MS = 25 * 3_600_000
/** Maximum number of events whose entry tokens are swept at once. */
const EVENTS = 100

const sweepEntryTokens = (database: Database["Service"], now: number): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    const endedBefore = toTimestamp(now - ENTRIES_KEPT_MS)
    const eventIds = yield* patiently(database, (sql) => listEventsWithOldEntries(sql, endedBefore, EVENTS))
    if (eventIds.length === 0) return 0
    yield* inBatches(database, (sql, limit) => deleteEntryTokens(sql, eventIds, limit))
    yield* patiently(database, (sql) => markEntriesSwept(sql, eventIds))
    return eventIds.length
  }).pipe(Effect.repeat({ while: (events) => events === EVENTS }), Effect.asVoid)

/** `now`: Unix milliseconds. */
export const sweepExpired = (database: Database["Service"], now: number): Effect.Effect<void, Unavailable> => {
  const at = toTimestamp(now)
  return Effect.all(
    [
      inBatches(database, (sql, limit) => deleteExpiredSessions(sql, at, limit)),
      inBatches(database, (sql, limit) => deleteExpiredAccountTokens(sql, at, limit)),
      inBatches(database, (sql, limit) => deleteExpiredChallenges(sql, at, limit)),
      inBatches(database, (sql, limit) => deleteExpiredNoteTokens(sql, at, limit)),
      inBatches(database, (sql, limit) => deleteErasedGuests(sql, now, limit)),
      inBatches(database, (sql, limit) => deleteExpiredLinks(sql, at, limit)),
      sweepEntryTokens(database, now),
    ],
    { discard: true },
  )
}

export const retentionSweepLayer: Layer.Layer<never, never, Database | Telemetry> = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database
    const timers = yield* currentTimers
    const { log } = yield* Telemetry
    const sweep = Effect.suspend(() => sweepExpired(database, timers.now()))
    yield* Effect.forkScoped(sweepEvery("1 hour", log, sweep))
  }),
)
