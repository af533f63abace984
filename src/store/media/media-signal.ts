/** Sent in process after a commit that added media jobs; they start at once instead of at the next poll. */
import { Context, Effect, Layer } from "effect"
import { Listeners } from "../../model/listeners.ts"
import { afterCommit } from "../database.ts"

export class MediaSignal extends Context.Service<
  MediaSignal,
  { readonly notify: () => void; readonly subscribe: (listener: () => void) => () => void }
>()("gathercue/MediaSignal") {
  static readonly layer: Layer.Layer<MediaSignal> = Layer.sync(MediaSignal, () => new Listeners())
}

/** Starts jobs that the caller's work added, and not before it is committed. */
export const startMediaJobs: Effect.Effect<void, never, MediaSignal> = Effect.flatMap(MediaSignal, ({ notify }) =>
  afterCommit(Effect.sync(notify)),
)
