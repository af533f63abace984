/** Starting and stopping a broadcast by the workspace's managers; hosts do it over the gateway. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { EncoderState, IngestFailure } from "../../../model/live/live-values.ts"
import { named } from "../../../model/named.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { created, Example, OptionalBody, PathId } from "../endpoint.ts"
import { exampleBroadcast } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

/** The state of the encoder that pushes to this server. */
export const IngestView = Schema.Struct({
  /** `ended`: the broadcast has ended and takes no encoder any more. */
  state: Schema.Literals([...EncoderState.literals, "ended"]),
  /** Time of the last segment since the server started. */
  lastSegmentAt: Schema.NullOr(Schema.String),
  /** Number of times the encoder's picture format or codecs changed, starting at 1. */
  takes: Schema.Int,
  durationMs: Schema.Int,
  /** Reason why the encoder was refused or its bytes are not recorded; null once they are recorded. */
  failure: Schema.NullOr(IngestFailure),
}).annotate(named("IngestState"))

export const BroadcastState = Schema.Struct({
  broadcastId: Uuid,
  phaseId: Uuid,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: Schema.NullOr(Schema.String),
  /** Null when no encoder pushes to this server. */
  ingest: Schema.NullOr(IngestView),
}).annotate(named("Broadcast"))
export type BroadcastState = typeof BroadcastState.Type

/** Addresses for an encoder. They are credentials: each holds the token. */
export const IngestAddress = Schema.Struct({
  /** Playlist address for HLS with MP4 segments; the encoder puts its files beside it. */
  url: Schema.String,
  /** Address for one endless stream of fragmented MP4, or its numbered pieces (`?seq=0` and on). */
  streamUrl: Schema.String,
  token: Schema.String,
}).annotate(named("IngestAddress"))

const control = <const Name extends string, const Verb extends string>(name: Name, verb: Verb, summary: string) =>
  HttpApiEndpoint.post(name, `/v1/phases/:id/broadcast/${verb}`, {
    params: PathId,
    success: BroadcastState,
    error: problems(...COMMON, "not_found", "conflict"),
  })
    .annotate(EndpointAccess, "phase")
    .annotate(Commanded, true)
    .annotate(OpenApi.Summary, summary)

export const Broadcasts = HttpApiGroup.make("broadcasts")
  .add(
    HttpApiEndpoint.post("startBroadcast", "/v1/phases/:id/broadcast/start", {
      params: PathId,
      payload: Schema.Struct({
        /** Playback address; defaults to the deployment's. */
        playbackUrl: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 2048))),
      }),
      success: BroadcastState,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "phase")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Go live, or on again after a pause; only the active broadcast phase")
      .annotate(
        OpenApi.Description,
        "With `playbackUrl` people watch that address; without one, send media to the address of `POST …/ingest`, and they watch this server. Webhook `broadcast.live`.",
      )
      .annotate(Example, { request: {}, response: exampleBroadcast }),
    control("pauseBroadcast", "pause", "Pause the broadcast")
      .annotate(OpenApi.Description, "Viewers are told. Webhook `broadcast.paused`.")
      .annotate(Example, { response: { ...exampleBroadcast, status: "paused" } }),
    control("resumeBroadcast", "resume", "Go on after a pause")
      .annotate(OpenApi.Description, "Viewers are told where to watch. Webhook `broadcast.live`.")
      .annotate(Example, { response: exampleBroadcast }),
    control("stopBroadcast", "stop", "End the broadcast for good")
      .annotate(
        OpenApi.Description,
        "A broadcast that was stopped cannot go on. Its recording follows when it is whole.",
      )
      .annotate(Example, { response: { ...exampleBroadcast, status: "ended" } }),
    HttpApiEndpoint.get("getBroadcast", "/v1/phases/:id/broadcast", {
      params: PathId,
      success: BroadcastState,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(OpenApi.Summary, "The broadcast of a phase, and the state of its encoder")
      .annotate(OpenApi.Description, "`ingest` says whether media arrives, since when, and why not.")
      .annotate(Example, { response: exampleBroadcast }),
    HttpApiEndpoint.post("createIngest", "/v1/phases/:id/broadcast/ingest", {
      params: PathId,
      success: created(IngestAddress),
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(Audited, "broadcast.ingest_created")
      .annotate(
        OpenApi.Summary,
        "An address for the encoder of a live broadcast, until the broadcast ends; the address before is refused from now on",
      )
      .annotate(
        OpenApi.Description,
        "The address is the caller's own, ends with their rights, and is shown in this answer alone.",
      )
      .annotate(Example, {
        response: {
          url: "https://live.example.com/v1/ingest/3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk/index.m3u8",
          streamUrl: "https://live.example.com/v1/ingest/3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk/stream",
          token: "3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk",
        },
      }),
  )
  .annotateEndpoints(WriteScope, "live")
  .annotate(OpenApi.Description, "The broadcast of a phase.")
