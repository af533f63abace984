/** Transcript segments of a speech recogniser, pushed by a service with an API key (hosts push over the gateway). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { COMMANDS } from "../../../protocol/contract.ts"
import { Commanded, EndpointAccess } from "../access.ts"
import { PathId } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

export const Transcripts = HttpApiGroup.make("transcripts")
  .add(
    HttpApiEndpoint.post("pushTranscript", "/v1/events/:id/transcript-segments", {
      params: PathId,
      payload: COMMANDS["transcript.push"].data,
      success: Schema.Struct({ accepted: Schema.Int }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Commanded, true)
      .annotate(
        OpenApi.Summary,
        "Show people at the live event what was said; the active phase must have the feature `transcript`",
      ),
  )
  .annotate(OpenApi.Description, "Captions of a live event.")
