/** Starting and stopping a broadcast by the workspace's managers (specification §3 and §6; hosts do it over the gateway). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BroadcastId } from "../../../model/ids.ts"
import { Commanded, EndpointAccess } from "../access.ts"
import { PathId } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

export const BroadcastState = Schema.Struct({
  broadcastId: BroadcastId,
  phaseId: Schema.String,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: Schema.NullOr(Schema.String),
})
export type BroadcastState = typeof BroadcastState.Type

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
        /** The address for watching; by default the deployment's. */
        playbackUrl: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 2048))),
      }),
      success: BroadcastState,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Go live, or on again after a pause; only the active broadcast phase"),
    control("pauseBroadcast", "pause", "Pause the broadcast"),
    control("resumeBroadcast", "resume", "Go on after a pause"),
    control("stopBroadcast", "stop", "End the broadcast for good"),
  )
  .annotate(OpenApi.Description, "The broadcast of a phase.")
