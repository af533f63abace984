/** Reads the playlists that the media server puts into the bucket. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { StageTake } from "../../store/media/stage-takes.ts"
import { folderOf, MediaStorage } from "../storage/storage.ts"
import { inSlices } from "./slices.ts"
import { STAGE_FILES } from "./stage-files.ts"
import type { TakeNow } from "./stage-numbers.ts"
import { NO_SEGMENTS, readingTake } from "./take-playlist.ts"

/** A day of segments has fewer; the playlist of the last ones has five. */
const MOST_BYTES = { whole: 8 * 1024 ** 2, live: 64 * 1024 } as const
/** Files that are fetched at once. */
const AT_ONCE = 8

/** `undefined`: it is not there, or too long. */
const textAt = (key: string, mostBytes: number): Effect.Effect<string | undefined, Unavailable, MediaStorage> =>
  Effect.flatMap(MediaStorage, (storage) =>
    Effect.acquireUseRelease(
      storage.open(key),
      (file) =>
        Effect.promise(async () => {
          if (file === null || file.size === 0 || file.size > mostBytes) return undefined
          const bytes = Buffer.allocUnsafe(file.size)
          // All that is understood of it is ASCII.
          return bytes.toString("latin1", 0, await file.read(bytes, 0))
        }),
      (file) => (file === null ? Effect.void : Effect.promise(file.close)),
    ),
  )

interface TakesRead {
  readonly takes: ReadonlyArray<TakeNow>
  /** Of takes whose playlist is not there, is too long, or lacks its end although nothing more is expected: their recordings. */
  readonly incomplete: ReadonlyArray<string>
}

/** The takes as they are in the bucket: `live` of their last segments, `whole` of all. One that cannot be read has none. */
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
    // One after the other: slices of several at once would be one long stretch of the event loop.
    for (const [index, { id, place, hasEnded, isOverdue }] of stored.entries()) {
      const text = texts[index]
      const read = text === undefined ? NO_SEGMENTS : yield* Effect.promise(() => inSlices(readingTake(text)))
      if (text === undefined || (isOverdue && !read.hasEnded && !hasEnded)) incomplete.push(id)
      takes.push({ ...read, id, place, hasEnded: read.hasEnded || hasEnded || isOverdue })
    }
    return { takes, incomplete }
  })
