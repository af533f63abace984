/** Tokens for the live gateway (docs/gateway.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { EventRole } from "../../../model/roles.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit, Example } from "../endpoint.ts"
import { JWT } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

export const GatewayTokens = HttpApiGroup.make("gatewayTokens")
  .add(
    HttpApiEndpoint.post("createGatewayToken", "/v1/auth/gateway-token", {
      payload: Schema.Struct({ eventId: Id, replay: Schema.optionalKey(Schema.Boolean) }),
      success: Schema.Struct({
        token: Schema.String,
        expiresAt: Instant,
        url: Schema.String,
        eventId: Uuid,
        /** Role in the active phase, like `me.role` of `ready`; before the start, the stored role. */
        role: EventRole,
        participantId: Schema.String,
        anonymous: Schema.Boolean,
      }),
      error: problems(...WITH_BODY, ...COMMON, "sign_in_required", "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "optionalSession")
      .annotate(AddressLimit, "anonymousToken")
      .annotate(OpenApi.Summary, "A token that opens a gateway socket within two minutes")
      .annotate(
        OpenApi.Description,
        "The token's holder becomes a participant of the event with the role in the answer, as it reads in the active phase. Ask for a token for each connection. With `replay` the token opens replays of an ended event whose history is kept, for everybody who sees its recap.",
      )
      .annotate(Example, {
        request: { eventId: ids.event },
        response: {
          token: JWT,
          expiresAt: T1,
          url: "wss://events.example.com/v1/gateway",
          eventId: ids.event,
          role: "viewer",
          participantId: `anon:${ids.user}`,
          anonymous: true,
        },
      }),
  )
  .annotate(OpenApi.Description, "Access to the live gateway.")
