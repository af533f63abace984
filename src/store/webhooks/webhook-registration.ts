/** Registering and changing webhook endpoints: targets are checked here, and secrets are created, stored sealed, and returned once. */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { Egress } from "../../egress/egress.ts"
import { BadRequest, Conflict, Forbidden, NotFound, type Unauthorized, type Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { encodeHeaders, headerNamesOf, headersOwner, type OwnHeaders } from "../../model/integrations/own-headers.ts"
import type { WebhookEventType } from "../../model/integrations/webhook-types.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { type Credential, keyOf, requireAndLock, requireCredential } from "../accounts/credentials.ts"
import { Database, type Queryable } from "../database.ts"
import { findWorkspaceOf } from "../events/events.ts"
import { query } from "../query.ts"
import { sealText } from "../sealing/sealed-text.ts"
import { skipDeliveries } from "./webhook-deliveries.ts"
import {
  deleteWebhookEndpoint,
  findReceivedTypes,
  insertWebhookEndpoint,
  MAX_ENDPOINTS_PER_WORKSPACE,
  replaceSecret,
  type SealedHeaders,
  updateWebhookEndpoint,
  type WebhookEndpointChange,
  type WebhookEndpointRow,
} from "./webhook-endpoints.ts"

/** Only owners, admins and keys with the scope `admin` read the audit log, and so receive `audit.created` and read its bodies. */
export const requireReader = (
  sql: Queryable,
  workspaceId: string,
  credential: Credential,
  types: ReadonlyArray<string>,
): Effect.Effect<void, Forbidden | Unavailable> => {
  if (!types.includes("audit.created")) return Effect.void
  const refused = new Forbidden({ detail: "Only owners, admins and keys with the scope admin receive audit.created." })
  if ("keyId" in credential) return credential.rights.scopes.includes("admin") ? Effect.void : Effect.fail(refused)
  return Effect.catchTag(requireCredential(sql, workspaceId, credential), "Unauthorized", () => Effect.fail(refused))
}

/** A caller who may not receive an endpoint's deliveries may neither redirect nor remove it. */
const requireReceiver = (sql: Queryable, { id, workspaceId, credential }: OwnedWebhookEndpoint) =>
  Effect.gen(function* () {
    yield* requireAndLock(sql, workspaceId, credential, "members")
    const types = yield* query(() => findReceivedTypes(sql, id))
    return yield* types === undefined ? NotFound.of("webhook") : requireReader(sql, workspaceId, credential, types)
  })

/** Deliveries skipped at once when an endpoint is disabled; the rest of a longer backlog follows within a minute. */
const SKIPPED_AT_ONCE = 1_000

/** `whsec_` and the standard base64 of 256 random bits: the form that Standard Webhooks libraries take. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

interface NewWebhookEndpoint {
  readonly workspaceId: string
  readonly url: string
  /** An event of the workspace; null for the whole workspace. */
  readonly eventId: string | null
  /** Empty for all types. */
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  readonly headers: OwnHeaders
  /** The caller's credential, checked again where the endpoint is stored. */
  readonly credential: Credential
}

/** An endpoint to change, and the caller's credential. */
interface OwnedWebhookEndpoint {
  readonly id: string
  readonly workspaceId: string
  readonly credential: Credential
}

export class WebhookRegistration extends Context.Service<
  WebhookRegistration,
  {
    /**
     * Fails with `BadRequest` for a target that may not be called, `Conflict` when the workspace has reached the maximum number of
     * endpoints, and `Unauthorized` when the credential was revoked meanwhile.
     */
    readonly create: (
      endpoint: NewWebhookEndpoint,
    ) => Effect.Effect<
      { readonly endpoint: WebhookEndpointRow; readonly secret: string },
      BadRequest | Conflict | Forbidden | Unauthorized | Unavailable
    >
    /** Fails like `create`. Disabling skips waiting deliveries. */
    readonly change: (
      endpoint: OwnedWebhookEndpoint,
      change: Omit<WebhookEndpointChange, "headers"> & { readonly headers?: OwnHeaders },
    ) => Effect.Effect<WebhookEndpointRow, BadRequest | Forbidden | NotFound | Unauthorized | Unavailable>
    /** Deletes the endpoint and its waiting deliveries. */
    readonly remove: (
      endpoint: OwnedWebhookEndpoint,
    ) => Effect.Effect<void, Forbidden | NotFound | Unauthorized | Unavailable>
    /** Creates a new secret; the previous one also signs until `previousSecretExpiresAt`. */
    readonly rotateSecret: (endpoint: OwnedWebhookEndpoint) => Effect.Effect<
      {
        readonly endpoint: WebhookEndpointRow
        readonly secret: string
        readonly previousSecretExpiresAt: Timestamp
      },
      Forbidden | NotFound | Unauthorized | Unavailable
    >
  }
>()("gathercue/WebhookRegistration") {
  /** `sealingKeys` are those with which the dispatcher opens secrets. */
  static readonly layer = (sealingKeys: KeyRing): Layer.Layer<WebhookRegistration, never, Database | Egress> =>
    Layer.effect(
      WebhookRegistration,
      Effect.gen(function* () {
        const database = yield* Database
        const egress = yield* Egress
        const checkTarget = (url: string) =>
          Effect.mapError(egress.check(url), ({ detail }) => BadRequest.ofField("url", detail))
        const sealHeaders = (id: string, headers: OwnHeaders): SealedHeaders => ({
          names: headerNamesOf(headers),
          sealed: headers.length === 0 ? null : sealText(sealingKeys, headersOwner(id), encodeHeaders(headers)),
        })
        return {
          create: (wanted) =>
            Effect.gen(function* () {
              yield* checkTarget(wanted.url)
              const { eventId } = wanted
              const workspaceId = eventId === null ? null : yield* database.run((sql) => findWorkspaceOf(sql, eventId))
              if (workspaceId !== null && workspaceId !== wanted.workspaceId) {
                return yield* BadRequest.ofField("eventId", "not an event of the workspace")
              }
              const id = newId()
              const secret = newSigningSecret()
              const secretSealed = sealText(sealingKeys, id, secret)
              const endpoint = yield* database.transaction((sql) =>
                Effect.tap(
                  query(() =>
                    insertWebhookEndpoint(sql, {
                      ...wanted,
                      id,
                      secretSealed,
                      headers: sealHeaders(id, wanted.headers),
                      createdByKeyId: keyOf(wanted.credential),
                    }),
                  ),
                  Effect.andThen(
                    requireCredential(sql, wanted.workspaceId, wanted.credential, "members"),
                    requireReader(sql, wanted.workspaceId, wanted.credential, wanted.eventTypes),
                  ),
                ),
              )
              if (endpoint === undefined) {
                return yield* new Conflict({
                  detail: `A workspace has at most ${MAX_ENDPOINTS_PER_WORKSPACE} webhook endpoints.`,
                })
              }
              return { endpoint, secret }
            }),
          change: ({ id, workspaceId, credential }, { headers, ...rest }) =>
            Effect.gen(function* () {
              const change = { ...rest, ...(headers && { headers: sealHeaders(id, headers) }) }
              if (change.url !== undefined) yield* checkTarget(change.url)
              return yield* database.transaction((sql) =>
                Effect.gen(function* () {
                  yield* requireReceiver(sql, { id, workspaceId, credential })
                  const endpoint = yield* query(() => updateWebhookEndpoint(sql, id, change, keyOf(credential)))
                  if (endpoint === undefined) return yield* NotFound.of("webhook")
                  yield* requireReader(sql, workspaceId, credential, endpoint.eventTypes)
                  if (endpoint.status === "disabled") yield* query(() => skipDeliveries(sql, SKIPPED_AT_ONCE))
                  return endpoint
                }),
              )
            }),
          remove: (endpoint) =>
            database.transaction((sql) =>
              Effect.andThen(
                requireReceiver(sql, endpoint),
                query(() => deleteWebhookEndpoint(sql, endpoint.id)),
              ),
            ),
          rotateSecret: ({ id, workspaceId, credential }) =>
            Effect.gen(function* () {
              const secret = newSigningSecret()
              const secretSealed = sealText(sealingKeys, id, secret)
              const replaced = yield* database.transaction((sql) =>
                Effect.andThen(
                  requireAndLock(sql, workspaceId, credential, "members"),
                  Effect.tap(
                    query(() => replaceSecret(sql, id, secretSealed)),
                    (found) => requireReader(sql, workspaceId, credential, found?.eventTypes ?? []),
                  ),
                ),
              )
              if (replaced === undefined) return yield* NotFound.of("webhook")
              const { previousSecretUntil, ...endpoint } = replaced
              return { endpoint, secret, previousSecretExpiresAt: previousSecretUntil }
            }),
        }
      }),
    )
}
