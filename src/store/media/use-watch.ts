/** Metrics of the workspaces' resource use, as far as the database knows it. */
import { Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { Share } from "../../telemetry/workspace-shares.ts"
import { Database } from "../database.ts"
import { readJobUse, readLargestStores } from "./use.ts"

const EVERY = "1 minute"
const MOST = 5

export const mediaUseLayer: Layer.Layer<never, never, Database | Telemetry> = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database
    const { shares } = yield* Telemetry
    let jobs: ReadonlyArray<Share> = []
    let stores: ReadonlyArray<Share> = []
    shares.from("jobSeconds", () => jobs)
    shares.from("bytes", () => stores)
    const look = Effect.gen(function* () {
      const used = yield* database.run((sql) => readJobUse(sql, MOST))
      jobs = used.map(({ workspaceId, seconds }) => ({ workspaceId, amount: Math.round(seconds * 1000) / 1000 }))
      stores = yield* database.run((sql) => readLargestStores(sql, MOST))
    })
    yield* Effect.forkScoped(look.pipe(Effect.ignore, Effect.andThen(Effect.sleep(EVERY)), Effect.forever))
  }),
)
