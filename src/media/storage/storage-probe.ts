/** Whether bytes of media can be stored, looked at every half minute: for `/readyz`, which many ask. */
import { Context, Effect, Layer } from "effect"
import { MediaStorage } from "./storage.ts"

export class StorageProbe extends Context.Service<
  StorageProbe,
  {
    /** As of the last look; null before the first. */
    readonly isWritable: () => boolean | null
  }
>()("gathercue/StorageProbe") {
  static readonly layer: Layer.Layer<StorageProbe, never, MediaStorage> = Layer.effect(
    StorageProbe,
    Effect.gen(function* () {
      const storage = yield* MediaStorage
      let isWritable: boolean | null = null
      const look = Effect.map(Effect.result(storage.probe), ({ _tag }) => {
        isWritable = _tag === "Success"
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep("30 seconds"))))
      return { isWritable: () => isWritable }
    }),
  )
}
