/** Clips: parts that are cut out of a recording. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { MediaFailure } from "../../../model/media/recording.ts"
import { named } from "../../../model/named.ts"
import { isDisplayName } from "../../../model/text/display-name.ts"
import { MembersTitle } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { Example, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage, managedClip, readyClip } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

const DAY_MS = 86_400_000
const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DAY_MS }))

export const Clip = Schema.Struct({
  id: Uuid,
  recordingId: Uuid,
  eventId: Uuid,
  title: Schema.NullOr(Schema.String),
  status: Schema.Literals(["processing", "ready", "failed"]),
  startMs: Schema.Int,
  endMs: Schema.Int,
  /** Measured start and end in the recording: some containers begin at the key frame before the start. */
  actualStartMs: Schema.NullOr(Schema.Int),
  actualEndMs: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int,
  sizeBytes: Schema.NullOr(Schema.Int),
  contentType: Schema.NullOr(Schema.String),
  /** Signed address, valid for six hours; null until the clip is ready. */
  playbackUrl: Schema.NullOr(Schema.String),
  downloadUrl: Schema.NullOr(Schema.String),
  failure: Schema.NullOr(MediaFailure),
  createdAt: Instant,
}).annotate(named("Clip"))
export type Clip = typeof Clip.Type

export const Clips = HttpApiGroup.make("clips")
  .add(
    HttpApiEndpoint.post("createClip", "/v1/recordings/:id/clips", {
      params: PathId,
      payload: Schema.Struct({
        startMs: Milliseconds,
        endMs: Milliseconds,
        title: Schema.optionalKey(MembersTitle(200, isDisplayName)),
        /** `inside`: nothing outside the range is kept, so the clip may begin later. */
        exact: Schema.optionalKey(Schema.Literal("inside")),
      }),
      success: Clip.pipe(HttpApiSchema.status(202)),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(OpenApi.Summary, "Cut a part of at most an hour out of a recording")
      .annotate(
        OpenApi.Description,
        'A job cuts it: watch `status`, or take the webhook `clip.ready`. With `exact: "inside"` nothing outside of the given times is shown.',
      )
      .annotate(Example, { request: { startMs: 60_000, endMs: 90_000, title: "The reveal" }, response: managedClip }),
    HttpApiEndpoint.get("listClips", "/v1/events/:id/clips", {
      params: PathId,
      query: PageQuery,
      success: pageOf("clips", Clip),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "The clips of the event's recordings, newest first")
      .annotate(OpenApi.Description, "Of every state, with signed addresses for those that are ready.")
      .annotate(Example, { response: examplePage("clips", readyClip) }),
    HttpApiEndpoint.get("getClip", "/v1/clips/:id", {
      params: PathId,
      success: Clip,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "clip")
      .annotate(OpenApi.Summary, "A clip, with signed addresses once it is ready")
      .annotate(OpenApi.Description, "The addresses in the answer expire; ask again for fresh ones.")
      .annotate(Example, { response: readyClip }),
    HttpApiEndpoint.delete("deleteClip", "/v1/clips/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "clip")
      .annotate(Audited, "clip.deleted")
      .annotate(OpenApi.Summary, "Delete a clip with its bytes")
      .annotate(OpenApi.Description, "The recording that it was cut from stays."),
  )
  .annotateEndpoints(WriteScope, "media")
  .annotate(OpenApi.Description, "Clips of recordings.")
