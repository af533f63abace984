/** What is left of captions that were pushed live: the event's transcript, that of its broadcast's recording, and the recap's summary. */

import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { call, createLiveEvent, createWorkspace, type Json } from "../support/api.ts"
import { apiOf, recordingOf, startBroadcast } from "../support/broadcasts.ts"
import { push } from "../support/encoder.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { rowsOf } from "../support/rows.ts"
import { startMediaServer, startTestServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer(() => startMediaServer({ BROADCAST_INGESTS: "64" }))
const acme = sharedWorkspace(server)

const api = (method: string, path: string, body?: object) => apiOf(server.url, acme.key)(method, path, body)

const said = (segment: string, t0: number, text: string, more: object = {}) => ({
  segment,
  final: true,
  speaker: "Ada",
  lang: "en",
  t0,
  t1: t0 + 1000,
  text,
  ...more,
})

const live = (fields: object = {}) =>
  createLiveEvent(server.url, acme.key, {
    visibility: "public",
    phases: [{ modality: "meeting", featureSet: ["transcript"] }],
    ...fields,
  })

const pushTo = async (eventId: string, ...segments: ReadonlyArray<object>): Promise<void> => {
  const answer = await api("POST", `/v1/events/${eventId}/transcript-segments`, { segments })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { accepted: segments.length } })
}

const transcriptOf = async (eventId: string): Promise<Json> => {
  let answer: Json
  await eventually(async () => {
    answer = await api("GET", `/v1/events/${eventId}/transcript`)
    return answer.status === 200
  }, "the transcript")
  return answer.body
}

/** Milliseconds from the start of the event to the arrival of its broadcast's last segment: a slow machine takes long for both. */
const arrivalOf = async (eventId: string): Promise<number> => {
  const rows = rowsOf(server.databaseUrl)
  try {
    const [row] = await rows.run(
      `select (extract(epoch from max(s.at) - min(e.started_at)) * 1000)::integer as ms
         from events e join recordings r on r.event_id = e.id join recording_segments s on s.recording_id = r.id
        where e.id = $1 and s.bytes > 0`,
      [eventId],
    )
    return row?.["ms"]
  } finally {
    await rows.end()
  }
}

const summaryOf = async (eventId: string): Promise<Json> =>
  (await call(server.url, "GET", `/v1/public/events/${eventId}/recap`)).body.summary

test("final captions are the event's transcript when it ends, and its speakers are counted", async () => {
  const receiver = await startReceiver()
  await api("POST", "/v1/webhooks", { url: receiver.url, eventTypes: ["transcript.ready"] })
  const { id } = await live()
  await pushTo(id, said("b", 5000, "Good evening, all"), said("a", 1000, "Hello there"))
  await pushTo(
    id,
    said("b", 5000, "Good evening to all", { speaker: "Grace" }),
    said("c", 9000, "not final", { final: false }),
  )
  expect((await api("GET", `/v1/events/${id}/transcript`)).status).toBe(404)
  expect(await summaryOf(id)).toBeNull()
  await api("POST", `/v1/events/${id}/end`)
  const transcript = await transcriptOf(id)
  expect(transcript).toMatchObject({ eventId: id, recordingId: null })
  expect(transcript.segments).toEqual([
    { t0: 1000, t1: 2000, speaker: "Ada", lang: "en", text: "Hello there" },
    { t0: 5000, t1: 6000, speaker: "Grace", lang: "en", text: "Good evening to all" },
  ])
  await receiver.count(1)
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    type: "transcript.ready",
    eventId: id,
    assetId: transcript.id,
    recordingId: null,
  })
  expect(await summaryOf(id)).toEqual({
    text: "",
    speakers: [
      { name: "Grace", words: 4, seconds: 1 },
      { name: "Ada", words: 2, seconds: 1 },
    ],
  })
})

test("captions are kept as every format can hold them, and the recap counts no time that runs back", async () => {
  const { id } = await live()
  await pushTo(id, said("a", 1000, "Hello\n\n\u200b\nthere ", { speaker: "Ada\nLovelace" }))
  const back = { segments: [said("b", 5000, "Back", { t1: 4000 })] }
  expect((await api("POST", `/v1/events/${id}/transcript-segments`, back)).status).toBe(400)
  await api("POST", `/v1/events/${id}/end`)
  const [segment] = (await transcriptOf(id)).segments
  expect(segment).toMatchObject({ speaker: "Ada Lovelace", text: "Hello\nthere" })
  const vtt = await api("GET", `/v1/events/${id}/transcript?format=vtt`)
  expect(vtt.body).toBe("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada Lovelace><lang en>Hello\nthere</lang></v>\n")
  expect((await summaryOf(id)).speakers).toEqual([{ name: "Ada Lovelace", words: 2, seconds: 1 }])
})

test("the recap reads what its speakers said from one row, however long the transcript is", async () => {
  const { id } = await live()
  await pushTo(id, said("a", 1000, "Hello there"))
  await api("POST", `/v1/events/${id}/end`)
  const transcript = await transcriptOf(id)
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(rows.end)
  await rows.run("delete from transcript_segments where transcript_id = $1", [transcript.id])
  expect((await summaryOf(id)).speakers).toEqual([{ name: "Ada", words: 2, seconds: 1 }])
})

test("a caption that is sent again, by several at once, is one segment", async () => {
  const { id } = await live()
  await Promise.all(Array.from({ length: 10 }, () => pushTo(id, said("a", 0, "Once"))))
  await api("POST", `/v1/events/${id}/end`)
  expect((await transcriptOf(id)).segments).toHaveLength(1)
})

test("an event without captions has no transcript", async () => {
  const { id } = await live()
  await api("POST", `/v1/events/${id}/end`)
  const later = await live()
  await pushTo(later.id, said("a", 0, "Later"))
  await api("POST", `/v1/events/${later.id}/end`)
  await transcriptOf(later.id)
  expect((await api("GET", `/v1/events/${id}/transcript`)).status).toBe(404)
})

test("captions of a broadcast are its recording's transcript, on the recording's clock", async () => {
  const onAir = await startBroadcast(server.url, acme.key, {
    phases: [{ modality: "broadcast", featureSet: ["transcript"] }],
  })
  const stream = fixture("ffmpeg-stream.mp4")
  await push(onAir.streamUrl, stream)
  const since = await arrivalOf(onAir.eventId)
  await pushTo(onAir.eventId, said("early", 0, "Before the encoder came"), said("in", since + 500, "While it ran"))
  await pushTo(onAir.eventId, said("late", since + 60_000, "Long after"))
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  let transcript: Json
  await eventually(async () => {
    transcript = (await api("GET", `/v1/recordings/${recording.id}/transcript`)).body
    return transcript.segments !== undefined
  }, "the recording's transcript")
  expect(transcript.segments.map(({ text }: Json) => text)).toContain("While it ran")
  expect(transcript.segments.map(({ text }: Json) => text)).not.toContain("Long after")
  const [{ t0, t1 }] = transcript.segments.filter(({ text }: Json) => text === "While it ran")
  expect(t0).toBeGreaterThanOrEqual(0)
  // All of it came at once, so only its length bounds the place of a caption that was said afterwards.
  expect(t0).toBeLessThanOrEqual(recording.durationMs)
  expect(t1 - t0).toBe(1000)
  // A speech recogniser is some seconds behind.
  await pushTo(onAir.eventId, said("last", since + 600, "The last words"), said("after", since + 90_000, "Afterwards"))
  await eventually(async () => {
    transcript = (await api("GET", `/v1/recordings/${recording.id}/transcript`)).body
    return transcript.segments?.some(({ text }: Json) => text === "The last words")
  }, "the transcript is made anew")
  expect(transcript.segments.map(({ text }: Json) => text)).toContain("While it ran")
  expect(transcript.segments.map(({ text }: Json) => text)).not.toContain("Afterwards")
})

test("fifty thousand captions of two hours do not keep the recording from becoming ready", async () => {
  const onAir = await startBroadcast(server.url, acme.key, {
    phases: [{ modality: "broadcast", featureSet: ["transcript"] }],
  })
  await push(onAir.streamUrl, fixture("ffmpeg-stream.mp4"))
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(rows.end)
  await rows.run(
    `insert into recording_segments
     select r.id, 100 + n, 1, 0, 1, 10000 + n * 2000, 2000, false, e.started_at + (10 + n * 2) * interval '1 second'
       from recordings r join events e on e.id = r.event_id, generate_series(1, 3600) n where r.event_id = $1`,
    [onAir.eventId],
  )
  await rows.run(
    `insert into captions select $1::uuid, n::text, 12000 + n * 144, 12000 + n * 144 + 1000, 'Ada', 'en', 'said ' || n
       from generate_series(1, 50000) n`,
    [onAir.eventId],
  )
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId, 120_000)
  const { segments } = (await api("GET", `/v1/recordings/${recording.id}/transcript`)).body
  expect(segments).toHaveLength(50_000)
  expect(segments[0]).toMatchObject({ t0: 12_144, text: "said 1" })
  expect(segments.at(-1)).toMatchObject({ t0: 7_212_000, text: "said 50000" })
})

test("a transcript may take longer to write than a request", async () => {
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(async () => {
    await rows.run("drop trigger if exists write_long on transcripts")
    await rows.end()
  })
  await rows.run(
    "create function write_long() returns trigger language plpgsql as $$ begin perform pg_sleep(4); return new; end $$",
  )
  await rows.run("create trigger write_long before insert on transcripts for each row execute function write_long()")
  const { id } = await live()
  await pushTo(id, said("a", 0, "One two three"))
  await api("POST", `/v1/events/${id}/end`)
  expect((await transcriptOf(id)).segments).toHaveLength(1)
  const onAir = await startBroadcast(server.url, acme.key, {
    phases: [{ modality: "broadcast", featureSet: ["transcript"] }],
  })
  await push(onAir.streamUrl, fixture("ffmpeg-stream.mp4"))
  await pushTo(onAir.eventId, said("b", (await arrivalOf(onAir.eventId)) + 500, "Four five six"))
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  expect((await api("GET", `/v1/recordings/${recording.id}/transcript`)).status).toBe(200)
})

test("a person's summary is shown, with the speakers that are given or counted", async () => {
  const { id } = await live()
  const put = (body: object) => api("PUT", `/v1/events/${id}/summary`, body)
  expect(await put({ text: "All went well." })).toMatchObject({
    status: 200,
    body: { text: "All went well.", speakers: [] },
  })
  await pushTo(id, said("a", 0, "One two three"))
  await api("POST", `/v1/events/${id}/end`)
  await transcriptOf(id)
  expect(await summaryOf(id)).toEqual({ text: "All went well.", speakers: [{ name: "Ada", words: 3, seconds: 1 }] })
  const speakers = [{ name: "Grace", words: 10, seconds: 4 }]
  await put({ text: "Again.", speakers })
  expect(await summaryOf(id)).toEqual({ text: "Again.", speakers })
})

/** A model behind `answer`, which the test says, and a server that asks it. */
let answer: (asked: Json, response: ServerResponse) => void
const model = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => {
    body += String(chunk)
  })
  request.on("end", () => answer(JSON.parse(body), response))
})
const own = sharedServer(async () => {
  model.listen(0, "127.0.0.1")
  await once(model, "listening")
  return startTestServer({ HELP_LLM_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1` })
})
afterAll(() => void model.close())

const answered = (content: string): string => JSON.stringify({ choices: [{ message: { content } }] })

test("a model, where one is configured, writes the summary, and again when it was away; a person's is kept", async () => {
  const asked: Json[] = []
  answer = (question, response) => {
    asked.push(question)
    if (asked.length === 1) response.writeHead(500).end()
    else response.end(answered(" They said hello. "))
  }
  const { key } = await createWorkspace(own.url)
  const call2 = apiOf(own.url, key)
  const ended = async (summary?: string): Promise<string> => {
    const { id } = await createLiveEvent(own.url, key, {
      phases: [{ modality: "meeting", featureSet: ["transcript"] }],
    })
    if (summary !== undefined) await call2("PUT", `/v1/events/${id}/summary`, { text: summary })
    await call2("POST", `/v1/events/${id}/transcript-segments`, { segments: [said("a", 0, "Hello to you")] })
    await call2("POST", `/v1/events/${id}/end`)
    return id
  }
  const textOf = async (id: string) =>
    (await call(own.url, "GET", `/v1/public/events/${id}/recap`, { key })).body.summary?.text
  const first = await ended()
  await eventually(async () => (await textOf(first)) === "They said hello.", "the model's summary")
  expect(asked.at(-1)?.messages.at(-1)?.content).toBe("Ada: Hello to you")
  const byHand = await ended("By hand.")
  await eventually(
    async () => (await call2("GET", `/v1/events/${byHand}/transcript`)).status === 200,
    "the transcript of the event with a person's text",
  )
  const uploaded = await createLiveEvent(own.url, key)
  const { id: recording } = (await call2("POST", `/v1/events/${uploaded.id}/recordings`, {})).body
  const segments = [{ t0: 0, t1: 1, text: "Uploaded words" }]
  expect((await call2("PUT", `/v1/recordings/${recording}/transcript`, { segments })).status).toBe(201)
  await eventually(async () => (await textOf(uploaded.id)) === "They said hello.", "the summary of an upload")
  expect(await textOf(byHand)).toBe("By hand.")
  // Twice, because the model was away at first; and never for the event that a person had written about.
  const contents = asked.map(({ messages }) => messages.at(-1).content)
  expect(contents).toEqual(["Ada: Hello to you", "Ada: Hello to you", "Uploaded words"])
})

test("a transcript that is replaced while the model reads it is summarised again", async () => {
  const held: Array<{ readonly said: string; readonly response: ServerResponse }> = []
  answer = (question, response) => {
    held.push({ said: question.messages.at(-1).content, response })
  }
  const { key } = await createWorkspace(own.url)
  const call2 = apiOf(own.url, key)
  const { id } = await createLiveEvent(own.url, key)
  const { id: recording } = (await call2("POST", `/v1/events/${id}/recordings`, {})).body
  const put = async (text: string): Promise<void> => {
    const given = await call2("PUT", `/v1/recordings/${recording}/transcript`, { segments: [{ t0: 0, t1: 1, text }] })
    expect(given.status).toBeLessThan(300)
  }
  await put("First words")
  await eventually(() => held.length === 1, "the question about the first transcript")
  await put("Second words")
  held[0]?.response.end(answered("A summary of the first."))
  await eventually(() => held.length === 2, "the question about the second transcript")
  expect(held.map(({ said }) => said)).toEqual(["First words", "Second words"])
  held[1]?.response.end(answered("A summary of the second."))
  const summary = async () => (await call(own.url, "GET", `/v1/public/events/${id}/recap`, { key })).body.summary?.text
  await eventually(async () => (await summary()) !== undefined, "the summary")
  expect(await summary()).toBe("A summary of the second.")
})
