/** The description against the router in both directions, against a public linter, and against a client made from it. */

import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Context, Effect, Result, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { generateApi } from "swagger-typescript-api"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Access, EndpointAccess } from "../../src/http/contract/access.ts"
import { Api, DESCRIPTION_VERSION } from "../../src/http/contract/api.ts"
import { EXAMPLES } from "../../src/http/contract/examples/examples.ts"
import { apiDescription } from "../../src/http/description/openapi.ts"
import { call, createWorkspace } from "../support/api.ts"
import { description } from "../support/description.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

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
    "POST /v1/media/livekit/webhook",
    "GET /v1/live/{key}/{name}",
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
  (name, { endpoint, successes }) => {
    const accepts = (schema: Schema.Top, value: unknown, what: string): void => {
      const decoded = Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>)(value)
      expect(Result.isSuccess(decoded), `${what}: ${Result.isFailure(decoded) ? decoded.failure : ""}`).toBe(true)
    }
    const payload = [...endpoint.payload.values()][0]?.schemas[0]
    const success = [...successes].find(([status]) => status < 300 && status !== 204)?.[1][0]
    if (payload !== undefined) accepts(payload, EXAMPLES[name]?.request, "request")
    if (success !== undefined) accepts(success, EXAMPLES[name]?.response, "response")
  },
)

test("no example belongs to nothing", () => {
  expect(
    Object.keys(EXAMPLES).filter((name) => !ENDPOINTS.some(({ endpoint }) => endpoint.identifier === name)),
  ).toEqual([])
})

test("a public linter finds nothing", async () => {
  const source = Effect.runSync(apiDescription("https://api.gathercue.dev", "gc_session").json)
  const config = await createConfig({ extends: ["recommended-strict"] })
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config })
  // Sending a browser on is what the two routes of the identity provider succeed with.
  const real = problems.filter(
    ({ ruleId, location }) => ruleId !== "operation-2xx-response" || !location[0]?.pointer?.includes("~1idp~1"),
  )
  expect(real.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
})

test("a client generated from it compiles and works", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-generated-"))
  try {
    const input = join(folder, "openapi.json")
    await writeFile(input, await Effect.runPromise(apiDescription(server.url, "gc_session").json))
    await generateApi({ input, output: folder, fileName: "api.ts", silent: true })
    expect(await readFile(join(folder, "api.ts"), "utf8")).toContain("class Api")
    const acme = await createWorkspace(server.url)
    await writeFile(join(folder, "smoke.ts"), SMOKE.replace("$URL", server.url).replace("$KEY", acme.key))
    await writeFile(join(folder, "package.json"), '{"type":"module"}')
    const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc")
    const options = [
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--lib",
      "es2023,dom,dom.iterable",
      "--strict",
      "--skipLibCheck",
      "--types",
      "",
      "--outDir",
      folder,
    ]
    const run = promisify(execFile)
    await run(process.execPath, [tsc, ...options, join(folder, "smoke.ts")], { cwd: folder })
    const { stdout } = await run(process.execPath, [join(folder, "smoke.js")], { cwd: folder })
    expect(stdout.trim()).toBe("Generated draft 1")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const SMOKE = `import { Api } from "./api.js"
const api = new Api({ baseUrl: "$URL", baseApiParams: { headers: { "x-api-key": "$KEY" } } })
const made = await api.v1.createEvent({ type: "webinar", title: "Generated", phases: [{ modality: "meeting" }] })
const read = await api.v1.getEvent(made.data.id)
console.log(read.data.title, read.data.status, read.data.phases.length)
`
