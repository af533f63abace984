/** A stored transcript in a format, written slice by slice: the event loop does other work in between. */
import { setImmediate } from "node:timers/promises"
import { Effect } from "effect"
import type { Writer } from "../../../media/captions/write.ts"
import type { Unavailable } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { listSlices, segmentsOfSlice } from "../../../store/media/transcripts.ts"

const slicesOf = (transcriptId: string): Effect.Effect<ReadonlyArray<string>, Unavailable, Database> =>
  Effect.flatMap(Database, (database) => database.run((sql) => listSlices(sql, transcriptId)))

export const writtenTranscript = (transcriptId: string, writer: Writer): Effect.Effect<string, Unavailable, Database> =>
  Effect.gen(function* () {
    for (const slice of yield* slicesOf(transcriptId)) {
      writer.add(segmentsOfSlice(slice))
      yield* Effect.promise(() => setImmediate())
    }
    return writer.text()
  })

/** JSON of the transcript with its segments, which are inserted as text without parsing. */
export const transcriptJson = (head: object, transcriptId: string): Effect.Effect<string, Unavailable, Database> =>
  Effect.map(slicesOf(transcriptId), (slices) => {
    const segments = slices.map((slice) => slice.slice(1, -1)).join(",")
    return `${JSON.stringify(head).slice(0, -1)},"segments":[${segments}]}`
  })
