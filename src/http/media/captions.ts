/** Transcript as WebVTT at a signed address, for a player's `<track>`. */
import { Effect } from "effect"
import type { BearerLinks } from "../../identity/links/bearer-links.ts"
import { vttWriter } from "../../media/captions/write.ts"
import type { MediaLinks } from "../../media/links.ts"
import { type Failure, NotFound } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { findTranscriptById } from "../../store/media/transcripts.ts"
import { writtenTranscript } from "../requests/media/transcript-formats.ts"
import type { HttpResponse } from "../transport/message.ts"
import { requireVisible, validLink } from "./valid-link.ts"

export const captionsAt = (token: string): Effect.Effect<HttpResponse, Failure, BearerLinks | Database | MediaLinks> =>
  Effect.gen(function* () {
    const { id, audience } = yield* validLink(token, ["play"], "transcript")
    const database = yield* Database
    const transcript = yield* database.run((sql) => findTranscriptById(sql, id))
    if (transcript === undefined) return yield* NotFound.of("transcript")
    yield* requireVisible(audience, transcript.eventId, "transcript")
    const body = yield* writtenTranscript(transcript.id, vttWriter())
    const headers = [
      ["content-type", "text/vtt; charset=utf-8"],
      ["cache-control", "private, max-age=3600"],
    ] as const
    return { status: 200, headers, body }
  })
