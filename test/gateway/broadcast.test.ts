/** On the air: over the gateway and over REST, which are one road, with the webhooks that belong to it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startActors } from "../support/live-events.ts"
import { eventually } from "../support/wait.ts"
import type { Frame } from "./client.ts"
import { refused } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse(
    {},
    { playbackUrlOf: ({ broadcastId }) => `https://video.test/${broadcastId}.m3u8`, recorder: "events" },
  )
})
afterAll(() => house.stop())

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TWO = [{ modality: "broadcast" }, { modality: "broadcast" }, { modality: "meeting" }] as const

const open = async (phases: Parameters<House["stage"]>[0] = TWO) => {
  const stage = await house.stage(phases)
  await house.actors.sql`update webhook_endpoints set event_types = '{}' where workspace_id = ${stage.workspaceId}`
  const host = await house.join(stage, "host", "host")
  const viewer = await house.join(stage, "viewer", "viewer")
  return { stage, host, viewer }
}

/** A newcomer's snapshot may be a moment old, and dispatches follow it. */
const newcomerIsTold = (stage: Stage, fits: (ready: Frame) => boolean): Promise<void> =>
  eventually(async () => fits((await house.connect().identify(await house.token(stage, "late", "viewer"))).d))

const notices = async (stage: Stage): Promise<ReadonlyArray<object>> => {
  const rows = await house.actors.sql`
    select body from outbox_messages
     where event_id = ${stage.eventId} and type like 'broadcast.%' order by occurred_at, id`
  return rows.map(({ ["body"]: body }) => JSON.parse(String(body)))
}

test("goes live, pauses, goes on and stops, with dispatches to everyone and webhooks", async () => {
  const { stage, host, viewer } = await open()
  const started = await host.command("broadcast.start", {}, { id: "go" })
  const { broadcastId, playbackUrl } = started.d.broadcast
  expect(started.d.broadcast).toMatchObject({ status: "live", phaseId: stage.phaseIds[0] })
  expect(broadcastId).toMatch(UUID_V7)
  expect(playbackUrl).toBe(`https://video.test/${broadcastId}.m3u8`)
  expect((await viewer.dispatch("broadcast.live")).d.broadcast).toEqual(started.d.broadcast)
  expect(await host.command("broadcast.start", {}, { id: "go" })).toEqual({ ...started, dup: true })
  expect((await host.command("broadcast.start")).d.broadcast).toEqual(started.d.broadcast)
  await host.command("broadcast.pause", { phaseId: stage.phaseIds[0] })
  expect((await viewer.dispatch("broadcast.paused")).d.broadcast).toMatchObject({ broadcastId, status: "paused" })
  await host.command("broadcast.resume")
  await viewer.dispatch("broadcast.live")
  await newcomerIsTold(stage, ({ broadcast }) => broadcast?.status === "live" && broadcast.playbackUrl === playbackUrl)
  await host.command("broadcast.stop")
  expect((await viewer.dispatch("broadcast.ended")).d.broadcast).toMatchObject({ broadcastId, status: "ended" })
  expect(await host.command("broadcast.start")).toMatchObject(refused("conflict"))
  const base = { broadcastId, phaseId: stage.phaseIds[0], eventId: stage.eventId }
  expect(await notices(stage)).toMatchObject([
    { type: "broadcast.live", ...base, playbackUrl },
    { type: "broadcast.paused", ...base },
    { type: "broadcast.live", ...base, playbackUrl },
  ])
})

describe("a broadcast", () => {
  test("ends with its phase, and the next one is another", async () => {
    const { host, viewer } = await open()
    const first = (await host.command("broadcast.start", { playbackUrl: "https://elsewhere.test/a" })).d.broadcast
    expect(first.playbackUrl).toBe("https://elsewhere.test/a")
    await host.command("phase.next")
    expect((await viewer.dispatch("broadcast.ended")).d.broadcast.broadcastId).toBe(first.broadcastId)
    expect((await host.command("broadcast.start")).d.broadcast.broadcastId).not.toBe(first.broadcastId)
  })

  test("survives a kill", async () => {
    const { stage, host } = await open()
    const { broadcast } = (await host.command("broadcast.start")).d
    const again = await startActors(house.databaseUrl)
    try {
      const paused = await again.execute(stage.eventId, { type: "broadcast.pause", d: {} })
      expect(paused.result["broadcast"]).toMatchObject({ broadcastId: broadcast.broadcastId, status: "paused" })
    } finally {
      await again.stop()
    }
  })

  test("is only of the active phase, with an address that can be played", async () => {
    const { stage, host } = await open()
    for (const verb of ["pause", "resume", "stop"]) {
      expect(await host.command(`broadcast.${verb}`)).toMatchObject(refused("conflict"))
    }
    expect(await host.command("broadcast.start", { phaseId: stage.phaseIds[1] })).toMatchObject(refused("conflict"))
    expect(await host.command("broadcast.start", { phaseId: stage.eventId })).toMatchObject(refused("not_found"))
    for (const playbackUrl of ["ftp://x", "nonsense", `https://x/${"y".repeat(3000)}`]) {
      expect(await host.command("broadcast.start", { playbackUrl })).toMatchObject(refused("bad_request"))
    }
  })
})

describe("capture", () => {
  const CAPTURED = [{ modality: "meeting", featureSet: ["capture", "transcript"] }] as const
  const segment = { segment: "s1", speaker: "Ada", lang: "en", t0: 0, t1: 900, text: "Hello" }

  test("is shown to everyone from its start to its stop, and to newcomers", async () => {
    const { stage, host, viewer } = await open(CAPTURED)
    expect(await host.command("capture.start", { kinds: ["transcript", "recording"] })).toMatchObject({ ok: true })
    expect((await viewer.dispatch("capture.state")).d).toMatchObject({ on: true, kinds: ["recording", "transcript"] })
    await newcomerIsTold(stage, ({ capture }) => capture.on)
    await host.command("capture.stop")
    expect((await viewer.dispatch("capture.state")).d).toEqual({ on: false, kinds: [], since: null })
  })

  test("started by two hosts at once begins once, and both get the same reply", async () => {
    const { stage, host, viewer } = await open(CAPTURED)
    const second = await house.join(stage, "second", "host")
    const kinds = ["transcript", "recording"]
    const replies = await Promise.all([host, second].map((one) => one.command("capture.start", { kinds })))
    expect(replies).toMatchObject([{ ok: true }, { ok: true }])
    expect(replies[0].d).toEqual(replies[1].d)
    await second.command("capture.stop")
    await viewer.next(({ t, d }) => t === "capture.state" && !d.on, "the end")
    expect(viewer.received.filter(({ t }) => t === "capture.state").map(({ d }) => d.on)).toEqual([true, false])
  })

  test("of speech keeps final segments in their place; interim ones may be muted", async () => {
    const { stage, host, viewer } = await open(CAPTURED)
    const deaf = house.connect()
    await deaf.hello()
    deaf.send({ op: 2, d: { token: await house.token(stage, "deaf", "viewer"), mute: ["transcript"] } })
    await deaf.dispatch("ready")
    await host.command("transcript.push", { segments: [{ ...segment, final: false, text: "Hel" }] })
    expect(await viewer.dispatch("transcript.interim")).toMatchObject({ d: { text: "Hel" } })
    await host.command("transcript.push", { segments: [{ ...segment, final: true }] })
    expect(await viewer.dispatch("transcript.segment")).toMatchObject({ st: "event", d: { text: "Hello" } })
    await deaf.dispatch("transcript.segment")
    expect(deaf.received.some(({ t }) => t === "transcript.interim")).toBe(false)
  })
})

describe("reactions", () => {
  const CHEERFUL = [{ modality: "broadcast", featureSet: ["reactions"] }] as const

  test("of all are sent as one tally, and to no participant who muted them", async () => {
    const { stage, host, viewer } = await open(CHEERFUL)
    const deaf = house.connect()
    await deaf.hello()
    deaf.send({ op: 2, d: { token: await house.token(stage, "deaf", "viewer"), mute: ["reactions"] } })
    await deaf.dispatch("ready")
    const anonymous = await house.join(stage, "anon:1", "viewer", { kind: "anonymous" })
    const sent = await Promise.all([
      viewer.command("reaction.send", { kind: "clap", n: 3 }),
      anonymous.command("reaction.send", { kind: "clap" }),
      host.command("reaction.send", { kind: "fire", n: 10 }),
    ])
    expect(sent.every(({ ok }) => ok)).toBe(true)
    const received = { clap: 0, fire: 0 }
    await viewer.next(({ t, d }) => {
      if (t !== "reaction.tally") return false
      received.clap += d.counts.clap ?? 0
      received.fire += d.counts.fire ?? 0
      return received.clap + received.fire >= 14
    }, "all reactions")
    expect(received).toEqual({ clap: 4, fire: 10 })
    await host.command("announce", { text: "thanks" })
    await deaf.dispatch("announcement")
    expect(deaf.received.some(({ t }) => t === "reaction.tally")).toBe(false)
  })

  test("are bounded in kind and number", async () => {
    const { viewer } = await open(CHEERFUL)
    for (const d of [{ kind: "shrug" }, { kind: "love", n: 0 }, { kind: "love", n: 11 }, {}]) {
      expect(await viewer.command("reaction.send", d)).toMatchObject(refused("bad_request"))
    }
  })
})

describe("a mute", () => {
  const QA = [{ modality: "meeting", featureSet: ["qa"] }] as const

  test("keeps a participant from asking until it is over, and they are notified", async () => {
    const stage = await house.stage(QA)
    const host = await house.join(stage, "host", "host")
    const loud = await house.join(stage, "loud")
    expect(await host.command("participant.mute", { id: "loud" })).toMatchObject({ ok: true, d: { muted: true } })
    expect((await loud.dispatch("me.muted")).d).toEqual({ muted: true, until: null })
    expect(await loud.command("question.ask", { text: "Why?" })).toMatchObject(refused("muted"))
    const again = await house.connect().identify(await house.token(stage, "loud"))
    expect(again.d.muted).toEqual({ until: null })
    await host.command("participant.mute", { id: "loud", on: false })
    expect((await loud.dispatch("me.muted")).d).toEqual({ muted: false, until: null })
    expect(await loud.command("question.ask", { text: "Why?" })).toMatchObject({ ok: true })
    await host.command("participant.mute", { id: "loud", until: "2020-01-01T00:00:00Z" })
    expect(await loud.command("question.ask", { text: "Why not?" })).toMatchObject({ ok: true })
  })
})
