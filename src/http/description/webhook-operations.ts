/** The `webhooks` section: one operation for each delivery type, which the receiver's server answers. */
import { JsonSchema, SchemaRepresentation } from "effect"
import { WEBHOOK_BODIES, WEBHOOK_EXAMPLES } from "../../model/integrations/webhook-types.ts"
import { type Definitions, define, NAMING } from "./schema-names.ts"

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
})

const HEADERS = [
  header("x-gc-event-type", "The type of the delivery.", "event.started"),
  header(
    "x-gc-event-id",
    "The same on every retry and repetition: keep the ids that you have handled.",
    "0196a1f0-0000-7000-8000-00000000000e",
  ),
  header(
    "x-gc-signature",
    '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" under the endpoint\'s secret>`. While a secret is replaced there are two `v1`. Refuse a `t` that is more than 300 seconds off.',
    "t=1903946400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  ),
  header("webhook-id", "As Standard Webhooks names `x-gc-event-id`.", "0196a1f0-0000-7000-8000-00000000000e"),
  header("webhook-timestamp", "As Standard Webhooks names the `t` of the signature.", "1903946400"),
  header(
    "webhook-signature",
    "The signature of Standard Webhooks: `v1,<base64>`, one for each secret.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
]

const RESPONSES = {
  "2XX": { description: "Taken. Any status from 200 to 299 within ten seconds." },
  "4XX": { description: "Refused for good, as any 3xx too: the delivery is not tried again." },
  "5XX": { description: "Tried again, after 5 seconds first and a day at last." },
}

/** A tag of its own, because generators make one class per tag. */
export const RECEIVER_TAG = { name: "receivers", description: "The deliveries that your server takes." }

/** Schema name of a sent body: any of the bodies, discriminated by `type`. */
const SENT_BODY = "SentWebhookBody"

const operationIdOf = (name: string): string => `on${name}`

/** The schemas of the bodies are added to `definitions`. */
export const webhookOperations = (definitions: Definitions): { readonly [type: string]: object } => {
  const bodies = Object.entries(WEBHOOK_BODIES)
  const [first, ...others] = bodies.map(([, { ast }]) => ast)
  if (first === undefined) throw new Error("there is no webhook")
  const represented = SchemaRepresentation.toRepresentations([first, ...others], NAMING)
  const { schemas, definitions: shared } = JsonSchema.toMultiDocumentOpenApi3_1(
    SchemaRepresentation.toJsonSchemaMultiDocument(represented, { onExcessProperty: "error" }),
  )
  for (const [name, schema] of Object.entries(shared)) define(definitions, name, schema)
  // The contract takes any object: a body sent by an earlier release is shown unchanged.
  definitions[SENT_BODY] = { anyOf: schemas.map(({ $ref }) => ({ $ref })) }
  return Object.fromEntries(
    bodies.map(([type, { ast }], index) => {
      const { $ref = "" } = schemas[index] ?? {}
      const name = String($ref).split("/").at(-1) ?? ""
      const description = String(ast.annotations?.["description"] ?? "")
      const post = {
        operationId: operationIdOf(name),
        summary: type,
        description,
        tags: [RECEIVER_TAG.name],
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref }, example: WEBHOOK_EXAMPLES[type] } },
        },
        responses: RESPONSES,
      }
      return [type, { post }]
    }),
  )
}
