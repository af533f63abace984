/** Transcripts by a speech recogniser: what is sent, what is kept, and what happens where it refuses, fails or is too late. */
import { readdir, rm } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import {
  type AskedRecogniser,
  answerTo,
  type Misbehave,
  startRecogniser,
  type TestRecogniser,
} from "../support/recogniser.ts"
import { startMediaServer, type TestServer } from "../support/server.ts"
import { shared, sharedRows, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf, tonesOf } from "../support/wav.ts"

const SOUND = tonesOf(4, [
  { from: 0.5, to: 1, hertz: 400 },
  { from: 2, to: 3.5, hertz: 700 },
])

type Api = (method: string, path: string, body?: Json) => ReturnType<typeof call>

const apiOf =
  (url: string, key: string): Api =>
  (method, path, body) =>
    call(url, method, path, { key, body })

interface House {
  readonly server: TestServer
  /** Requests of this test. */
  readonly asked: () => ReadonlyArray<AskedRecogniser>
  readonly api: Api
  readonly key: string
}

/** A server without ffmpeg, which sends files as they are. */
const startWith = ({ url }: TestRecogniser): Promise<TestServer> =>
  startMediaServer({
    FFMPEG_PATH: "off",
    TRANSCRIBE_URL: url,
    TRANSCRIBE_KEY: "a-key",
    TRANSCRIBE_MODEL: "large",
  })

/** How the shared recogniser answers the test that runs. */
let misbehave: Misbehave = () => false
const recogniser = shared(
  () => startRecogniser((...given) => misbehave(...given)),
  (one) => one.stop(),
)
const server = sharedServer(() => startWith(recogniser))
const rows = sharedRows(server)

/** A workspace whose recordings the recogniser treats in this way. */
const openHouse = async (own: Misbehave = () => false): Promise<House> => {
  const before = recogniser.asked.length
  misbehave = (response, asked, nth) => own(response, asked, nth - before)
  const { key } = await createWorkspace(server.url)
  return { server, key, api: apiOf(server.url, key), asked: () => recogniser.asked.slice(before) }
}

const upload = async (
  { api, server, key }: House,
  bytes: Uint8Array<ArrayBuffer>,
  fields: Json = {},
): Promise<Json> => {
  const event = await createEvent(server.url, key, fields)
  await api("POST", `/v1/events/${event.id}/publish`)
  const begun = await api("POST", `/v1/events/${event.id}/recordings`, { kind: "merged" })
  expect((await fetch(begun.body.uploadUrl, { method: "PUT", body: bytes })).status).toBe(204)
  await api("POST", `/v1/recordings/${begun.body.id}/complete`, {})
  return begun.body
}

const readOf = ({ api }: House, { id }: Json): Promise<Json> =>
  api("GET", `/v1/recordings/${id}`).then(({ body }) => body)

const transcriptOf = async (house: House, { id }: Json): Promise<Json> => {
  await eventually(
    async () => (await house.api("GET", `/v1/recordings/${id}/transcript`)).status === 200,
    "the transcript",
  )
  return (await house.api("GET", `/v1/recordings/${id}/transcript`)).body
}

const failedWith = async (house: House, recording: Json): Promise<string> => {
  await eventually(async () => (await readOf(house, recording)).transcription?.status === "failed", "the failure")
  return (await readOf(house, recording)).transcription.detail
}

const announced = async ({ api }: House): Promise<ReadonlyArray<Json>> =>
  (await api("GET", "/v1/occurrences?types=transcript.ready")).body.occurrences.filter(
    ({ type }: Json) => type === "transcript.ready",
  )

test("a recording that becomes ready is sent with the language of its event, and its transcript is announced once", async () => {
  const house = await openHouse()
  await announced(house)
  const recording = await upload(house, SOUND, { language: "de" })
  const transcript = await transcriptOf(house, recording)
  expect(transcript).toMatchObject({
    recordingId: recording.id,
    segments: [
      { t0: 500, t1: 1000, speaker: "", lang: "de", text: "400 Hz" },
      { t0: 2000, t1: 3500, speaker: "", lang: "de", text: "700 Hz" },
    ],
  })
  const [asked, ...others] = house.asked()
  expect(others).toEqual([])
  expect(asked?.path).toBe("/v1/audio/transcriptions")
  expect(asked?.headers.authorization).toBe("Bearer a-key")
  expect(asked?.fields).toEqual({
    model: "large",
    response_format: "verbose_json",
    language: "de",
    "timestamp_granularities[]": "segment",
  })
  expect(Buffer.from(asked?.file.bytes ?? []).equals(SOUND)).toBe(true)
  expect(asked?.file).toMatchObject({ name: "sound.wav", type: "audio/wav" })
  expect((await readOf(house, recording)).transcription).toBeNull()
  await eventually(async () => (await announced(house)).length > 0, "the occurrence")
  expect(await announced(house)).toMatchObject([{ assetId: transcript.id, recordingId: recording.id }])
})

/** Answers of no use, which say nothing about the sound. */
const USELESS: ReadonlyArray<readonly [string, (response: ServerResponse) => unknown]> = [
  ["500", (response) => response.writeHead(500).end()],
  ["a key that is refused", (response) => response.writeHead(401).end()],
  ["no JSON", (response) => response.end("<html>")],
  ["no segments", (response) => response.end('{"text":"words"}')],
  ["a segment without times", (response) => response.end('{"segments":[{"text":"words"}]}')],
  ["a segment that is null", (response) => response.end('{"segments":[null]}')],
  ["a connection that is cut", (response) => response.destroy()],
  ["a redirection", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
]

test("after an answer of no use the recogniser is asked again, once each", async () => {
  const failed = new Set<string>()
  const house = await openHouse((response, { segments: [tone] }) => {
    const pitch = tone?.text ?? ""
    const [, fail] = USELESS[(Number.parseInt(pitch, 10) - 500) / 100] ?? []
    if (fail === undefined || failed.has(pitch)) return false
    failed.add(pitch)
    fail(response)
    return true
  })
  const recordings: Array<{ readonly name: string; readonly recording: Json }> = []
  for (const [n, [name]] of USELESS.entries()) {
    const sound = tonesOf(1, [{ from: 0.2, to: 0.8, hertz: 500 + 100 * n }])
    recordings.push({ name, recording: await upload(house, sound) })
  }
  for (const [n, { name, recording }] of recordings.entries()) {
    const { segments } = await transcriptOf(house, recording)
    expect([name, segments.map(({ text }: Json) => text)]).toEqual([name, [`${500 + 100 * n} Hz`]])
  }
  expect(failed.size).toBe(USELESS.length)
  expect(house.asked()).toHaveLength(2 * USELESS.length)
})

test("after 429 the recogniser is asked no earlier than it says", async () => {
  const house = await openHouse((response, _, nth) => {
    if (nth === 1) response.writeHead(429, { "retry-after": "3" }).end()
    return nth === 1
  })
  await transcriptOf(house, await upload(house, SOUND))
  const [first, second] = house.asked()
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2990)
})

test("a recording whose sound is refused fails with the reason, is not sent again, and takes an uploaded transcript", async () => {
  const house = await openHouse((response) => {
    response.writeHead(400).end("{}")
    return true
  })
  const recording = await upload(house, SOUND)
  expect(await failedWith(house, recording)).toBe("The recogniser answered 400.")
  expect((await house.api("GET", `/v1/recordings/${recording.id}/transcript`)).status).toBe(404)
  const segments = [{ t0: 0, t1: 900, text: "By hand" }]
  expect((await house.api("PUT", `/v1/recordings/${recording.id}/transcript`, { segments })).status).toBe(201)
  expect((await readOf(house, recording)).transcription).toBeNull()
  expect(house.asked()).toHaveLength(1)
})

/** The first request fails once `meanwhile` is done, which changes rows or files before the next try. */
const uploadAndFail = async (
  meanwhile: (house: House, statement: (sql: string) => Promise<unknown>) => Promise<unknown>,
) => {
  const held: Array<() => void> = []
  const house = await openHouse((response, _, nth) => {
    if (nth === 1) held.push(() => void response.writeHead(500).end())
    return nth === 1
  })
  const recording = await upload(house, SOUND)
  await eventually(() => held.length === 1, "the first try")
  await meanwhile(house, rows.run)
  held[0]?.()
  return { house, recording }
}

test("a recogniser that fails again and again is given up after twelve tries", async () => {
  const held: Array<() => void> = []
  const house = await openHouse((response) => {
    held.push(() => void response.writeHead(500).end())
    if (held.length > 1) held.at(-1)?.()
    return true
  })
  const recording = await upload(house, SOUND)
  await eventually(() => held.length === 1, "the first try")
  // The tries between would take half an hour.
  await rows.run("update media_jobs set attempts = 11 where kind = 'recognise'")
  held[0]?.()
  expect(await failedWith(house, recording)).toBe("The recogniser answered 500.")
  expect(house.asked()).toHaveLength(2)
})

test("work that no code expects to fail, such as on a broken database, is given up after twelve tries as well", async () => {
  const held: Array<() => void> = []
  const house = await openHouse((response, asked) => {
    held.push(() => void response.end(answerTo(asked)))
    return true
  })
  const recording = await upload(house, SOUND)
  await eventually(() => held.length === 1, "the request")
  await rows.run("alter table media_jobs add constraint no_words check (captured is null)")
  onTestFinished(async () => void (await rows.run("alter table media_jobs drop constraint no_words")))
  await rows.run("update media_jobs set attempts = 12 where kind = 'recognise'")
  held[0]?.()
  expect(await failedWith(house, recording)).toBe("The work was interrupted again and again.")
  expect(house.asked()).toHaveLength(1)
})

test("what a node with ffmpeg heard before is not heard twice by one without", async () => {
  const { house, recording } = await uploadAndFail((_, statement) =>
    statement(`
      update media_jobs set captured = '{"nextMs": 1500, "segments": [{"t0": 480, "t1": 990, "speaker": "", "lang": "", "text": "400 Hz"}]}'
       where kind = 'recognise'`),
  )
  const { segments } = await transcriptOf(house, recording)
  expect(segments).toMatchObject([
    { t0: 500, text: "400 Hz" },
    { t0: 2000, text: "700 Hz" },
  ])
})

test("a file that is missing is reported as missing", async () => {
  const { house, recording } = await uploadAndFail(async ({ server }, statement) => {
    const folder = join(server.folder, "media")
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const file of files) if (file.isFile()) await rm(join(file.parentPath, file.name))
    await statement("update media_jobs set attempts = 11 where kind = 'recognise'")
  })
  expect(await failedWith(house, recording)).toBe("The file of the recording is missing.")
})

test("a file of a type that no recogniser takes is not sent without ffmpeg", async () => {
  const { house, recording } = await uploadAndFail((_, statement) =>
    statement("update recordings set content_type = 'video/x-matroska'"),
  )
  expect(await failedWith(house, recording)).toBe("Without ffmpeg video/x-matroska is not transcribed.")
  expect(house.asked()).toHaveLength(1)
})

test("silence has no transcript, and says so", async () => {
  const house = await openHouse()
  expect(await failedWith(house, await upload(house, tonesOf(2, [])))).toBe("No speech was found.")
})

test("without ffmpeg a large file is not sent", async () => {
  const house = await openHouse()
  expect(await failedWith(house, await upload(house, Uint8Array.from(noiseOf(25 * 1024 ** 2))))).toMatch(
    /^Without ffmpeg/,
  )
  expect(house.asked()).toEqual([])
})

test("a transcript that is uploaded while the recogniser hears stays", async () => {
  const held: Array<() => void> = []
  const house = await openHouse((response, asked) => {
    held.push(() => void response.end(answerTo(asked)))
    return true
  })
  await announced(house)
  const recording = await upload(house, SOUND)
  await eventually(() => held.length === 1, "the request")
  expect((await readOf(house, recording)).transcription).toEqual({ status: "running", detail: null })
  const segments = [{ t0: 0, t1: 900, text: "By hand" }]
  const { body } = await house.api("PUT", `/v1/recordings/${recording.id}/transcript`, { segments })
  held[0]?.()
  const jobs = () => rows.run("select 1 from media_jobs where kind = 'recognise'")
  await eventually(async () => (await jobs()).length === 0, "the end of the job")
  expect(await transcriptOf(house, recording)).toMatchObject({ id: body.id, segments: [{ text: "By hand" }] })
  expect((await announced(house)).map(({ assetId }) => assetId)).toEqual([body.id])
})

test("a refusal that comes after an upload is not reported", async () => {
  const held: Array<() => void> = []
  const house = await openHouse((response) => {
    held.push(() => void response.writeHead(400).end())
    return true
  })
  const recording = await upload(house, SOUND)
  await eventually(() => held.length === 1, "the request")
  await house.api("PUT", `/v1/recordings/${recording.id}/transcript`, {
    segments: [{ t0: 0, t1: 900, text: "By hand" }],
  })
  held[0]?.()
  const jobs = () => rows.run("select 1 from media_jobs where kind = 'recognise'")
  await eventually(async () => (await jobs()).length === 0, "the end of the job")
  expect((await readOf(house, recording)).transcription).toBeNull()
})

test("a recording of a phase without the feature `transcript` is not sent, and one of a phase with it is", async () => {
  const house = await openHouse()
  const phases = [
    { modality: "meeting", featureSet: ["qa"] },
    { modality: "meeting", featureSet: ["transcript"] },
  ]
  const event = await createEvent(house.server.url, house.key, { phases })
  await house.api("POST", `/v1/events/${event.id}/publish`)
  const made: Json[] = []
  for (const { id: phaseId } of (await house.api("GET", `/v1/events/${event.id}`)).body.phases) {
    const begun = await house.api("POST", `/v1/events/${event.id}/recordings`, { kind: "merged", phaseId })
    await fetch(begun.body.uploadUrl, { method: "PUT", body: SOUND })
    await house.api("POST", `/v1/recordings/${begun.body.id}/complete`, {})
    made.push(begun.body)
    await eventually(async () => (await readOf(house, begun.body)).status === "ready", "the inspection")
  }
  await transcriptOf(house, made[1])
  expect(await readOf(house, made[0])).toMatchObject({ status: "ready", transcription: null })
  expect(house.asked()).toHaveLength(1)
})

test("a server that stops while the recogniser hears asks again at its next start, and has one transcript", async () => {
  const own = await startRecogniser((_, __, nth) => nth === 1)
  onTestFinished(own.stop)
  const first = await startWith(own)
  const { key } = await createWorkspace(first.url)
  const house: House = { server: first, key, api: apiOf(first.url, key), asked: () => own.asked }
  await announced(house)
  const recording = await upload(house, SOUND)
  await eventually(() => own.asked.length === 1, "the request")
  const second = await first.restart()
  onTestFinished(() => second.stop())
  const again: House = { ...house, server: second, api: apiOf(second.url, key) }
  expect((await transcriptOf(again, recording)).segments).toHaveLength(2)
  expect(own.asked).toHaveLength(2)
  expect(await announced(again)).toHaveLength(1)
})

test("nobody else sees the work on a transcript: the public content has no field of it", async () => {
  const house = await openHouse()
  const recording = await upload(house, SOUND)
  await transcriptOf(house, recording)
  const content = await call(house.server.url, "GET", `/v1/public/events/${recording.eventId}/content`)
  expect(JSON.stringify(content.body)).not.toContain("transcription")
})
