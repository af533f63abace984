/** The page of errors and that of webhook types, made of the tables in the sources. */
import { PROBLEMS } from "../../src/http/contract/problem.ts"
import { webhookEventTypes } from "../../src/http/handlers/workspaces/webhook-event-types.ts"
import { MEDIA_FAILURES } from "../../src/model/media/recording.ts"
import { REFUSALS } from "../../src/protocol/refusals.ts"
import { ADVICE, CLOSE } from "../../src/protocol/wire/close-codes.ts"
import type { JsonSchema } from "../support/gateway-description.ts"
import { code, pageOf, shape, table } from "./tables.ts"

const problems = table(
  ["status", "code", "meaning", "what to do"],
  Object.entries(PROBLEMS).map(([name, { status, meaning, remedy }]) => [String(status), code(name), meaning, remedy]),
)

const meanings = (codes: { readonly [code: string]: string }): string =>
  table(
    ["code", "meaning"],
    Object.entries(codes).map(([name, meaning]) => [code(name), meaning]),
  )

const closes = table(
  ["code", "reason", "then"],
  Object.values(CLOSE).map(({ code: number, reason, advice }) => [String(number), reason, ADVICE[advice]]),
)

/** Fields that every body has. */
const COMMON: ReadonlySet<string> = new Set(["id", "type", "workspaceId", "eventId", "occurredAt"])

const types = table(
  ["type", "sent when", "fields"],
  webhookEventTypes().map(({ type, description, schema }) => {
    const { properties = {}, required = [] } = schema as JsonSchema
    const own = Object.entries(properties).filter(([name]) => !COMMON.has(name))
    const fields = { type: "object", properties: Object.fromEntries(own), required }
    return [code(type), description, own.length === 0 ? "–" : code(shape(fields))]
  }),
)

export const ERROR_PAGES = {
  errors: pageOf("Errors", "Branch on codes and statuses. Texts are for people and may change.", [
    "## REST",
    "Errors are `application/problem+json` ([REST](../rest.md#errors)). `GET /v1/errors/{code}` answers the same table.",
    problems,
    "## Refusals of commands",
    "`e.code` of a reply with `ok: false` ([the gateway](../gateway.md#commands)). A refused command never closes the socket.",
    meanings(REFUSALS),
    "## Close codes",
    "The first two digits name the next step of a client ([the gateway](../gateway.md#when-a-connection-ends)).",
    closes,
    "## Failures of recordings and clips",
    "`failure.code` of a recording or clip.",
    meanings(MEDIA_FAILURES),
  ]),
  "webhook-types": pageOf(
    "Webhook types",
    "Every body has `id`, `type`, `workspaceId`, `eventId` (null for `audit.created`, `webhook.disabled` and `ping`) and `occurredAt`, and the fields of its type. `GET /v1/webhook-event-types` answers the types with the JSON Schema of each body, to everybody. `audit.created` is sent only to endpoints that name it. `?` marks a field that may be absent.",
    [types],
  ),
}
