/** Captions of rooms that are recorded, also those that come after a room has closed: a speech recogniser is some seconds behind. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { createLiveEvent, type Json } from "../support/api.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { rowsOf } from "../support/rows.ts"
import { eventually } from "../support/wait.ts"

let house: CaptureHouse
beforeAll(async () => {
  house = await CaptureHouse.open()
})
afterAll(() => house?.close())

const openTable = async () => {
  const event = await createLiveEvent(house.server.url, house.workspace.key, {
    phases: [
      { modality: "breakout", featureSet: ["capture", "transcript"] },
      { modality: "meeting", featureSet: [] },
    ],
  })
  const host = await house.personOf(event, "host")
  const person = await house.personOf(event, "participant", "Ada")
  await host.command("capture.start", { kinds: ["recording"] })
  const planned = await host.command("breakout.plan", { rooms: 1, strategy: "balanced" })
  const opened = await host.command("breakout.open", { planId: planned.d.plan.id })
  const table: string = opened.d.rooms[0].id
  const push = (...segments: ReadonlyArray<object>) =>
    house.call("POST", `/v1/events/${event.id}/transcript-segments`, { segments })
  return { event, host, person, table, push }
}

const said = (segment: string, t0: number, text: string, roomId?: string) => ({
  segment,
  final: true,
  speaker: "Ada",
  lang: "en",
  t0: Math.max(0, Math.round(t0)),
  t1: Math.max(0, Math.round(t0)) + 400,
  text,
  ...(roomId === undefined ? {} : { roomId }),
})

test("captions of the main room and of a breakout's room become the transcripts of their recordings, and no others", async () => {
  const { event, room, host } = await house.openRoom("breakout", {
    phases: [{ modality: "breakout", featureSet: ["capture", "transcript"] }],
  })
  house.livekit.enter(room, "host")
  await host.command("capture.start", { kinds: ["recording"] })
  const people = await Promise.all(["Ada", "Bob"].map((name) => house.personOf(event, "participant", name)))
  const planned = await host.command("breakout.plan", { rooms: 1, strategy: "balanced" })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  const table: string = d.rooms[0].id
  const tableRoom = mediaRoomOf({ eventId: event.id, phaseId: "", roomId: table })
  house.livekit.enter(tableRoom, "somebody")
  const [main, own] = [await house.egressOf(room), await house.egressOf(tableRoom)]
  const since = Date.parse(event.startedAt)
  const began = (egress: Egress) => Number(egress.startedAt.slice(0, -6)) - since
  const pushed = await host.command("transcript.push", {
    segments: [
      said("m1", began(main) + 500, "said to all"),
      said("t1", began(own) + 300, "said at the table", table),
      { ...said("t2", began(own) + 900, "really?", table), speaker: "Bob" },
      said("t3", began(own) + 60_000, "after the recording", table),
    ],
  })
  expect(pushed).toMatchObject({ ok: true })
  expect(await host.command("transcript.push", { segments: [said("x", 0, "nowhere", "nowhere")] })).toMatchObject({
    ok: false,
    e: { code: "not_found" },
  })
  // Only the people at the table receive its captions.
  const heard = await people[0]?.next(
    ({ t, d: heardOf }) => t === "transcript.segment" && heardOf.segment === "t1",
    "the caption",
  )
  expect(heard?.d).toMatchObject({ text: "said at the table", roomId: table })
  const draft = await house.call("GET", `/v1/events/${event.id}/tables/${table}/summary/draft`)
  expect(draft).toMatchObject({
    status: 200,
    body: {
      summary: { tldr: "", questions: ["really?"] },
      stats: { totalWords: 8, headcount: 2, lifetimeSeconds: 60 },
      people: [
        { userId: "Ada", name: "Ada", words: 7, turns: 2 },
        { userId: "Bob", name: "Bob", words: 1, turns: 1 },
      ],
    },
  })
  expect((await house.call("GET", `/v1/events/${event.id}/tables/other/summary/draft`)).status).toBe(404)
  await host.command("event.end", {})
  for (const egress of [main, own]) {
    await eventually(() => egress.status === "EGRESS_ENDING", "the end of the recording")
    await house.complete(egress)
    await house.tell(egress)
  }
  const recordings = await house.settled(event)
  const textOf = async (kind: string) => {
    const { id } = recordings.find((one) => one.kind === kind)
    const segments = async () => (await house.call("GET", `/v1/recordings/${id}/transcript`)).body.segments ?? []
    await eventually(async () => (await segments()).length > 0, "the transcript")
    return (await segments()).map(({ t0, text }: { t0: number; text: string }) => [t0, text])
  }
  expect(await textOf("merged")).toEqual([[500, "said to all"]])
  expect(await textOf("room")).toEqual([
    [300, "said at the table"],
    [900, "really?"],
  ])
  // What was said at a table is not for everybody.
  const merged = recordings.find(({ kind }) => kind === "merged")
  await house.call("PATCH", `/v1/events/${event.id}`, { visibility: "public" })
  const recap = (await house.call("GET", `/v1/public/events/${event.id}/recap`)).body
  expect(recap.recording).toMatchObject({ id: merged?.id })
  expect(recap.summary.speakers).toMatchObject([{ name: "Ada", words: 3 }])
  const whole = async () => (await house.call("GET", `/v1/events/${event.id}/transcript`)).body
  await eventually(async () => (await whole()).segments?.length > 0, "the event's transcript")
  expect((await whole()).segments.map(({ text }: { text: string }) => text)).toEqual(["said to all"])
  for (const person of [host, ...people]) await person.cut()
})

test("the last words of a room come after it closed, and are in the transcript of its recording", async () => {
  const { event, host, person, table, push } = await openTable()
  const room = mediaRoomOf({ eventId: event.id, phaseId: "", roomId: table })
  house.livekit.enter(room, "somebody")
  const egress = await house.egressOf(room)
  const began = Number(egress.startedAt.slice(0, -6)) - Date.parse(event.startedAt)
  expect((await push(said("1", began + 200, "the first words", table))).status).toBe(200)
  await host.command("breakout.close", { graceMs: 0 })
  await eventually(() => egress.status === "EGRESS_ENDING", "the end of the recording")
  await house.complete(egress)
  await house.tell(egress)
  const recordingOf = async (): Promise<Json> =>
    (await house.recordingsOf(event)).find(({ kind }) => kind === "room") as Json
  await eventually(async () => (await recordingOf()).status === "ready", "the recording is ready")
  const { id } = await recordingOf()
  const texts = async (): Promise<ReadonlyArray<string>> => {
    const { segments = [] } = (await house.call("GET", `/v1/recordings/${id}/transcript`)).body
    return segments.map(({ text }: Json) => text)
  }
  await eventually(async () => (await texts()).length === 1, "the transcript")

  const late = await push(
    said("2", began + 900, "the last words", table),
    { ...said("3", began + 1400, "the last wo", table), final: false },
    said("4", began + 60_000, "after the recording", table),
    said("5", began + 1000, "said to all"),
  )
  expect(late).toMatchObject({ status: 200, body: { accepted: 4 } })
  await eventually(async () => (await texts()).length === 2, "the transcript is made anew")
  expect(await texts()).toEqual(["the first words", "the last words"])
  // A recogniser corrects itself.
  expect((await push(said("1", began + 200, "the very first words", table))).status).toBe(200)
  await eventually(async () => (await texts())[0] === "the very first words", "the transcript is made anew once more")
  expect((await push(said("2", began + 60_000, "the last words", table))).status).toBe(200)
  await eventually(async () => (await texts()).length === 1, "words that were corrected to a later time are not in it")
  // Nobody is in the room to receive them; the words to all have an order.
  await person.next(({ t, d }) => t === "transcript.segment" && d.text === "said to all", "the words to all")
  const heard = person.received.filter(({ t }) => t === "transcript.segment" || t === "transcript.interim")
  expect(heard.map(({ d }) => d.text)).toEqual(["the first words", "said to all"])
  const rows = rowsOf(house.server.databaseUrl)
  await eventually(
    async () => (await rows.run(`select 1 from media_jobs where recording_id = '${id}'`)).length === 0,
    "no job is left",
  )
  await rows.end()
  for (const one of [host, person]) await one.cut()
})

test("the last words to all come after the recording of the main room, and are in its transcript", async () => {
  const event = await createLiveEvent(house.server.url, house.workspace.key, {
    phases: [{ modality: "meeting", featureSet: ["capture", "transcript"] }],
  })
  const host = await house.personOf(event, "host")
  await host.command("capture.start", { kinds: ["recording"] })
  const push = (...segments: ReadonlyArray<object>) =>
    house.call("POST", `/v1/events/${event.id}/transcript-segments`, { segments })
  const room = mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })
  house.livekit.enter(room, "somebody")
  const egress = await house.egressOf(room)
  const began = Number(egress.startedAt.slice(0, -6)) - Date.parse(event.startedAt)
  await host.command("capture.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the end of the recording")
  await house.complete(egress)
  await house.tell(egress)
  const [{ id, status }] = (await house.settled(event)) as [Json]
  expect(status).toBe("ready")
  await push(said("1", began + 900, "the last words"), said("2", began + 60_000, "after the recording"))
  const transcript = async (): Promise<Json> => (await house.call("GET", `/v1/recordings/${id}/transcript`)).body
  await eventually(async () => (await transcript()).segments !== undefined, "the transcript is made anew")
  expect((await transcript()).segments).toMatchObject([{ text: "the last words" }])
  await host.cut()
})

test("late words are taken when the next phase has begun, and refused for other rooms and after half a minute", async () => {
  const { event, host, person, table, push } = await openTable()
  await host.command("phase.next", {})
  expect(await push(said("1", 100, "the last words", table))).toMatchObject({ status: 200, body: { accepted: 1 } })
  expect((await house.call("GET", `/v1/events/${event.id}/tables/${table}/summary/draft`)).body).toMatchObject({
    stats: { totalWords: 3 },
  })
  expect((await push(said("2", 100, "nowhere", "nowhere"))).status).toBe(404)
  // The next phase has no transcript.
  expect((await push(said("3", 100, "late", table), said("4", 100, "to all"))).status).toBe(409)
  for (const one of [host, person]) await one.cut()
  const rows = rowsOf(house.server.databaseUrl)
  const closedAgo = (seconds: number) =>
    rows.run(`
      update live_records set body = jsonb_set(body, '{0,at}', to_jsonb(floor(extract(epoch from now()) * 1000 - ${seconds * 1000})))
       where event_id = '${event.id}' and kind = 'closedRooms'`)
  expect((await closedAgo(20)).count).toBe(1)
  house.server = await house.server.restart()
  expect((await push(said("5", 100, "later", table))).status).toBe(200)
  await closedAgo(31)
  await rows.end()
  house.server = await house.server.restart()
  expect((await push(said("6", 100, "too late", table))).status).toBe(404)
})
