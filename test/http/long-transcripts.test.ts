/** The cost of the longest transcripts for the event loop, on which all live events run. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { request } from "undici"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createWorkspace, type Workspace } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { startMediaServer, type TestServer } from "../support/server.ts"

let server: TestServer
let acme: Workspace
let eventId: string
let id: string

beforeAll(async () => {
  server = await startMediaServer()
  acme = await createWorkspace(server.url)
  eventId = (await createEvent(server.url, acme.key)).id
  await call(server.url, "POST", `/v1/events/${eventId}/publish`, { key: acme.key })
  id = (await call(server.url, "POST", `/v1/events/${eventId}/recordings`, { key: acme.key, body: {} })).body.id
  const rows = rowsOf(server.databaseUrl)
  await rows.run("update recordings set status = 'ready' where id = $1", [id])
  await rows.end()
})
afterAll(() => server.stop())

/**
 * As a multiple of the time in which this machine parses the JSON body at this moment, so that a slow or busy machine counts the same. That
 * took 14 ms where WebVTT in one go took a second, and JSON half a second.
 */
const MOST = 20
/** Machines that test are busy, and collect garbage: the least of some tries counts. */
const TRIES = 8
const TOO_BUSY = 503

/** The longest time that the event loop was held meanwhile, in milliseconds. Chunks of the answer are not kept: the client runs here too. */
const heldBy = async (method: "GET" | "PUT", url: string, type: string, body: Uint8Array | null): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 2 })
  delay.enable()
  const headers = { "x-api-key": acme.key, "content-type": type }
  const answer = await request(url, { method, headers, body })
  await answer.body.dump({ limit: 100_000_000 })
  delay.disable()
  if (answer.statusCode === TOO_BUSY) return Number.POSITIVE_INFINITY
  expect([200, 201]).toContain(answer.statusCode)
  return delay.max / 1e6
}

const parsing = (): number => {
  const text = JSON_BODY.toString()
  const startedAt = performance.now()
  JSON.parse(text)
  return performance.now() - startedAt
}

const leastHeldBy = async (...of: Parameters<typeof heldBy>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && least >= MOST; tried++) {
    least = Math.min(least, (await heldBy(...of)) / parsing())
  }
  return least
}

const NUMBERS = Array.from({ length: 50_000 }, (_, n) => n)
const time = (n: number): string => new Date(n * 1000).toISOString().slice(11, 23)
const words = "many words that were said in one go, as recognisers cut them, and some more of them"

const VTT = Buffer.from(
  `WEBVTT\n\n${NUMBERS.map((n) => `${time(n)} --> ${time(n + 1)}\n<v Speaker ${n % 7}>${words} ${n}</v>\n`).join("\n")}`,
)
const JSON_BODY = Buffer.from(
  JSON.stringify({
    segments: NUMBERS.map((n) => ({
      t0: n * 1000,
      t1: n * 1000 + 900,
      speaker: `Speaker ${n % 7}`,
      text: `${words} ${n}`,
    })),
  }),
)

test("a transcript of fifty thousand segments is taken and given without holding the event loop", async () => {
  const address = `${server.url}/v1/recordings/${id}/transcript`
  const recap = (await call(server.url, "GET", `/v1/public/events/${eventId}/content`)).body
  expect(recap.recording.id).toBe(id)
  const held: { [what: string]: number } = {}
  held["PUT vtt"] = await leastHeldBy("PUT", address, "text/vtt", VTT)
  held["PUT json"] = await leastHeldBy("PUT", address, "application/json", JSON_BODY)
  for (const format of ["json", "vtt", "srt", "txt"]) {
    held[`GET ${format}`] = await leastHeldBy("GET", `${address}?format=${format}`, "text/plain", null)
  }
  const { derivations } = (await call(server.url, "GET", `/v1/public/events/${eventId}/content`)).body
  held["captions"] = await leastHeldBy("GET", derivations[0].url, "text/plain", null)
  for (const [what, times] of Object.entries(held)) expect(times, what).toBeLessThan(MOST)
})

test("a transcript that is read in the process for media is refused in the same words", async () => {
  const put = (type: string, raw: string) =>
    call(server.url, "PUT", `/v1/recordings/${id}/transcript`, {
      key: acme.key,
      raw,
      headers: { "content-type": type },
    })
  const padding = `NOTE ${"x".repeat(60_000)}`
  expect((await put("text/vtt", `WEBVTT\n\n${padding}\n\n00:02.000 --> 00:01.000\nx`)).body.detail).toBe(
    "body: line 5: ends before it begins.",
  )
  const many = Array.from({ length: 2000 }, (_, n) => ({ t0: n, t1: n === 1500 ? -1 : n, text: words }))
  expect((await put("application/json", JSON.stringify({ segments: many }))).body.detail).toContain("segments.1500.t1")
  expect((await put("application/json", `{"segments":[${" ".repeat(60_000)}`)).body.detail).toBe(
    "body: not valid JSON.",
  )
})
