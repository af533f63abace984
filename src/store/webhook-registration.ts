/** Registering a webhook endpoint: its secret is made here, stored sealed, and returned this once. */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { Egress } from "../egress.ts"
import { BadRequest, Conflict, type Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import type { WebhookEventType } from "../model/webhook-events.ts"
import { Database } from "./database.ts"
import { sealText } from "./sealed-text.ts"
import { insertWebhookEndpoint, MAX_ENDPOINTS_PER_WORKSPACE, type WebhookEndpointRow } from "./webhook-endpoints.ts"

/** `whsec_` and the standard base64 of 256 random bits: the form Standard Webhooks libraries take. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

export interface NewWebhookEndpoint {
  readonly workspaceId: string
  readonly url: string
  /** Empty: all types. */
  readonly eventTypes: ReadonlyArray<WebhookEventType>
}

export class WebhookRegistration extends Context.Service<
  WebhookRegistration,
  {
    /** `BadRequest` for a target that may not be called, `Conflict` when the workspace has its fill of endpoints. */
    readonly create: (
      endpoint: NewWebhookEndpoint,
    ) => Effect.Effect<
      { readonly endpoint: WebhookEndpointRow; readonly secret: string },
      BadRequest | Conflict | Unavailable
    >
  }
>()("gathercue/WebhookRegistration") {
  /** `sealingKey`: 32 bytes, the same that the dispatcher opens secrets with. */
  static readonly layer = (sealingKey: Uint8Array): Layer.Layer<WebhookRegistration, never, Database | Egress> =>
    Layer.effect(
      WebhookRegistration,
      Effect.gen(function* () {
        const database = yield* Database
        const egress = yield* Egress
        return {
          create: (wanted) =>
            Effect.gen(function* () {
              yield* Effect.mapError(egress.check(wanted.url), ({ detail }) => new BadRequest({ detail }))
              const id = newId()
              const secret = newSigningSecret()
              const secretSealed = sealText(sealingKey, id, secret)
              const endpoint = yield* database.transaction((sql) =>
                insertWebhookEndpoint(sql, { ...wanted, id, secretSealed }),
              )
              if (endpoint === undefined) {
                return yield* new Conflict({
                  detail: `A workspace has at most ${MAX_ENDPOINTS_PER_WORKSPACE} webhook endpoints.`,
                })
              }
              return { endpoint, secret }
            }),
        }
      }),
    )
}
