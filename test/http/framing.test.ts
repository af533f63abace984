/** Requests that two readers could cut in two ways: bytes on a real socket, and never a second request out of the first one's body. */
import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, test } from "vitest"
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
