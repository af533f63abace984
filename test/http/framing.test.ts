/** Bodies: where they end, how they are coded, and faults that no schema finds. */

import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { request } from "node:http"
import { connect } from "node:net"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { beforeAll, describe, expect, test } from "vitest"

import { codingFor } from "../../src/http/transport/shared-body.ts"
import { call, createEvent } from "../support/api.ts"

import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const BODY = '{"type":"t","title":"x"}'
const SMUGGLED = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

/** Sends bytes as they are, and then a last request that closes; everything that came back until the server closed. */
const raw = async (bytes: string): Promise<string> => {
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on("data", (chunk) => {
    chunks.push(chunk)
    // A connection that stays open after a good answer is closed by a further request.
    if (/^HTTP\/1.1 20[01]/.test(String(chunks[0]))) socket.end()
  })
  socket.on("error", () => {})
  socket.write(bytes)
  await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

const post = (headers: ReadonlyArray<string>, body = BODY, path = "/v1/events"): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    `x-api-key: ${acme.key}`,
    "content-type: application/json",
    ...headers,
    "",
    body,
  ].join("\r\n")

const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const eventsThere = async (): Promise<number> => {
  const answer = await fetch(`${server.url}/v1/events`, { headers: { "x-api-key": acme.key } })
  return ((await answer.json()) as { events: ReadonlyArray<unknown> }).events.length
}

describe("a body whose end is not certain", () => {
  test.each([
    ["two lengths", [`content-length: ${BODY.length}`, `Content-Length: ${BODY.length + 1}`], `${BODY} `],
    ["two lengths, the first too short", ["content-length: 0", `content-length: ${BODY.length}`], BODY],
    ["a list of lengths", [`content-length: ${BODY.length}, ${BODY.length}`], BODY],
    ["a sign", [`content-length: +${BODY.length}`], BODY],
    ["a hexadecimal length", ["content-length: 0x18"], BODY],
    ["a negative length", ["content-length: -1"], BODY],
    ["no length where one is named", ["content-length:"], BODY],
    ["a length beyond all numbers", ["content-length: 99999999999999999999"], BODY],
    ["chunked and identity", ["transfer-encoding: chunked, identity"], chunked],
    ["identity", ["transfer-encoding: identity"], chunked],
    ["gzip before chunked", ["transfer-encoding: gzip, chunked"], chunked],
    ["chunked twice in one", ["transfer-encoding: chunked, chunked"], chunked],
    ["chunked twice", ["transfer-encoding: chunked", "transfer-encoding: chunked"], chunked],
    ["chunked, then another", ["transfer-encoding: chunked", "transfer-encoding: identity"], chunked],
    ["nearly chunked", ["transfer-encoding: xchunked"], chunked],
    ["an empty encoding", ["transfer-encoding:"], chunked],
    ["a length beside an encoding", [`content-length: ${BODY.length}`, "transfer-encoding: chunked"], chunked],
  ])("by %s is refused with 400, does nothing, and ends the connection", async (_name, headers, body) => {
    const before = await eventsThere()
    const answer = await raw(post(headers, body))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
    expect(await raw(post(headers, body + SMUGGLED))).not.toContain("200 OK")
    expect(await raw(post(headers, SMUGGLED))).not.toContain("200 OK")
    expect(await eventsThere()).toBe(before)
  })

  test("is refused as a problem, also where no route, no such method and no body is", async () => {
    const two = ["content-length: 1", "content-length: 2"]
    expect(await raw(post(two))).toContain('"code":"bad_request"')
    const requests = ["GET /healthz", "HEAD /healthz", "GET /v1/nothing", "PUT /v1/events", "DELETE /v1/events/x"]
    for (const line of requests) {
      const answer = await raw(`${line} HTTP/1.1\r\nHost: x\r\n${two.join("\r\n")}\r\n\r\nab`)
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
      expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
    }
  })
})

test.each([
  ["a length", "content-length: 24"],
  ["an encoding", "transfer-encoding: chunked"],
  ["two lengths, the first of nothing", "content-length: 0\r\ncontent-length: 24"],
])(
  "a handshake of the gateway that announces a body by %s is refused, and ends the connection",
  async (_name, header) => {
    const handshake = [
      "GET /v1/gateway HTTP/1.1",
      "Host: x",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      header,
      "",
      "",
    ].join("\r\n")
    expect(await raw(handshake)).toMatch(/^HTTP\/1.1 400 /)
    const answer = await raw(handshake + SMUGGLED)
    expect(answer).not.toContain("200 OK")
    expect(answer.match(/HTTP\/1.1 /g) ?? []).toHaveLength(answer === "" ? 0 : 1)
  },
)

test.each([
  ["one length", [`content-length: ${BODY.length}`], BODY],
  ["the same length twice", [`content-length: ${BODY.length}`, `content-length: ${BODY.length}`], BODY],
  ["a length with space around it", [`content-length:   ${BODY.length}  `], BODY],
  ["chunks", ["transfer-encoding: chunked"], chunked],
  ["chunks in capitals", ["Transfer-Encoding: Chunked"], chunked],
])("a body with %s is read", async (_name, headers, body) => {
  expect(await raw(post(headers, body))).toMatch(/^HTTP\/1.1 201 /)
})

describe("shared bodies", () => {
  interface Answer {
    readonly status: number | undefined
    readonly headers: { readonly [name: string]: string | string[] | undefined }
    readonly body: Buffer
  }

  const get = (path: string, headers: { readonly [name: string]: string } = {}, method = "GET"): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(path, server.url), { method, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
      sent.on("error", reject)
      sent.end()
    })

  test.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["BR;Q=1, gzip", "br"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["br; q=0, *", "gzip"],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=much", undefined],
  ] as const)("of %j the coding is %s", (accepted, coding) => {
    expect(codingFor(accepted)).toBe(coding)
  })

  // The page has megabytes: the best coding of it takes seconds.
  test("/v1/docs is the same text when it is coded, shorter, and says how it is coded", async () => {
    const [plain, gzip] = [await get("/v1/docs"), await get("/v1/docs", { "accept-encoding": "gzip" })]
    expect([gzip.headers["content-encoding"], gzip.headers["vary"]]).toEqual(["gzip", "accept-encoding"])
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(gzip.body.length).toBeLessThan(plain.body.length / 3)
  })

  describe.each(["/v1/openapi.json", "/v1/asyncapi.json"])("%s", (path) => {
    test("is the same text in each coding, shorter, and says how it is coded", async () => {
      const plain = await get(path)
      const [br, gzip] = await Promise.all([
        get(path, { "accept-encoding": "gzip, br" }),
        get(path, { "accept-encoding": "gzip" }),
      ])
      expect([plain, br, gzip].map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "br", "gzip"])
      expect([plain, br, gzip].map(({ headers }) => headers["vary"])).toEqual(Array(3).fill("accept-encoding"))
      expect([plain, br, gzip].map(({ headers, body }) => Number(headers["content-length"]) === body.length)).toEqual(
        Array(3).fill(true),
      )
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
      expect(br.body.length).toBeLessThan(plain.body.length / 3)
      expect(gzip.body.length).toBeLessThan(plain.body.length / 3)
    })

    test("has a tag for each coding, and a client that has it gets no body again", async () => {
      const tags = new Set<unknown>()
      for (const accepted of ["identity", "gzip", "br"]) {
        const headers = { "accept-encoding": accepted }
        const { etag = "" } = (await get(path, headers)).headers
        tags.add(etag)
        const again = await get(path, { ...headers, "if-none-match": String(etag) })
        expect([again.status, again.body.length, again.headers["vary"]]).toEqual([304, 0, "accept-encoding"])
        const other = await get(path, {
          "accept-encoding": accepted === "br" ? "gzip" : "br",
          "if-none-match": String(etag),
        })
        expect(other.status).toBe(200)
      }
      expect(tags.size).toBe(3)
    })

    test("answers HEAD with the length that GET would have", async () => {
      const headers = { "accept-encoding": "br" }
      const [head, whole] = [await get(path, headers, "HEAD"), await get(path, headers)]
      expect([head.status, head.body.length]).toEqual([200, 0])
      expect(head.headers["content-length"]).toBe(String(whole.body.length))
    })
  })
})

describe("faults of fields", () => {
  let eventId: string
  beforeAll(async () => {
    eventId = (await createEvent(server.url, acme.key)).id
  })

  const START = "2030-01-02T00:00:00Z"
  const EARLIER = "2030-01-01T00:00:00Z"
  const event = { type: "t", title: "T" }

  const FIELDS: ReadonlyArray<readonly [pointer: string, method: string, path: () => string, body: unknown]> = [
    ["#/scheduledEndAt", "POST", () => "/v1/events", { ...event, scheduledAt: START, scheduledEndAt: EARLIER }],
    ["#/scheduledEndAt", "PATCH", () => `/v1/events/${eventId}`, { scheduledAt: START, scheduledEndAt: EARLIER }],
    ["#/phaseIds", "PUT", () => `/v1/events/${eventId}/phases/order`, { phaseIds: [randomUUID()] }],
    ["#/expiresAt", "POST", () => "/v1/api-keys", { expiresAt: "1970-01-01T00:00:00Z" }],
    ["#/eventIds", "POST", () => "/v1/api-keys", { eventIds: [randomUUID()] }],
    ["#/eventId", "POST", () => `/v1/workspaces/${acme.id}/invites`, { kind: "event" }],
    ["#/role", "POST", () => `/v1/workspaces/${acme.id}/invites`, { role: "host" }],
    ["#/url", "POST", () => "/v1/webhooks", { url: "https://10.0.0.1/" }],
    ["#/jwksUrl", "POST", () => `/v1/workspaces/${acme.id}/guest-integrations`, { issuer: "i", jwksUrl: "http://x/" }],
    [
      "#/publicKeyPem",
      "POST",
      () => `/v1/workspaces/${acme.id}/guest-integrations`,
      { issuer: "i", publicKeyPem: "x" },
    ],
    ["#/title", "POST", () => "/v1/events", { ...event, title: "a\0" }],
    ["#/metadata/a~1b/0", "POST", () => "/v1/events", { ...event, metadata: { "a/b": ["\ud800"] } }],
  ]

  test.each(FIELDS)("%s is named by %s", async (pointer, method, path, body) => {
    const answer = await call(server.url, method, path(), { key: acme.key, body })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    expect(answer.body.errors).toEqual([{ pointer, detail: expect.stringMatching(/[^.]$/) }])
    expect(answer.body.detail).toMatch(/^[^:]+: .*[^.]\.$/)
  })

  test("fields that do not go together are both named", async () => {
    const path = `/v1/workspaces/${acme.id}/guest-integrations`
    const { body } = await call(server.url, "POST", path, { key: acme.key, body: { issuer: "i" } })
    const detail = "give exactly one of them"
    expect(body).toMatchObject({ detail: `jwksUrl, publicKeyPem: ${detail}.` })
    expect(body.errors).toEqual(["jwksUrl", "publicKeyPem"].map((field) => ({ pointer: `#/${field}`, detail })))
  })

  test("a header at fault is named, also where a key was used for another body", async () => {
    const create = (key: string, title: string) =>
      call(server.url, "POST", "/v1/events", {
        key: acme.key,
        body: { type: "t", title },
        headers: { "idempotency-key": key },
      })
    const errors = [{ header: "idempotency-key", detail: expect.any(String) }]
    expect((await create("\u00e9", "T")).body).toMatchObject({ code: "bad_request", errors })
    expect((await create("same", "T")).status).toBe(201)
    expect((await create("same", "U")).body).toMatchObject({ code: "idempotency_key_reused", errors })
  })

  test("a role that the event has no place for is a fault of the field", async () => {
    const { id: userId } = (await call(server.url, "POST", "/v1/users", { key: acme.key, body: { externalSub: "u" } }))
      .body
    const path = `/v1/events/${eventId}/memberships`
    const { body } = await call(server.url, "POST", path, { key: acme.key, body: { userId, role: "participant" } })
    expect(body).toMatchObject({ code: "role_not_on_event", errors: [{ pointer: "#/role" }] })
  })

  test.each(["cursor=x", "cursor=%00"])("the parameter of ?%s is named", async (query) => {
    const answer = await call(server.url, "GET", `/v1/events?${query}`, { key: acme.key })
    expect([answer.status, answer.body.errors]).toEqual([400, [{ parameter: "cursor", detail: expect.any(String) }]])
  })

  test("a word that is none of those taken is answered with all of them", async () => {
    const hostAbsence = { measure: "close", afterSeconds: 1 }
    const { body } = await call(server.url, "POST", "/v1/events", { key: acme.key, body: { ...event, hostAbsence } })
    const detail = 'Expected "nothing" | "slowChat" | "locked" | "lobbyClosed"'
    expect(body.errors).toEqual([{ pointer: "#/hostAbsence/measure", detail }])
  })

  describe("mistakes that say what to do", () => {
    test("an id that is none", async () => {
      const answer = await call(server.url, "GET", "/v1/events/123", { key: acme.key })
      expect([answer.status, answer.body.detail]).toEqual([404, "No such event: the id is not a UUID."])
    })

    test("JSON that cannot be read, by its place where the engine tells it", async () => {
      const answer = await call(server.url, "POST", "/v1/events", { key: acme.key, raw: '{"type":"t" "title":"T"}' })
      expect(answer.body.detail).toBe("body: not valid JSON at position 12.")
    })

    test.each(["2016-12-31T23:59:60Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z"])("the time %s", async (time) => {
      const answer = await call(server.url, "POST", "/v1/events", {
        key: acme.key,
        body: { ...event, scheduledAt: time },
      })
      expect(answer.body.detail).toBe(
        "scheduledAt: must be an RFC 3339 time with an offset, of a day that exists, and no leap second.",
      )
    })
  })
})
