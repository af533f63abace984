/** Recordings of events: created, uploaded to a signed address, inspected, and watched at signed addresses. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { MediaFailure, RecordingKind, RecordingStatus, Transcription } from "../../../model/media/recording.ts"
import { named } from "../../../model/named.ts"
import { isDisplayName } from "../../../model/text/display-name.ts"
import { MembersTitle } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { BodyLimit, created, Example, OptionalBody, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage, managedRecording } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

const Bytes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

/** Room for every part with an ETag of the usual length. */
const LARGEST_COMPLETION = 2 * 1024 ** 2

const PartNumber = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

const FIELDS = {
  id: Uuid,
  eventId: Uuid,
  phaseId: Schema.NullOr(Uuid),
  roomId: Schema.NullOr(Schema.String),
  kind: RecordingKind,
  source: Schema.Literals(["upload", "livekit", "broadcast"]),
  title: Schema.NullOr(Schema.String),
  status: RecordingStatus,
  /** Announced value during the upload, then the measured one. */
  sizeBytes: Schema.NullOr(Schema.Int),
  contentType: Schema.NullOr(Schema.String),
  durationMs: Schema.NullOr(Schema.Int),
  /** Signed address, valid for six hours; null until the recording is ready. */
  playbackUrl: Schema.NullOr(Schema.String),
  downloadUrl: Schema.NullOr(Schema.String),
  failure: Schema.NullOr(MediaFailure),
  /** Set while a speech recogniser makes the transcript, and when it could not; otherwise null. */
  transcription: Schema.NullOr(Transcription),
  createdAt: Instant,
}
export const Recording = Schema.Struct(FIELDS).annotate(named("Recording"))
export type Recording = typeof Recording.Type

export const Recordings = HttpApiGroup.make("recordings")
  .add(
    HttpApiEndpoint.post("createRecording", "/v1/events/:id/recordings", {
      params: PathId,
      payload: Schema.Struct({
        kind: Schema.optionalKey(RecordingKind),
        phaseId: Schema.optionalKey(Id),
        roomId: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 64))),
        title: Schema.optionalKey(MembersTitle(200, isDisplayName)),
        /** The announced size is reserved for the upload, and refused at once when it is too large. */
        sizeBytes: Schema.optionalKey(Bytes),
      }),
      success: created(
        Schema.Struct({
          ...FIELDS,
          /** Address for the `PUT` of the bytes; it is the credential. */
          uploadUrl: Schema.String,
          /** Time when the address expires. */
          expiresAt: Instant,
          /** Sizes for an upload in parts, all but the last of this size; null when the file must be uploaded whole. */
          parts: Schema.NullOr(
            Schema.Struct({ sizeBytes: Schema.Int, maxParts: Schema.Int }).annotate(named("UploadParts")),
          ),
        }),
      ),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(Commanded, true)
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Begin a recording and get the address for its bytes")
      .annotate(
        OpenApi.Description,
        "Send the bytes to the address in the answer, whole or in parts, and then complete the recording.",
      )
      .annotate(Example, {
        request: { kind: "merged", title: "Spring launch", sizeBytes: 968_000_000 },
        response: {
          ...managedRecording,
          status: "uploading",
          contentType: null,
          durationMs: null,
          playbackUrl: null,
          downloadUrl: null,
          uploadUrl: `https://events.example.com/v1/media/uploads/upload.${ids.recording}.workspace.1795363200.QkFaRk9PQkFSRk9PQkFSQkFaQkE`,
          expiresAt: T1,
          parts: { sizeBytes: 16_777_216, maxParts: 58 },
        },
      }),
    HttpApiEndpoint.post("addressParts", "/v1/recordings/:id/parts", {
      params: PathId,
      payload: Schema.Struct({ from: PartNumber, to: PartNumber }),
      success: Schema.Struct({
        parts: Schema.Array(
          Schema.Struct({
            number: PartNumber,
            /** Size of the part in bytes. */
            sizeBytes: Schema.Int,
            /** Address for the `PUT` of the part, in any order; it is the credential. */
            url: Schema.String,
          }).annotate(named("PartAddress")),
        ),
      }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(OpenApi.Summary, "Addresses of the parts of an upload, at most 1,000 at once")
      .annotate(
        OpenApi.Description,
        "Parts may be sent at the same time and in any order. The addresses end with the upload's term.",
      )
      .annotate(Example, {
        request: { from: 1, to: 1 },
        response: {
          parts: [
            {
              number: 1,
              sizeBytes: 16_777_216,
              url: `https://events.example.com/v1/media/parts/part.${ids.recording}_1.workspace.1795363200.QkFaRk9PQkFSRk9PQkFSQkFaQkE`,
            },
          ],
        },
      }),
    HttpApiEndpoint.post("completeRecording", "/v1/recordings/:id/complete", {
      params: PathId,
      payload: Schema.Struct({
        /** The upload is refused when the bytes differ from it. */
        sizeBytes: Schema.optionalKey(Bytes),
        parts: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({ number: PartNumber, etag: Schema.String.check(Schema.isMaxLength(256)) }).annotate(
              named("UploadedPart"),
            ),
          ).check(Schema.isMaxLength(10_000)),
        ),
        sha256: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))),
      }),
      success: [Recording.pipe(HttpApiSchema.status(202)), Recording],
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(Commanded, true)
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "recording")
      .annotate(BodyLimit, LARGEST_COMPLETION)
      .annotate(
        OpenApi.Summary,
        "All bytes are there: 202 when their inspection begins, 200 when it had begun or the recording is ready",
      )
      .annotate(
        OpenApi.Description,
        "The recording is inspected, and is `ready` or `failed` afterwards. Webhook `recording.ready`.",
      )
      .annotate(Example, {
        request: { sizeBytes: 968_000_000 },
        response: {
          ...managedRecording,
          status: "processing",
          contentType: null,
          durationMs: null,
          playbackUrl: null,
          downloadUrl: null,
        },
      }),
    HttpApiEndpoint.get("listRecordings", "/v1/events/:id/recordings", {
      params: PathId,
      query: PageQuery,
      success: pageOf("recordings", Recording),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "The event's recordings, newest first")
      .annotate(OpenApi.Description, "Of every state, with signed addresses for those that are ready.")
      .annotate(Example, { response: examplePage("recordings", managedRecording) }),
    HttpApiEndpoint.get("getRecording", "/v1/recordings/:id", {
      params: PathId,
      success: Recording,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(OpenApi.Summary, "A recording, with signed addresses once it is ready")
      .annotate(OpenApi.Description, "The addresses in the answer expire; ask again for fresh ones.")
      .annotate(Example, { response: managedRecording }),
    HttpApiEndpoint.delete("deleteRecording", "/v1/recordings/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(Audited, "recording.deleted")
      .annotate(OpenApi.Summary, "Delete a recording with its bytes and all that was made from it")
      .annotate(OpenApi.Description, "Its clips, transcript and pictures are removed too."),
  )
  .annotateEndpoints(WriteScope, "media")
  .annotate(OpenApi.Description, "Recordings of events.")
