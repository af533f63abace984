/** In-process signal sent after a commit that added media jobs, which then start at once instead of at the next poll. */
import { Context, Effect, Layer } from "effect"
import { Listeners } from "../../model/listeners.ts"
import { afterCommit } from "../database.ts"

export class MediaSignal extends Context.Service<
  MediaSignal,
  { readonly notify: () => void; readonly subscribe: (listener: () => void) => () => void }
>()("gathercue/MediaSignal") {
  static readonly layer: Layer.Layer<MediaSignal> = Layer.sync(MediaSignal, () => new Listeners())
}

/** Starts jobs that the caller's work added, after its commit. */
export const startMediaJobs: Effect.Effect<void, never, MediaSignal> = Effect.flatMap(MediaSignal, ({ notify }) =>
  afterCommit(Effect.sync(notify)),
)
