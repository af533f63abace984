/** A feed whose link a test can cut: messages are lost meanwhile, and its return is reported as a broker's is. */
import { Effect, Layer } from "effect"
import { Feed } from "../../src/actors/feed.ts"

interface LossyFeed {
  readonly layer: Layer.Layer<Feed>
  readonly cut: () => void
  /** `isReported`: subscribers are called, as a client of a broker does when it is connected again. */
  readonly restore: (isReported: boolean) => void
}

export const openLossyFeed = (): LossyFeed => {
  let isCut = false
  const resets = new Set<() => void>()
  const lossy = Effect.map(Feed, (whole) => ({
    ...whole,
    publish: (message: Parameters<typeof whole.publish>[0]) => {
      if (!isCut) whole.publish(message)
    },
    onReset: (listener: () => void) => {
      resets.add(listener)
      return () => resets.delete(listener)
    },
  }))
  return {
    layer: Layer.effect(Feed, lossy).pipe(Layer.provide(Feed.layerMemory)),
    cut: () => {
      isCut = true
    },
    restore: (isReported) => {
      isCut = false
      if (isReported) for (const reset of resets) reset()
    },
  }
}
