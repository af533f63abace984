/** Sent in process after a commit that added media jobs; they start at once instead of at the next poll. */
import { Context, Layer } from "effect"

export class MediaSignal extends Context.Service<
  MediaSignal,
  { readonly notify: () => void; readonly subscribe: (listener: () => void) => () => void }
>()("gathercue/MediaSignal") {
  static readonly layer: Layer.Layer<MediaSignal> = Layer.sync(MediaSignal, () => {
    const listeners = new Set<() => void>()
    return {
      notify: () => {
        for (const listener of listeners) listener()
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  })
}
