/** The description against the router in both directions, and against a public linter. */

import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Context, Effect, Option, Result, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { expect, test } from "vitest"
import { type Access, EndpointAccess } from "../../src/http/contract/access.ts"
import { Api, DESCRIPTION_VERSION } from "../../src/http/contract/api.ts"
import { Example } from "../../src/http/contract/endpoint.ts"
import { apiDescription } from "../../src/http/description/openapi.ts"
import { DeliveredType, WEBHOOK_EXAMPLES } from "../../src/model/integrations/webhook-types.ts"
import { call } from "../support/api.ts"
import { deliveryBreach, description } from "../support/description.ts"
import { sharedServer } from "../support/shared.ts"

const server = sharedServer()

/** Accesses of routes that the specification calls public (§5, rule 5). */
const PUBLIC: ReadonlySet<Access> = new Set([
  "public",
  "browser",
  "openEvent",
  "sharedEvent",
  "publicEvent",
  "publicAsset",
  "audienceEvent",
  "audienceQuestion",
])

interface Endpoint {
  readonly endpoint: HttpApiEndpoint.Top
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}
interface Described {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly description?: string; readonly schema: object }>
}

const ENDPOINTS: Endpoint[] = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, successes }) => {
    ENDPOINTS.push({ endpoint, successes })
  },
})

const OPERATIONS = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

test("the description is OpenAPI 3.1.0 in version 1.0.0, as it is served", async () => {
  expect([description.openapi, description.info.version]).toEqual(["3.1.0", DESCRIPTION_VERSION])
  const served = await call(server.url, "GET", "/v1/openapi.json")
  expect(Object.keys(served.body.paths)).toEqual(Object.keys(description.paths))
  expect(served.body.servers).toEqual([{ url: server.url }])
})

test("every route of the contract is described, and every described route answers", async () => {
  const routed = ENDPOINTS.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`)
  const bytes = [
    "PUT /v1/media/uploads/{token}",
    "HEAD /v1/media/uploads/{token}",
    "PUT /v1/media/parts/{token}",
    "GET /v1/media/recordings/{token}",
    "GET /v1/media/clips/{token}",
    "GET /v1/media/captions/{token}",
    "GET /v1/media/derivations/{token}",
    "GET /v1/media/recordings/{token}/{name}",
    "PUT /v1/ingest/{token}/{name}",
    "POST /v1/ingest/{token}/{name}",
    "DELETE /v1/ingest/{token}/{name}",
    "POST /v1/whip",
    "DELETE /v1/whip/{session}",
    "POST /v1/media/livekit/webhook",
    "GET /v1/live/{key}/{name}",
    "GET /v1/gateway/stream",
    "POST /v1/gateway/commands",
    "POST /v1/mcp",
  ]
  expect(OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([...routed, ...bytes].toSorted())
  for (const { method, path } of OPERATIONS) {
    const answer = await fetch(server.url + path.replaceAll(/\{\w+\}/g, "x"), { method, redirect: "manual" })
    expect(answer.status, `${method} ${path}`).not.toBe(405)
    if (answer.status === 404) expect(await answer.text(), `${method} ${path}`).not.toContain("No such path.")
  }
})

test("routes that answer without credentials say so, also those that show more with one; all others say which they want", () => {
  for (const { endpoint } of ENDPOINTS) {
    const operation = OPERATIONS.find(
      ({ operation: { operationId } }) => operationId === endpoint.identifier,
    )?.operation
    const { security } = operation as unknown as { readonly security: ReadonlyArray<object> }
    const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
    const wantsNone = security.length === 0 || security.some((one) => Object.keys(one).length === 0)
    expect(wantsNone, endpoint.identifier).toBe(PUBLIC.has(access) || access === "optionalSession")
  }
})

test.each(ENDPOINTS.map((one) => [one.endpoint.identifier, one] as const))(
  "%s has examples that its schemas accept",
  (_name, { endpoint, successes }) => {
    const accepts = (schema: Schema.Top, value: unknown, what: string): void => {
      const decoded = Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>)(value)
      expect(Result.isSuccess(decoded), `${what}: ${Result.isFailure(decoded) ? decoded.failure : ""}`).toBe(true)
    }
    const payload = [...endpoint.payload.values()][0]?.schemas[0]
    const success = [...successes].find(([status]) => status < 300 && status !== 204)?.[1][0]
    const { request, response } = Option.getOrElse(Context.getOption(endpoint.annotations, Example), () => ({
      request: undefined,
      response: undefined,
    }))
    if (payload !== undefined) accepts(payload, request, "request")
    if (success !== undefined) accepts(success, response, "response")
  },
)

test("every type of delivery has an example that its schema accepts", () => {
  expect(Object.keys(WEBHOOK_EXAMPLES)).toEqual(Object.keys(description.webhooks))
  expect(Object.keys(description.webhooks).toSorted()).toEqual([...DeliveredType.literals].toSorted())
  for (const [type, example] of Object.entries(WEBHOOK_EXAMPLES)) expect(deliveryBreach(type, example)).toBeUndefined()
  expect(deliveryBreach("event.ended", WEBHOOK_EXAMPLES["event.started"])).toContain("must have required property")
})

/** Objects with fields of their own, that are not under a name: as a body, or as an item of a list in one. */
const unnamed = (value: unknown, place: string): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const { schema, items, ...others } = value as { readonly [keyword: string]: unknown }
  const here = [schema, items]
    .filter((one) => typeof one === "object" && one !== null && "properties" in one)
    .map(() => place)
  const within = Object.entries({ schema, items, ...others }).flatMap(([key, one]) => unnamed(one, `${place}/${key}`))
  return [...here, ...within]
}

test("every body and every item of a list has a name, and none is numbered", () => {
  expect(unnamed(description.paths, "paths")).toEqual([])
  expect(unnamed(description.components.schemas, "schemas")).toEqual([])
  const names = Object.keys(description.components.schemas)
  expect(names).toEqual(expect.arrayContaining(["Event", "EventPage", "Phase", "Question", "Problem", "Webhook"]))
  expect(names.filter((name) => !/^(?:[A-Z][a-z]+)+$/.test(name))).toEqual([])
})

test("every operation says more than its summary, and every parameter what it is for", () => {
  const texts = OPERATIONS.map(({ operation }) => operation as unknown as Described)
  for (const { operationId, summary, description: text = "", parameters = [] } of texts) {
    expect(summary, operationId).toBeTruthy()
    expect(text, operationId).toMatch(/call|Callers/)
    for (const parameter of parameters)
      if (!("$ref" in parameter)) expect(parameter.description, `${operationId} ${parameter.name}`).toBeTruthy()
  }
  for (const { endpoint } of ENDPOINTS) {
    const own = Option.getOrElse(Context.getOption(endpoint.annotations, OpenApi.Description), () => "")
    expect(own, endpoint.identifier).toBeTruthy()
    expect(texts.find(({ operationId }) => operationId === endpoint.identifier)?.description).toContain(own)
  }
})

test("the size of a page is an integer with bounds and a default", () => {
  const limits = OPERATIONS.flatMap(({ operation }) => (operation as unknown as Described).parameters ?? []).filter(
    ({ name }) => name === "limit",
  )
  expect(limits.length).toBeGreaterThan(10)
  for (const { schema } of limits) expect(schema).toEqual({ type: "integer", minimum: 1, maximum: 100, default: 100 })
})

test("a public linter finds nothing", async () => {
  const source = Effect.runSync(apiDescription("https://api.gathercue.dev", "gc_session").json)
  const config = await createConfig({ extends: ["recommended-strict"] })
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config })
  // Sending a browser on is what the routes of identity providers succeed with.
  const real = problems.filter(
    ({ ruleId, location }) =>
      ruleId !== "operation-2xx-response" || !/~1(?:idp|sso)~1/.test(location[0]?.pointer ?? ""),
  )
  expect(real.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
})
