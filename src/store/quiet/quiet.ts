/** Whether this server sends nothing to others because its database is a copy, as all servers on the database see it. */
import { Context, Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database } from "../database.ts"
import { type Instance, type QuietState, readQuiet } from "./instance.ts"

const EVERY = "2 seconds"

export const Quiet = Context.Reference<{
  /** Whether outgoing items stay due in the database instead of being sent. */
  readonly isQuiet: () => boolean
  readonly state: () => QuietState | null
}>("gathercue/Quiet", { defaultValue: () => ({ isQuiet: () => false, state: () => null }) })

/** Runs the work, or does nothing while the server is quiet. */
export const unlessQuiet = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Quiet, ({ isQuiet }) => (isQuiet() ? Effect.void : Effect.asVoid(work)))

export const quietLayer = ({ quiet, fingerprint }: Instance): Layer.Layer<never, never, Database | Telemetry> =>
  Layer.effect(
    Quiet,
    Effect.gen(function* () {
      const database = yield* Database
      const { log, metrics } = yield* Telemetry
      let state: QuietState | null = null
      const see = (next: QuietState | null): void => {
        if (next !== null && state === null) {
          const { since, signs } = next
          log.warn({ since, signs }, "this database is a copy: nothing is sent until gathercue promote")
        }
        if (next === null && state !== null) log.info("the database was promoted: what waits is sent")
        state = next
        metrics.quiet.set(next === null ? 0 : 1)
      }
      see(quiet)
      const look = Effect.map(
        database.run((sql) => readQuiet(sql, fingerprint)),
        see,
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(EVERY), Effect.ignore(look))))
      return { isQuiet: () => state !== null, state: () => state }
    }),
  )
