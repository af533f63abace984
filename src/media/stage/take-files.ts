/** Reads the playlists that the media server puts into the bucket. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { StageTake } from "../../store/media/stage-takes.ts"
import { folderOf, MediaStorage } from "../storage/storage.ts"
import { inSlices } from "./slices.ts"
import { STAGE_FILES } from "./stage-files.ts"
import type { TakeNow } from "./stage-numbers.ts"
import { NO_SEGMENTS, readingTake } from "./take-playlist.ts"

/** Size limits. A day of segments takes less; `live` has five segments. */
const MOST_BYTES = { whole: 8 * 1024 ** 2, live: 64 * 1024 } as const
/** Number of files fetched concurrently. */
const AT_ONCE = 8

/** `undefined` when it is missing or too long. */
const textAt = (key: string, mostBytes: number): Effect.Effect<string | undefined, Unavailable, MediaStorage> =>
  Effect.flatMap(MediaStorage, (storage) =>
    Effect.acquireUseRelease(
      storage.open(key),
      (file) =>
        Effect.promise(async () => {
          if (file === null || file.size === 0 || file.size > mostBytes) return undefined
          const bytes = Buffer.allocUnsafe(file.size)
          // Everything that is parsed is ASCII.
          return bytes.toString("latin1", 0, await file.read(bytes, 0))
        }),
      (file) => (file === null ? Effect.void : Effect.promise(file.close)),
    ),
  )

interface TakesRead {
  readonly takes: ReadonlyArray<TakeNow>
  /** Recordings of takes whose playlist is missing, too long, or lacks its end although nothing more is expected. */
  readonly incomplete: ReadonlyArray<string>
}

/** Takes with their playlists in the bucket: `live` of the last segments, `whole` of all. A take whose playlist cannot be read has none. */
export const readTakes = (
  stored: ReadonlyArray<StageTake>,
  which: keyof typeof MOST_BYTES,
): Effect.Effect<TakesRead, Unavailable, MediaStorage> =>
  Effect.gen(function* () {
    const texts = yield* Effect.forEach(
      stored,
      ({ storageKey }) => textAt(`${folderOf(storageKey)}${STAGE_FILES[which]}`, MOST_BYTES[which]),
      { concurrency: AT_ONCE },
    )
    const takes: TakeNow[] = []
    const incomplete: string[] = []
    // Sequential: slices of several at once would block the event loop for long.
    for (const [index, { id, place, hasEnded, isOverdue }] of stored.entries()) {
      const text = texts[index]
      const read = text === undefined ? NO_SEGMENTS : yield* Effect.promise(() => inSlices(readingTake(text)))
      if (text === undefined || (isOverdue && !read.hasEnded && !hasEnded)) incomplete.push(id)
      takes.push({ ...read, id, place, hasEnded: read.hasEnded || hasEnded || isOverdue })
    }
    return { takes, incomplete }
  })
