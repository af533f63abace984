/** Bodies that are the same for everybody, as they are and compressed, as a client sees them that decodes nothing by itself. */
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { RunningServer } from "../../src/app/server.ts"
import { codingFor } from "../../src/http/transport/shared-body.ts"
import { startTestServer } from "../support/server.ts"

let server: RunningServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

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

describe.each(["/v1/docs", "/v1/openapi.json", "/v1/asyncapi.json"])("%s", (path) => {
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
