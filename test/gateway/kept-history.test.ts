/** The kept history of an ended event, replayed by the gateway: as the audience saw it, in its order, and for nobody who may not see it. */

import { Effect } from "effect"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type EventState, GatewayClient } from "../../packages/client/src/entry.ts"
import { ownCommand } from "../../src/actors/commands.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
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

const openClient = (
  stage: Stage,
  more: Partial<ConstructorParameters<typeof GatewayClient>[0]> = {},
): GatewayClient => {
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
  /** What a live viewer received on the stream of everyone. */
  readonly dispatches: ReadonlyArray<Frame>
}

/** A whole event of five minutes, and what a live viewer saw at some of its moments. Part of it has been swept while it took place. */
const tellStory = async (): Promise<Told> => {
  const { actors } = house
  const stage = await prepare()
  const viewer = openClient(stage)
  await viewer.connect()
  const dispatches: Frame[] = []
  viewer.on("dispatch", (dispatch) => {
    if ("st" in dispatch && dispatch.st === "event" && "ts" in dispatch && dispatch.ts > 0) dispatches.push(dispatch)
  })
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const began = await startedAtOf(stage)
  const host = await house.join(stage, "hana", "host")
  const guest = await house.join(stage, "gus", "participant")
  const moments: Moment[] = []
  const pass = async (what: (state: EventState) => boolean, seconds = 60) => {
    await eventually(() => viewer.state !== undefined && what(viewer.state), "the viewer having seen it")
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
  await pass(
    ({ questions, transcript }) => questions.all[0]?.answer === "There is one." && transcript.segments.length === 1,
  )
  expect(await sweep(3)).toBe(3)
  const { poll } = await done(host, "poll.create", {
    question: "Well?",
    kind: "single",
    options: ["Yes", "No"],
    results: "live",
  })
  await done(host, "poll.open", { id: poll.id })
  const { message } = await done(guest, "chat.send", { to: "event", text: "Taken back" })
  await pass(({ polls, chat }) => polls.all[0]?.status === "open" && chat.event.length === 2)
  await done(host, "chat.delete", { id: message.id })
  await done(host, "poll.close", { id: poll.id })
  await done(host, "chat.send", { to: "staff", text: "Nobody else reads this" })
  await actors.execute(stage.eventId, { type: "phase.next", d: {} })
  await pass(
    ({ polls, phases, chat }) =>
      polls.all[0]?.status === "closed" && phases[1]?.status === "active" && chat.event.length === 1,
  )
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  await eventually(() => viewer.status === "closed", "the end")
  moments.push({ at: actors.clock.now() - began, seen: structuredClone(seenIn(viewer.state)) })
  return { stage, moments, withdrawn: message.id, dispatches }
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
    await eventually(isThere, `the state at ${at}`).catch(() => expect(states.at(-1)).toEqual(seen))
    client.close()
  }
}

const without =
  (withdrawn: string) =>
  (moment: Moment): Moment =>
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
  // A message that a host deleted does not come back, also before the sweep deletes it.
  await expectReplays(stage, moments.map(without(withdrawn)))
  while ((await sweep()) > 0);
  expect(await house.actors.sql`select 1 from publications where event_id = ${stage.eventId}`).toHaveLength(0)
  await expectReplays(stage, moments.map(without(withdrawn)))
  const kept = await house.actors.sql<{ frame: string; stream: string }[]>`
    select frame, stream from kept_publications where event_id = ${stage.eventId}`
  const withIt = kept.filter(({ frame }) => frame.includes(withdrawn))
  expect(withIt.map(({ frame }) => JSON.parse(frame).t)).toEqual(["chat.deleted"])
  expect(new Set(kept.map(({ stream }) => stream))).toEqual(new Set(["event", "stage"]))
  expect(kept.some(({ frame }) => frame.includes("Nobody else reads this"))).toBe(false)
})

test("what was taken back is in no replay, before, between and after the sweeps, and a question that is shown again is", async () => {
  const { actors } = house
  const stage = await prepare()
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const host = await house.join(stage, "hana", "host")
  const guest = await house.join(stage, "gus", "participant")
  const ask = async (text: string): Promise<string> => (await guest.command("question.ask", { text })).d.question.id
  const [hidden, withdrawn, restored] = [await ask("Hidden?"), await ask("Withdrawn?"), await ask("Restored?")]
  const { message } = (await guest.command("chat.send", { to: "event", text: "Deleted" })).d
  const { message: stays } = (await guest.command("chat.send", { to: "event", text: "Stays" })).d
  await host.command("question.answer", { id: hidden, mode: "text", text: "Hidden answer" })
  while ((await sweep()) > 0);
  await host.command("question.pin", { id: hidden })
  for (const [client, t, id] of [
    [host, "question.hide", hidden],
    [guest, "question.withdraw", withdrawn],
    [host, "question.hide", restored],
    [host, "question.restore", restored],
    [host, "chat.delete", message.id],
  ] as const) {
    expect(await client.command(t, { id }), t).toMatchObject({ ok: true })
  }
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  for (const page of [0, 6, 1000]) {
    if (page > 0) while ((await sweep(page)) === page);
    const client = await openReplay(stage, { from: 3_600_000 })
    expect(await client.closeCode()).toBe(4307)
    const shown = client.received.flatMap(({ d }) => d?.message?.id ?? d?.question?.id ?? [])
    expect(new Set(shown)).toEqual(new Set([restored, stays.id]))
    expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
  }
})

test("a message that was deleted by a clock that was put back is not kept, and many deletions are one statement", async () => {
  const { sql } = house.actors
  const stage = await prepare()
  const say = (version: number, minutesAgo: number, t: string, d: object) => sql`
    insert into publications (event_id, stream, s, version, frame, at)
    values (${stage.eventId}, 'event', ${version}, ${version}, ${JSON.stringify({ op: 0, st: "event", s: version, v: version, ts: 1, t, d })},
            ${toTimestamp(Date.now() - minutesAgo * 60_000)})`
  const ids = ["a", "b", "c"]
  for (const [n, id] of ids.entries()) await say(101 + n, 10, "chat.message", { message: { id } })
  await say(104, 20, "chat.deleted", { ids: ["a"] })
  await say(105, 5, "chat.deleted", { ids: ["b"] })
  await say(106, 4, "chat.deleted", { ids: ["c"] })
  await say(107, 3, "chat.message", { message: { id: "d" } })
  const statements: string[] = []
  const counted = new Proxy(sql, {
    apply: (target, self, given) => {
      statements.push(String(given[0]))
      return Reflect.apply(target, self, given)
    },
  })
  const kept = async () => {
    const rows = await sql<{ version: number }[]>`
      select version from kept_publications where event_id = ${stage.eventId} and version > 100 order by version`
    return rows.map(({ version }) => Number(version))
  }
  const sweepUntil = (minutesAgo: number) =>
    forgetPublications(counted, toTimestamp(Date.now() - minutesAgo * 60_000), 1000)
  await sweepUntil(15)
  expect(await kept()).toEqual([104])
  await sweepUntil(8)
  expect(await kept()).toEqual([102, 103, 104])
  statements.length = 0
  await sweepUntil(2)
  expect(await kept()).toEqual([104, 105, 106, 107])
  expect(statements).toHaveLength(2)
})

test("two sweeps at once keep every dispatch once, as does one that stopped between two pages", async () => {
  const { sql } = house.actors
  const stage = await prepare()
  await sql`
    insert into publications (event_id, stream, s, version, frame, at)
    select ${stage.eventId}, 'event', 1000 + n, 1000 + n, '{"t":"announcement","d":{}}', now() - interval '1 hour'
      from generate_series(1, 500) as g(n)`
  await sql
    .begin(async (within) => {
      await forgetPublications(within, toTimestamp(Date.now()), 50)
      throw new Error("The process ends before the commit.")
    })
    .catch(() => {})
  const all = async () => {
    while ((await sweep(7)) > 0);
  }
  await Promise.all([all(), all(), all()])
  await all()
  const rows = await sql<{ n: number; versions: number }[]>`
    select count(*)::integer as n, count(distinct version)::integer as versions from kept_publications
     where event_id = ${stage.eventId} and version > 1000`
  expect(rows[0]).toEqual({ n: 500, versions: 500 })
})

test("the client goes to a place that a player tells in fractions, or before the start", async () => {
  const { stage } = await told()
  const began = await startedAtOf(stage)
  const client = openClient(stage, { replay: { from: 1500.25, speed: 0 } })
  await client.connect()
  expect(client.clock.now()).toBeCloseTo(began + 1500, -2)
  await client.replay({ from: -20.5, speed: 0 })
  expect(client.clock.now()).toBeCloseTo(began, -2)
})

test("a participant has as many replays at once as connections to a live event, and the oldest makes room", async () => {
  const { stage } = await told()
  const open = async (who: string): Promise<Client> => {
    const client = await openReplay(stage, { from: 0, speed: 0 }, who)
    await client.dispatch("ready")
    return client
  }
  const other = await open("anon:patient")
  const own: Client[] = []
  for (let n = 0; n < 6; n++) own.push(await open("anon:hasty"))
  expect(await own[0]?.closeCode()).toBe(4305)
  for (const client of [other, ...own.slice(1)]) expect((await heartbeat(client)).t0).toBe(1)
  own[1]?.socket.close()
  await own[1]?.closed
  const next = await open("anon:hasty")
  for (const client of [...own.slice(2), next]) expect((await heartbeat(client)).t0).toBe(1)
})

/** A socket that replays. */
const openReplay = async (stage: Stage, replay: object, who = "anon:socket"): Promise<Client> => {
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await tokenOf(stage, who, true), replay } })
  return client
}

const heartbeat = async (client: Client): Promise<Frame> => {
  client.send({ op: 1, d: { t0: 1 } })
  return (await client.next(({ op }) => op === 11, "an answer to a heartbeat")).d
}

test("dispatches come in their order when their time has come, at the speed of the replay, under numbers without a gap", async () => {
  const { stage, dispatches, withdrawn } = await told()
  while ((await sweep()) > 0);
  const began = await startedAtOf(stage)
  const client = await openReplay(stage, { from: 30 * SECOND, speed: 2 })
  const { d: ready } = await client.dispatch("ready")
  expect(ready).toMatchObject({ resumed: false, v: 0, cursors: { event: 0, stage: 0 } })
  expect(ready.serverTime).toBeGreaterThanOrEqual(began + 30 * SECOND)
  expect(ready.me).toMatchObject({ role: "viewer", can: [], chatTo: [] })
  const isKept = ({ d }: Frame) => d.message?.id !== withdrawn
  const expected = dispatches.filter(isKept).map(({ t, ts }) => [t, ts])
  for (let round = 0; round < 4; round++) {
    const { t2 } = await heartbeat(client)
    const received = client.ordered("event")
    const due = expected.filter(([, ts]) => ts <= t2 - 2 * SECOND)
    await eventually(() => client.ordered("event").length >= due.length, "everything that was due")
    // The time that is told is that of the answer, which came after these.
    expect(received.every(({ ts }) => ts <= t2)).toBe(true)
    expect(client.ordered("event").map(({ t, ts }) => [t, ts])).toEqual(
      expected.slice(0, client.ordered("event").length),
    )
    clock.jump(30 * SECOND)
  }
  expect(await client.closeCode()).toBe(4307)
  expect(client.ordered("event").map(({ t, ts }) => [t, ts])).toEqual(expected)
  for (const stream of ["event", "stage"]) {
    expect(client.ordered(stream).map(({ s }) => s)).toEqual(client.ordered(stream).map((_, n) => n + 1))
  }
})

test("a socket that replays takes no commands, gets nothing else, and is nobody at the event", async () => {
  const { stage } = await told()
  const client = await openReplay(stage, { from: 0, speed: 0 })
  await client.dispatch("ready")
  for (const command of ["chat.send", "sync", "roster.list", "leave", "no.such"]) {
    expect(await client.command(command, {})).toMatchObject({ ok: false, e: { code: "event_ended" } })
  }
  const before = client.received.length
  await house.actors.execute(stage.eventId, { type: "event.patch", d: { title: "Renamed" } })
  const { t1, t2, heads } = await heartbeat(client)
  expect([t1, t2, heads]).toEqual([await startedAtOf(stage), await startedAtOf(stage), {}])
  expect(client.received.slice(before).map(({ op }) => op)).toEqual([11])
  client.send({ op: 12, id: "new", d: { token: await tokenOf(stage, "anon:socket", true) } })
  expect(await client.next(({ op }) => op === 4, "the answer to a token")).toMatchObject({
    ok: true,
    d: { role: "viewer" },
  })
  client.send({ op: 12, id: "other", d: { token: await tokenOf(stage, "anon:socket", false) } })
  expect(await client.next(({ id }) => id === "other", "the answer to a token")).toMatchObject({
    e: { code: "forbidden" },
  })
})

test("nothing is replayed of an event that is brief, live, private or unknown, or without the token for it", async () => {
  const { stage } = await told()
  const { actors } = house
  const place = { from: 0 }
  const brief = await prepare("brief")
  await actors.execute(brief.eventId, { type: "event.start", d: {} })
  expect(await (await openReplay(brief, place)).closeCode()).toBe(4303)
  await actors.execute(brief.eventId, { type: "event.end", d: {} })
  const closed = await (await openReplay(brief, place)).closed
  expect(closed).toEqual({ code: 4303, reason: "The history of the event is not kept, or not any more." })
  const live = await prepare()
  await actors.execute(live.eventId, { type: "event.start", d: {} })
  expect(await (await openReplay(live, place)).closed).toEqual({ code: 4303, reason: "The event has not ended." })
  const unknown = { ...stage, eventId: "01a228bc-0000-7240-bb49-947484f0b972" }
  expect(await (await openReplay(unknown, place)).closeCode()).toBe(4308)
  const watched = await openReplay(stage, { ...place, speed: 0 })
  await watched.dispatch("ready")
  await actors.execute(stage.eventId, { type: "event.patch", d: { visibility: "private" } })
  expect(await (await openReplay(stage, place)).closeCode()).toBe(4203)
  // An open replay looks again every minute.
  clock.jump(61 * SECOND)
  expect(await watched.closeCode()).toBe(4203)
  await actors.execute(stage.eventId, { type: "event.patch", d: { visibility: "public" } })
  for (const [isReplay, given] of [
    [false, { replay: place }],
    [true, {}],
  ] as const) {
    const client = house.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await tokenOf(stage, "anon:other", isReplay), ...given } })
    expect(await client.closeCode()).toBe(4303)
  }
})

test.each([[{}], [{ from: -1 }], [{ from: 1.5 }], [{ from: "0" }], [{ from: 0, speed: -1 }], [{ from: 0, speed: 17 }]])(
  "a place like %j is no place to replay from",
  async (place) => {
    const { stage } = await told()
    const { code, reason } = await (await openReplay(stage, place)).closed
    expect([code, reason.startsWith("identify: ")]).toEqual([4300, true])
  },
)

test("an event stream replays as a socket does, and takes its place from the address", async () => {
  const { stage, moments } = await told()
  const token = await tokenOf(stage, "anon:stream", true)
  const stream = house.connectStream({ token, query: `?from=${moments[0]?.at}&speed=0` })
  expect((await stream.dispatch("chat.message")).d.message.text).toBe("Good morning")
  expect(stream.received.some(({ t }) => t === "question.created")).toBe(false)
  expect(await house.connectStream({ token, query: "?from=soon" }).closeCode()).toBe(4300)
  const client = openClient(stage, { transport: "sse", replay: { from: moments[0]?.at ?? 0, speed: 0 } })
  await client.connect()
  await eventually(() => client.state?.chat.event[0]?.text === "Good morning", "the message over a stream")
  expect((await client.replay({ from: moments[1]?.at ?? 0, speed: 0 })).event.id).toBe(stage.eventId)
  await eventually(() => client.state?.questions.all[0]?.answer === "There is one.", "the answer over a stream")
  await client.replay({ from: moments[0]?.at ?? 0, speed: 0 })
  await eventually(() => client.state?.chat.event.length === 1, "the earlier place")
  expect([client.state?.questions.all, client.state?.transcript.segments]).toEqual([[], []])
  expect(client.clock.now()).toBeCloseTo((await startedAtOf(stage)) + (moments[0]?.at ?? 0), -3)
})

test("a slow client gets a long history whole and in order, and is not closed for it", async () => {
  const stage = await prepare()
  const { actors } = house
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  while ((await sweep()) > 0);
  const many = 6000
  await actors.sql`
    insert into kept_publications (event_id, version, stream, s, frame, at)
    select ${stage.eventId}, 100 + n, 'event', 100 + n,
           '{"op":0,"st":"event","s":' || 100 + n || ',"v":1,"ts":1,"t":"announcement","d":{"id":"' || gen_random_uuid()
             || '","by":null,"at":"2026-01-01T00:00:00.000Z","text":"' || n || repeat('x', 2000) || '"}}', now() - interval '1 hour'
      from generate_series(1, ${many}::integer) as g(n)`
  const client = await openReplay(stage, { from: 0, speed: 1 })
  await client.dispatch("ready")
  client.socket.pause()
  client.socket.resume()
  expect(await client.closeCode()).toBe(4307)
  const told = client.ordered("event").filter(({ t }) => t === "announcement")
  expect(told.map(({ d }) => Number.parseInt(d.text, 10))).toEqual(Array.from({ length: many }, (_, n) => n + 1))
  expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
})

test("an erased person is in no replay: their messages are gone, and their name is nowhere", async () => {
  const { stage } = await told()
  while ((await sweep()) > 0);
  const frames = async () => {
    const rows = await house.actors.sql<
      { frame: string }[]
    >`select frame from kept_publications where event_id = ${stage.eventId}`
    return rows.map(({ frame }) => frame)
  }
  const naming = async (name: string) => (await frames()).filter((frame) => frame.includes(name)).length
  expect([await naming("Name of gus"), await naming("Name of hana")].every((count) => count > 0)).toBe(true)
  await eraseAt(house.actors.sql, { eventIds: [stage.eventId], participantIds: ["gus", "hana"] })
  expect([await naming("Name of"), await naming("Good morning")]).toEqual([0, 0])
  const client = await openReplay(stage, { from: 3_600_000 })
  expect(await client.closeCode()).toBe(4307)
  const { question } = (await client.received.find(({ t }) => t === "question.created")).d
  expect(question).toMatchObject({ text: "Is there a replay?", authorId: null, authorName: null, anonymous: true })
  expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
  const staged = client.ordered("stage").flatMap(({ d }) => d.join.map(({ name }: Frame) => name))
  expect(new Set(staged)).toEqual(new Set(["Removed person"]))
})

test("a person is in no replay from the beginning of their erasure, while what they said waits for the sweep", async () => {
  const { actors } = house
  const stage = await prepare()
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const guest = await house.join(stage, "erased-guest", "participant")
  await guest.command("chat.send", { to: "event", text: "Said" })
  await guest.command("question.ask", { text: "Asked?" })
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  await actors.sql`
    insert into erasures (id, workspace_id, participant_ids, due_at)
    select gen_random_uuid(), workspace_id, '{erased-guest}', now() + interval '1 hour' from events where id = ${stage.eventId}`
  const client = await openReplay(stage, { from: 3_600_000 })
  expect(await client.closeCode()).toBe(4307)
  const { question } = client.received.find(({ t }) => t === "question.created")?.d ?? {}
  expect(question).toMatchObject({ text: "Asked?", authorId: null, authorName: null, anonymous: true })
  expect(client.received.some(({ t }) => t === "chat.message")).toBe(false)
  expect(JSON.stringify(client.received)).not.toContain("Name of erased-guest")
})

test("a history goes when its days are over, or when it is no longer to be kept, and others stay", async () => {
  const { sql } = house.actors
  const { stage } = await told()
  const turned = await prepare()
  const stays = await prepare()
  for (const one of [turned, stays]) {
    await house.actors.execute(one.eventId, { type: "event.start", d: {} })
    await house.actors.execute(one.eventId, { type: "event.end", d: {} })
  }
  while ((await sweep()) > 0);
  await house.actors.execute(turned.eventId, { type: "event.patch", d: { history: "brief" } })
  await sql`update events set ended_at = ended_at - interval '91 days' where id = ${stage.eventId}`
  expect(await (await openReplay(stage, { from: 0 })).closeCode()).toBe(4303)
  const left = async () => {
    const rows = await sql<{ eventId: string; n: number }[]>`
      select event_id, count(*)::integer as n from kept_publications group by event_id`
    return new Map(rows.map(({ eventId, n }) => [eventId, n]))
  }
  const before = await left()
  const due = (before.get(stage.eventId) ?? 0) + (before.get(turned.eventId) ?? 0)
  const since = keptSince(Date.now(), 90)
  expect(await forgetKept(sql, since, 5)).toBe(5)
  expect(await forgetKept(sql, since, 1000)).toBe(due - 5)
  expect(await forgetKept(sql, since, 1000)).toBe(0)
  const after = await left()
  expect([after.has(stage.eventId), after.has(turned.eventId)]).toEqual([false, false])
  expect(after.get(stays.eventId)).toBe(before.get(stays.eventId))
  const histories = await sql<{ eventId: string }[]>`select event_id from kept_histories`
  expect(new Set(histories.map(({ eventId }) => eventId))).toEqual(new Set(after.keys()))
  await sql`delete from events where id = ${stays.eventId}`
  expect((await left()).has(stays.eventId)).toBe(false)
})

test("history can be kept from the beginning only", async () => {
  const stage = await prepare("brief")
  const { actors } = house
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "kept" } })
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "kept" } })
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "brief" } })
  const late = ownCommand({ type: "event.patch", d: { history: "kept" } })
  const refused = actors.run(Effect.flip(Effect.flatMap(LiveEvents, (live) => live.execute(stage.eventId, late))))
  expect(await refused).toMatchObject({ code: "conflict" })
})

test("a replay is drained as every socket is", async () => {
  const other = await openHouse()
  try {
    const stage = await other.stage([{ modality: "meeting" }], "scheduled")
    const { actors } = other
    await actors.sql`update events set history = 'kept' where id = ${stage.eventId}`
    await actors.execute(stage.eventId, { type: "event.start", d: {} })
    await actors.execute(stage.eventId, { type: "event.end", d: {} })
    const client = other.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await tokenOf(stage, "anon:drained", true), replay: { from: 0, speed: 0 } } })
    await client.dispatch("ready")
    await other.gateway.drain(50, "drain")
    expect((await client.next(({ op }) => op === 7, "the notice")).d.reason).toBe("drain")
    expect(await client.closeCode()).toBe(1012)
  } finally {
    await other.stop()
  }
})
