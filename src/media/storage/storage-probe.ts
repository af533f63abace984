/** Probes every half minute whether media can be stored, and how many bytes: for `/readyz`, which is polled often, and the metrics. */
import { Context, Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { MediaStorage } from "./storage.ts"

export class StorageProbe extends Context.Service<
  StorageProbe,
  {
    /** Result of the last probe; null before the first. */
    readonly isWritable: () => boolean | null
    /** Bytes that the last probe left to media; null before the first, and after one that failed. */
    readonly freeBytes: () => number | null
  }
>()("gathercue/StorageProbe") {
  static readonly layer: Layer.Layer<StorageProbe, never, MediaStorage | Telemetry> = Layer.effect(
    StorageProbe,
    Effect.gen(function* () {
      const storage = yield* MediaStorage
      let isWritable: boolean | null = null
      let free: number | null = null
      const { metrics } = yield* Telemetry
      const look = Effect.match(storage.probe, {
        onSuccess: (freeBytes) => {
          isWritable = true
          free = freeBytes
          metrics.mediaFreeBytes.set(freeBytes)
        },
        onFailure: () => {
          isWritable = false
          free = null
        },
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep("30 seconds"))))
      return { isWritable: () => isWritable, freeBytes: () => free }
    }),
  )
}
