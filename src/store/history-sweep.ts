/** Keeps the live tables small: what no reconnecting client can ask for any more is deleted once a minute. */
import { Effect, Layer } from "effect"
import { toTimestamp } from "../model/timestamp.ts"
import { Database } from "./database.ts"
import { pruneLiveHistory } from "./live-events.ts"

const EVERY = "1 minute"
/** Command ids are answered for ten minutes; a little more is kept, so that the actor's memory is always covered. */
const COMMANDS_KEPT_MS = 660_000

/** `historyMs`: how far back gateways replay. */
export const historySweepLayer = (historyMs: number): Layer.Layer<never, never, Database> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const sweep = Effect.suspend(() => {
        const now = Date.now()
        return database.run((sql) =>
          pruneLiveHistory(sql, {
            publications: toTimestamp(now - historyMs),
            commands: toTimestamp(now - COMMANDS_KEPT_MS),
          }),
        )
      })
      yield* Effect.forkScoped(sweep.pipe(Effect.ignore, Effect.delay(EVERY), Effect.forever))
    }),
  )
