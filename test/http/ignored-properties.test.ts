/** In development an answer names the properties of the body that its endpoint does not know, so that a misspelt one is found. */
import { randomUUID } from "node:crypto"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { Api } from "../../src/http/contract/api.ts"
import { Example } from "../../src/http/contract/endpoint.ts"
import { ignoredProperties } from "../../src/http/transport/ignored-properties.ts"
import { call, createEvent, type Json } from "../support/api.ts"
import { description } from "../support/description.ts"

import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const HEADER = "x-gc-ignored"
const post = (body: object, path = "/v1/events", headers: { readonly [name: string]: string } = {}) =>
  call(server.url, "POST", path, { key: acme.key, body, headers })
const named = async (body: object): Promise<string | null> => (await post(body)).headers.get(HEADER)

const EVENT = { type: "webinar", title: "Launch" }

describe("the header", () => {
  test("names ignored properties, and is absent without them", async () => {
    const answer = await post({ ...EVENT, titel: "x", roomSize: 4 })
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([201, "titel,roomSize"])
    expect(await named(EVENT)).toBeNull()
  })

  test("names inner properties by their path, and none where any property is taken", async () => {
    const phases = [{ modality: "meeting" }, { modality: "meeting", titel: "x", config: { anything: { deep: 1 } } }]
    expect(await named({ ...EVENT, phases, metadata: { own: { deep: [{ a: 1 }] } } })).toBe("phases.1.titel")
  })

  test.each([
    ["400", { titel: "x" }, "/v1/events", 400],
    ["404", { userId: randomUUID(), role: "host", titel: 1 }, `/v1/events/${randomUUID()}/memberships`, 404],
  ])("is on a refusal with %s too", async (_name, body, path, status) => {
    const answer = await post(body, path)
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([status, "titel"])
  })

  test("names parameters of the query that are not read, on any endpoint", async () => {
    const get = async (path: string) => (await call(server.url, "GET", path, { key: acme.key })).headers.get(HEADER)
    expect(await get("/v1/events?state=live&limit=1&x,y=1&state=2")).toBe("?state,?x%2Cy")
    expect(await get(`/v1/workspaces/${acme.id}/members?a=1`)).toBe("?a")
    expect(await get("/v1/events?limit=1")).toBeNull()
  })

  test("is on the answer to a repeat, for the body of the repeat", async () => {
    const headers = { "idempotency-key": randomUUID() }
    await post({ ...EVENT, titel: "x" }, "/v1/events", headers)
    const again = await post({ ...EVENT, titel: "x" }, "/v1/events", headers)
    expect([again.headers.get("idempotency-replayed"), again.headers.get(HEADER)]).toEqual(["true", "titel"])
  })

  test("is on no answer to a body that is no JSON, or no object", async () => {
    for (const raw of ["{", "[]", "null", '"titel"', ""]) {
      const answer = await call(server.url, "POST", "/v1/events", { key: acme.key, raw })
      expect([answer.status, answer.headers.get(HEADER)]).toEqual([400, null])
    }
  })

  test("is not there where such a property is refused instead", async () => {
    const event = await createEvent(server.url, acme.key)
    await post({}, `/v1/events/${event.id}/publish`)
    const body = { name: "Ada", email: "ada@example.com", titel: "x" }
    const answer = await post(body, `/v1/public/events/${event.id}/register`)
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([400, null])
    expect(answer.body.detail).toContain("titel")
  })

  test("may be read by a page of another origin", async () => {
    const event = await createEvent(server.url, acme.key)
    const answer = await post({ text: "Why?", titel: "x" }, `/v1/public/events/${event.id}/questions`)
    expect(answer.headers.get("access-control-expose-headers")).toContain(HEADER)
    expect(answer.headers.get(HEADER)).toBe("titel")
  })
})

describe("a name", () => {
  test.each([
    ["a\r\nset-cookie: x=1", "a%0D%0Aset-cookie%3A%20x%3D1"],
    ["größe", "gr%C3%B6%C3%9Fe"],
    ["a,b.c", "a%2Cb%2Ec"],
    ["", '""'],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["x".repeat(5_000), `${"x".repeat(120)}...`],
    ["ö".repeat(5_000), `${"%C3%B6".repeat(20)}...`],
    [`a${"ö".repeat(5_000)}`, `a${"%C3%B6".repeat(19)}%C3...`],
  ])("of any text is a name of safe characters: %j", async (name, shown) => {
    const raw = `{"type":"t","title":"t",${JSON.stringify(name)}:1}`
    const answer = await call(server.url, "POST", "/v1/events", { key: acme.key, raw })
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([201, shown])
    expect(answer.headers.get("set-cookie")).toBeNull()
  })

  test("is one of twenty at most", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, n]))
    const names = ((await named({ ...EVENT, ...many })) ?? "").split(",")
    expect(names).toEqual([...Array.from({ length: 20 }, (_, n) => `p${n}`), "..."])
  })
})

describe("every endpoint with a body", () => {
  const endpoints: {
    readonly name: string
    readonly schema: Json
    readonly path: string
    readonly request: Json
  }[] = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const schema = [...endpoint.payload.values()][0]?.schemas[0]
      if (schema === undefined) return
      const { request } = Context.getUnsafe(endpoint.annotations, Example)
      endpoints.push({ name: endpoint.identifier, schema, path: endpoint.path, request })
    },
  })

  test.each(endpoints)("names nothing of its example, and the unknown properties: $name", ({ schema, request }) => {
    expect(ignoredProperties(schema)(request)).toEqual([])
    expect(ignoredProperties(schema)({ ...request, titel: "x" })).toEqual(["titel"])
  })

  test.each(endpoints)("describes the header on every answer to a request that was read: $name", ({ name }) => {
    const operations: Json[] = Object.values(description.paths).flatMap((path) => Object.values(path))
    const { responses } = operations.find(({ operationId }) => operationId === name)
    const shared: Json = description.components.responses
    const described = Object.entries<Json>(responses).filter(([, response]) => {
      const { headers } = response.$ref === undefined ? response : shared[response.$ref.split("/").at(-1)]
      return headers?.[HEADER] !== undefined
    })
    const statuses = Object.keys(responses).filter((status) => !["413", "415", "431"].includes(status))
    expect(described.map(([status]) => status)).toEqual(statuses)
  })
})
