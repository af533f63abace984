/** Facts of a broadcast's recording, which needs no inspection because the server cut it itself. */

import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { MediaFacts } from "../../model/media/recording.ts"
import type { StoredTake } from "../../store/media/broadcasts.ts"
import { readInit } from "../broadcast/fmp4/init.ts"
import { storedTimes } from "../broadcast/stored-times.ts"

/** `segments` are the stored ones. The picture size is that of the first take. `undefined` when nothing is stored. */
export const recordedFacts = (
  takes: ReadonlyArray<StoredTake>,
  segments: ReadonlyArray<BroadcastSegment>,
): { readonly facts: MediaFacts; readonly sizeBytes: number } | undefined => {
  if (segments.length === 0) return undefined
  const inits = takes.map(({ init }) => readInit(new Uint8Array(init)))
  const tracks = inits[0]?.tracks ?? []
  const size = tracks.find(({ kind }) => kind === "video")?.size ?? null
  const sizeBytes =
    segments.reduce((sum, { bytes }) => sum + bytes, 0) + inits.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
  return {
    sizeBytes,
    facts: {
      container: "MP4",
      contentType: size === null ? "audio/mp4" : "video/mp4",
      codecs: [...new Set(inits.flatMap((init) => init.tracks.map(({ codec }) => codec)))],
      durationMs: Math.max(
        1,
        storedTimes(segments).reduce((sum, { durationMs }) => sum + durationMs, 0),
      ),
      width: size?.width ?? null,
      height: size?.height ?? null,
    },
  }
}
