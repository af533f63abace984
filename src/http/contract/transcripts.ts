/** What a speech recogniser heard, told by a service with an API key (hosts do it over the gateway). */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ACTIVITY_COMMANDS } from "../../model/activity-commands.ts"
import { Commanded, EndpointAccess } from "./access.ts"
import { PathId } from "./endpoint.ts"
import { COMMON, problems, WITH_BODY } from "./problem.ts"

export const Transcripts = HttpApiGroup.make("transcripts")
  .add(
    HttpApiEndpoint.post("pushTranscript", "/v1/events/:id/transcript-segments", {
      params: PathId,
      payload: ACTIVITY_COMMANDS["transcript.push"],
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
