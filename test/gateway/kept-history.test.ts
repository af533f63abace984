/** The kept history of an ended event, replayed by the gateway: as the audience saw it, in its order, and for nobody who may not see it. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type EventState, GatewayClient } from "../../packages/client/src/entry.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetKept, keptSince } from "../../src/store/live/kept-history.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { eraseAt } from "../../src/store/personal/erasures.ts"
import { type JumpingClock, openJumpingClock } from "../support/jumping-clock.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House
let clock: JumpingClock

beforeAll(async () => {
  clock = openJumpingClock()
  house = await openHouse({ clock: clock.clock })
})
afterAll(() => house.stop())

const FEATURES = ["chat", "qa", "polls", "transcript"] as const
const SECOND = 1000

const sweep = (limit = 1000) => forgetPublications(house.actors.sql, toTimestamp(Date.now() + 3_600_000), limit)

/** A public event that is about to start. */
const prepare = async (history: "kept" | "brief" = "kept"): Promise<Stage> => {
  const phases = [
    { modality: "broadcast" as const, config: { durationSeconds: 600 }, featureSet: FEATURES },
    { modality: "meeting" as const, featureSet: FEATURES },
  ]
  const stage = await house.stage(phases, "scheduled")
  await house.actors.sql`update events set visibility = 'public', history = ${history} where id = ${stage.eventId}`
  return stage
}

const tokenOf = (stage: Stage, who: string, replay: boolean) =>
  house.token(stage, who, "viewer", { kind: "anonymous", ...(replay && { replay }) })

const openClient = (stage: Stage, more: Partial<ConstructorParameters<typeof GatewayClient>[0]> = {}): GatewayClient => {
  const client = new GatewayClient({
    token: async () => ({
      token: await tokenOf(stage, "anon:viewer", more.replay !== undefined),
      url: house.url,
      expiresAt: toTimestamp(Date.now() + 60_000),
    }),
    transport: "websocket",
    ...more,
  })
  onTestFinished(() => client.close())
  return client
}

/** What the audience sees; counts of people are not kept. */
const seenIn = (state: EventState | undefined) =>
  state && {
    event: state.event,
    phases: state.phases,
    timers: state.timers,
    chat: state.chat,
    questions: state.questions.all,
    polls: state.polls.all,
    stage: "staff" in state.presence ? state.presence.staff : undefined,
    captions: state.transcript,
    capture: state.capture,
  }

const startedAtOf = async ({ eventId }: Stage): Promise<number> => {
  const [row] = await house.actors.sql<{ startedAt: string }[]>`select started_at from events where id = ${eventId}`
  return Date.parse(row?.startedAt ?? "")
}

interface Moment {
  /** Milliseconds since the start of the event. */
  readonly at: number
  /** What a viewer who was there saw then. */
  readonly seen: ReturnType<typeof seenIn>
}

interface Told {
  readonly stage: Stage
  readonly moments: ReadonlyArray<Moment>
  readonly withdrawn: string
}

/** A whole event of five minutes, and what a live viewer saw at some of its moments. Part of it has been swept while it took place. */
const tellStory = async (): Promise<Told> => {
  const { actors } = house
  const stage = await prepare()
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const began = await startedAtOf(stage)
  const viewer = openClient(stage)
  await viewer.connect()
  const host = await house.join(stage, "hana", "host")
  const guest = await house.join(stage, "gus", "participant")
  const moments: Moment[] = []
  const pass = async (what: (state: EventState) => boolean, seconds = 60) => {
    await eventually(() => viewer.state !== undefined && what(viewer.state), "the viewer having seen it", 8000).catch((e) => { console.log(JSON.stringify([viewer.status, viewer.state], null, 1).slice(0, 6000)); throw e })
    moments.push({ at: actors.clock.now() - began, seen: structuredClone(seenIn(viewer.state)) })
    actors.clock.jump(seconds * SECOND)
  }
  const done = async (client: Client, t: string, d: object): Promise<Frame> => {
    const reply = await client.command(t, d)
    expect(reply, t).toMatchObject({ ok: true })
    return reply.d
  }
  await done(guest, "chat.send", { to: "event", text: "Good morning" })
  await pass(({ chat, presence }) => chat.event.length === 1 && "staff" in presence && presence.staff.length === 1)
  const { question } = await done(guest, "question.ask", { text: "Is there a replay?" })
  await done(host, "question.answer", { id: question.id, mode: "text", text: "There is one." })
  await done(host, "transcript.push", {
    segments: [{ segment: "s1", t0: 0, t1: 900, text: "Welcome.", final: true, speaker: "Hana", lang: "en" }],
  })
  await pass(({ questions, transcript }) => questions.all[0]?.answer === "There is one." && transcript.segments.length === 1)
  expect(await sweep(3)).toBe(3)
  const { poll } = await done(host, "poll.create", { question: "Well?", kind: "single", options: ["Yes", "No"], results: "live" })
  await done(host, "poll.open", { id: poll.id })
  const { message } = await done(guest, "chat.send", { to: "event", text: "Taken back" })
  await pass(({ polls, chat }) => polls.all[0]?.status === "open" && chat.event.length === 2)
  await done(host, "chat.delete", { id: message.id })
  await done(host, "poll.close", { id: poll.id })
  await done(host, "chat.send", { to: "staff", text: "Nobody else reads this" })
  await actors.execute(stage.eventId, { type: "phase.next", d: {} })
  await pass(({ polls, phases, chat }) => polls.all[0]?.status === "closed" && phases[1]?.status === "active" && chat.event.length === 1)
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  await eventually(() => viewer.status === "closed", "the end")
  moments.push({ at: actors.clock.now() - began, seen: structuredClone(seenIn(viewer.state)) })
  return { stage, moments, withdrawn: message.id }
}

let story: Promise<Told> | undefined
const told = (): Promise<Told> => {
  story ??= tellStory()
  return story
}

/** What replays from these moments show. */
const expectReplays = async (stage: Stage, moments: ReadonlyArray<Moment>): Promise<void> => {
  for (const { at, seen } of moments) {
    const client = openClient(stage, { replay: { from: at, speed: 0 } })
    const states: Array<ReturnType<typeof seenIn>> = []
    client.on("state", (state) => states.push(seenIn(state)))
    client.connect().catch(() => {})
    const isThere = () => JSON.stringify(states.at(-1)) === JSON.stringify(seen)
    await eventually(isThere, `the state at ${at}`, 8000).catch(() => expect(states.at(-1)).toEqual(seen))
    client.close()
  }
}

const without = (withdrawn: string) => (moment: Moment): Moment =>
  moment.seen === undefined
    ? moment
    : {
        ...moment,
        seen: {
          ...moment.seen,
          chat: { ...moment.seen.chat, event: moment.seen.chat.event.filter(({ id }) => id !== withdrawn) },
        },
      }

test("a replay that begins in the middle has the state that a live viewer had at that moment, before and after all sweeps", async () => {
  const { stage, moments, withdrawn } = await told()
  expect(moments.map(({ seen }) => seen?.chat.event.length)).toEqual([1, 1, 2, 1, 1])
  await expectReplays(stage, moments)
  while ((await sweep()) > 0);
  expect(await house.actors.sql`select 1 from publications where event_id = ${stage.eventId}`).toHaveLength(0)
  // A message that a host deleted is not kept, so that it does not come back.
  await expectReplays(stage, moments.map(without(withdrawn)))
  const kept = await house.actors.sql<{ frame: string; stream: string }[]>`
    select frame, stream from kept_publications where event_id = ${stage.eventId}`
  const withIt = kept.filter(({ frame }) => frame.includes(withdrawn))
  expect(withIt.map(({ frame }) => JSON.parse(frame).t)).toEqual(["chat.deleted"])
  expect(new Set(kept.map(({ stream }) => stream))).toEqual(new Set(["event", "stage"]))
  expect(kept.some(({ frame }) => frame.includes("Nobody else reads this"))).toBe(false)
})
